import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  countElements,
  joinElements,
  keyLength,
  keyPartsOf,
  packElements,
  printElement,
  printKey,
  unpackElements,
} from './live-elements.ts'

const seen = ['ipv4_addr', 'ether_addr', 'ifname'] as const

describe('packed elements', () => {
  test('are what went into them', () => {
    const values = [
      { key: ['10.0.0.1', '02:00:00:00:0a:ff', 'eth0.100'], timeoutMs: 900_000, leftMs: 12 },
      { key: ['255.255.255.255', 'ff:ff:ff:ff:ff:ff', 'abcdefghijklmno'], timeoutMs: null, leftMs: null },
      { key: ['0.0.0.0', '00:00:00:00:00:00', 'a'], timeoutMs: 604_800_000, leftMs: null },
    ]
    const packed = packElements(seen, values)
    assert.equal(countElements(packed), 3)
    assert.deepEqual(unpackElements(packed), values)
    assert.deepEqual(unpackElements({ ...packed, bytes: structuredClone(packed.bytes) }), values)
  })

  test('parts of a key begin at multiples of four, but not the only one', () => {
    assert.equal(keyLength(['ether_addr']), 6)
    assert.equal(keyLength(['ether_addr', 'ifname']), 24)
    assert.equal(keyLength(seen), 28)
  })

  test('of two readings with the same keys the second counts', () => {
    const of = (leftMs: number) => packElements(['ipv4_addr'], [{ key: ['10.0.0.1'], timeoutMs: 9000, leftMs }])
    assert.deepEqual(unpackElements(joinElements(of(5), of(4))), unpackElements(of(4)))
  })

  test('of two readings every element is taken once, as the second has it', () => {
    const of = (...pairs: readonly [string, number][]) =>
      packElements(
        ['ipv4_addr'],
        pairs.map(([address, leftMs]) => ({ key: [address], timeoutMs: 9000, leftMs })),
      )
    const joined = joinElements(of(['10.0.0.1', 5], ['10.0.0.2', 6]), of(['10.0.0.2', 4], ['10.0.0.3', 3]))
    assert.deepEqual(
      unpackElements(joined).map(({ key, leftMs }) => [...key, leftMs]),
      [
        ['10.0.0.1', 5],
        ['10.0.0.2', 4],
        ['10.0.0.3', 3],
      ],
    )
  })
})

test('the key of a set is read from its head', () => {
  assert.deepEqual(keyPartsOf('type ipv4_addr; flags dynamic,timeout; size 65535;'), ['ipv4_addr'])
  assert.deepEqual(keyPartsOf('type ipv4_addr . ether_addr . ifname; flags dynamic,timeout;'), [...seen])
  assert.deepEqual(keyPartsOf('type ether_addr . ifname'), ['ether_addr', 'ifname'])
  for (const head of ['type ipv6_addr; flags dynamic;', 'type ipv4_addr . inet_service; flags timeout;', 'size 5;', ''])
    assert.equal(keyPartsOf(head), null)
})

test('what is not an address, a MAC address or a device is not written into a script', () => {
  assert.equal(printKey(seen, ['10.0.0.1', '02:00:00:00:0a:ff', 'lan0']), '10.0.0.1 . 02:00:00:00:0a:ff . "lan0"')
  for (const key of [
    ['10.0.0.1 }', '02:00:00:00:0a:ff', 'lan0'],
    ['10.0.0.1', '02:00', 'lan0'],
    ['10.0.0.1', '02:00:00:00:0a:ff', 'a"b'],
    ['10.0.0.1', '02:00:00:00:0a:ff'],
  ])
    assert.equal(printElement(seen, { key, timeoutMs: 5, leftMs: null }), null)
})

test('times are written as the kernel has them, and no more is left than there was', () => {
  const print = (timeoutMs: number | null, leftMs: number | null) =>
    printElement(['ipv4_addr'], { key: ['10.0.0.1'], timeoutMs, leftMs })
  assert.equal(print(null, null), '10.0.0.1')
  assert.equal(print(900_000, null), '10.0.0.1 timeout 900000ms')
  assert.equal(print(900_000, 1.5), '10.0.0.1 timeout 900000ms expires 2ms')
  assert.equal(print(5, 9), '10.0.0.1 timeout 5ms expires 5ms')
})
