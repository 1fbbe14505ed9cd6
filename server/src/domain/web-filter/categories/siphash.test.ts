import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SipHash } from './siphash.ts'

const hexOf = (hash: SipHash, bytes: Uint8Array, begin = 0, end = bytes.length): string => {
  hash.run(bytes, begin, end)
  return hash.high.toString(16).padStart(8, '0') + hash.low.toString(16).padStart(8, '0')
}
const counting = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at)

describe('SipHash', () => {
  it('with the rounds of the paper gives the values of the paper', () => {
    const hash = new SipHash(counting(16), { perWord: 2, atEnd: 4 })
    assert.equal(hexOf(hash, counting(0)), '726fdb47dd0e0e31')
    assert.equal(hexOf(hash, counting(15)), 'a129ca6149be45e5')
  })

  it('with the rounds of hash tables gives the values of another program, also from the middle of bytes', () => {
    const hash = new SipHash(new Uint8Array(16))
    for (const [text, value] of [
      ['a', 4_644_417_185_603_328_019n],
      ['example.com', 9_080_438_458_399_421_836n],
      ['a.very.long.name.example.org', 17_531_533_604_685_469_173n],
      ['0123456789abcdef', 2_108_444_454_683_020_324n],
    ] as const) {
      const expected = value.toString(16).padStart(16, '0')
      assert.equal(hexOf(hash, Buffer.from(text)), expected)
      assert.equal(hexOf(hash, Buffer.from(`--${text}-`), 2, 2 + text.length), expected)
    }
  })
})
