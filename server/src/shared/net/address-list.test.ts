import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeRandom, pick, type Random } from '../../../test/support/random-policy.ts'
import { type AddressList, changeAddresses, entriesOf, readAddresses, uniteAddresses } from './address-list.ts'
import { parseAddress, parseSpan, printSpan } from './ipv4.ts'
import { toRanges } from './ranges.ts'

const spansIn = (texts: readonly string[]) => texts.map(parseSpan).filter((span) => span !== null)

/** From a small space, so that entries repeat, touch and cover each other. */
function drawText(random: Random): string {
  const low = 0xc0_00_02_00 + Math.floor(random() * 200)
  return pick(random, [printSpan(low, low), printSpan(low, low), `${printSpan(low, low)}/29`, printSpan(low, low + 5)])
}

const drawTexts = (random: Random, most: number): string[] =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, () => drawText(random))

const assertSame = (list: AddressList, texts: readonly string[]) => {
  const fresh = readAddresses(texts)
  assert.deepEqual(list, fresh)
  assert.deepEqual(list.ranges, toRanges(spansIn(texts)))
  const entries = entriesOf(list.ranges)
  if (texts.length === 0) return
  const hosts = spansIn(texts).flatMap(([low, high]) => (low === high ? [low] : []))
  assert.deepEqual(
    [...(entries?.hosts ?? [])],
    [...new Set(hosts)].toSorted((a, b) => a - b),
  )
  assert.deepEqual(entries?.networks, toRanges(spansIn(texts).filter(([low, high]) => low !== high)))
}

describe('a list of addresses', () => {
  it('is the same after random changes as one read as a whole', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = makeRandom(seed)
      let texts = drawTexts(random, 60)
      let list = readAddresses(texts)
      for (let round = 0; round < 20; round++) {
        const removed = texts.filter(() => random() < 0.1)
        const added = drawTexts(random, 6)
        const left = [...texts]
        for (const text of removed) left.splice(left.indexOf(text), 1)
        texts = [...left, ...added]
        list = changeAddresses(list, removed, added)
        assertSame(list, texts)
      }
    }
  })

  it('keeps an entry that is in it twice until both are removed', () => {
    const list = readAddresses(['10.0.0.1', '10.0.0.1/32', '10.0.0.9'])
    const less = changeAddresses(list, ['10.0.0.1'], [])
    assert.deepEqual(less.ranges, list.ranges)
    assert.deepEqual(changeAddresses(less, ['10.0.0.1/32'], []).ranges, readAddresses(['10.0.0.9']).ranges)
  })

  it('leaves out what is not an address', () => {
    assert.deepEqual(
      readAddresses(['10.0.0.1', 'x', '10.0.0.300', '10.0.0.0/33', '']).ranges,
      [0x0a_00_00_01, 0x0a_00_00_01],
    )
  })

  it('joined with others knows its entries when those of all are known', () => {
    const [one, other] = [
      readAddresses(['10.0.0.1', '10.0.0.3']).ranges,
      readAddresses(['10.0.0.2', '10.0.0.3']).ranges,
    ]
    const joined = uniteAddresses([one, other])
    assert.deepEqual(joined, [0x0a_00_00_01, 0x0a_00_00_03])
    assert.deepEqual([...(entriesOf(joined)?.hosts ?? [])], [0x0a_00_00_01, 0x0a_00_00_02, 0x0a_00_00_03])
    assert.equal(entriesOf(uniteAddresses([one, [1, 2]])), null)
  })
})

it('an address is four numbers of up to 255 without leading zeros', () => {
  for (const [text, value] of [
    ['0.0.0.0', 0],
    ['255.255.255.255', 0xffff_ffff],
    ['10.0.0.1', 0x0a_00_00_01],
    ['192.168.100.7', 0xc0_a8_64_07],
  ] as const)
    assert.equal(parseAddress(text), value, text)
  for (const text of ['', '1', '1.2.3', '1.2.3.4.5', '1.2.3.', '.1.2.3', '1..2.3', '01.2.3.4', '1.2.3.00', '256.1.1.1'])
    assert.equal(parseAddress(text), null, text)
  for (const text of [
    '1.2.3.1000',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4/32',
    '1.2.3.-4',
    '1.2.3.4\n',
    '1,2,3,4',
    'a.b.c.d',
    '١.2.3.4',
  ])
    assert.equal(parseAddress(text), null, text)
})
