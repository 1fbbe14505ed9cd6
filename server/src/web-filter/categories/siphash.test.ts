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
})
