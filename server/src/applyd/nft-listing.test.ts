// Listings as nft writes them: what counts as a change of a piece and what does not, and what rules counted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Counts } from '../shared/netlink.ts'
import { addCounts, listChains, parseListing } from './nft-listing.ts'

const listing = (...objects: object[]): string => JSON.stringify({ nftables: [{ metainfo: {} }, ...objects] })
const chain = (extra: object = {}) => ({ chain: { family: 'inet', table: 't', name: 'f', handle: 1, ...extra } })
const rule = (packets: number, handle: number, dport = 80, comment = 'a') => ({
  rule: {
    chain: 'f',
    comment,
    handle,
    expr: [{ match: { right: { set: [dport, 443] } } }, { counter: { packets, bytes: packets * 40 } }],
  },
})
const set = (elem: unknown[], extra: object = {}) => ({ set: { name: 's', handle: 1, elem, ...extra } })
const print = (...objects: object[]): string =>
  JSON.stringify([...parseListing(listing(...objects), new Set(['lively'])).pieces])

test('handles, counters, times and the order of elements are not part of a fingerprint', () => {
  assert.equal(print(chain(), rule(0, 4)), print(chain({ handle: 2 }), rule(9, 17)))
  assert.equal(print(set(['a', 'b'])), print(set(['b', 'a'])))
})

test('elements of a dynamic set are not part of its fingerprint', () => {
  const fingerprintOf = (elem: unknown[], name: string) =>
    parseListing(listing(set(elem, { name })), new Set(['lively'])).pieces.get(`set ${name}`)?.fingerprint
  assert.equal(fingerprintOf([], 'lively'), fingerprintOf(['a'], 'lively'))
  assert.notEqual(fingerprintOf([], 's'), fingerprintOf(['a'], 's'))
})

test('everything else is part of the fingerprint', () => {
  const prints = [
    print(chain(), rule(0, 1)),
    print(chain(), rule(0, 1, 81)),
    print(chain(), rule(0, 1), rule(0, 2)),
    print(chain(), rule(0, 1, 80, 'b')),
    print(set(['a'])),
    print(set(['a', 'b'])),
    print(set(['a'], { flags: ['interval'] })),
    print({ map: { name: 's', elem: ['a'] } }),
    print(chain({ policy: 'drop' })),
    print(chain({ policy: 'accept' })),
  ]
  assert.equal(new Set(prints).size, prints.length)
})

test('a table with a flag or with another kind of object is not plain', () => {
  const isPlain = (...objects: object[]) => parseListing(listing(...objects), new Set()).isPlain
  assert.equal(isPlain({ table: { name: 't' } }, chain(), rule(0, 1)), true)
  assert.equal(isPlain({ table: { name: 't', flags: ['dormant'] } }), false)
  assert.equal(isPlain({ counter: { name: 'c' } }), false)
})

test('counts are summed by origin, in all chains or in some', () => {
  const text = listing(chain(), rule(2, 1), rule(3, 2), rule(5, 3, 80, 'b'), { rule: { chain: 'g', comment: 'b' } })
  const counts: Counts = new Map([['a', { packets: 1, bytes: 1 }]])
  addCounts(counts, text, null)
  assert.deepEqual(
    counts,
    new Map([
      ['a', { packets: 6, bytes: 201 }],
      ['b', { packets: 5, bytes: 200 }],
    ]),
  )
  const none: Counts = new Map()
  addCounts(none, text, new Set(['g']))
  assert.deepEqual(none, new Map([['b', { packets: 0, bytes: 0 }]]))
})

test('chains are listed with their hooks, without those of other tables', () => {
  const hook = { name: 'a', type: 'filter', hook: 'input', policy: 'drop' }
  assert.deepEqual(listChains(listing(chain(), chain(hook), chain({ table: 'u' })), 'inet t'), [
    'a filter input drop',
    'f ',
  ])
})
