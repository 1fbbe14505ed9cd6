import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeRandom } from '../../../test/support/random-policy.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { countLines, isGenuine, linesOf } from '../../core/plan/nft-piece.ts'
import { changeAddresses, readAddresses } from '../../shared/net/address-list.ts'
import { printAddress } from '../../shared/net/ipv4.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import { addressSet, addressSets } from './address-sets.ts'

const matchOf = (key: string, ranges: Ranges) => ({ key, ranges, isNegated: false })
const setsOf = (key: string, texts: readonly string[]) => addressSets(matchOf(key, readAddresses(texts).ranges))
const hosts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => printAddress(0x0a_00_00_00 + 7 * at))
const summary = ({ name, head }: NftPiece) => `${name}: ${head}`

let nextKey = 0
const newKey = (): string => `t${nextKey++}`

describe('the set of a list', () => {
  it('of single hosts is a hash set, with neighbours as elements of their own', () => {
    const [set, ...more] = setsOf('hosts', ['10.0.0.2', '10.0.0.1', '10.0.0.3/32', '10.0.0.1'])
    assert.deepEqual(more, [])
    assert.equal(set && summary(set), 'h_hosts: type ipv4_addr;')
    assert.deepEqual(set && linesOf(set), ['10.0.0.1', '10.0.0.2', '10.0.0.3'])
  })

  it('of networks or ranges is an interval set', () => {
    const [set, ...more] = setsOf('nets', ['10.0.0.0/24', '10.0.1.7', '10.0.0.255'])
    assert.deepEqual(more, [])
    assert.equal(set && summary(set), 'a_nets: type ipv4_addr; flags interval;')
    assert.deepEqual(set && linesOf(set), ['10.0.0.0/24', '10.0.1.7'])
  })

  it('is an interval set where nothing says what the ranges were made of', () => {
    assert.equal(summary(addressSet(matchOf('bare', [1, 1, 5, 5]))), 'a_bare: type ipv4_addr; flags interval;')
  })

  it('of many hosts and some networks is one of each, where two sets will do', () => {
    const texts = [...hosts(2000), '192.0.2.0/24', '10.0.0.0/30']
    const sets = setsOf('mixed', texts)
    assert.deepEqual(sets.map(summary), ['h_mixed: type ipv4_addr;', 'n_mixed: type ipv4_addr; flags interval;'])
    assert.deepEqual(sets.map(countLines), [2000, 2])
    const { ranges } = readAddresses(texts)
    assert.equal(countLines(addressSet(matchOf('mixed', ranges))), ranges.length / 2)
  })

  it('is made once for all rules that name the list', () => {
    const { ranges } = readAddresses(hosts(10))
    assert.equal(
      addressSets(matchOf('shared', ranges))[0],
      addressSets({ ...matchOf('shared', ranges), isNegated: true })[0],
    )
  })
})

describe('a long set', () => {
  const change = (texts: readonly string[], less: readonly string[], more: readonly string[]) => {
    const key = newKey()
    const list = readAddresses(texts)
    const before = addressSets(matchOf(key, list.ranges))
    const after = addressSets(matchOf(key, changeAddresses(list, less, more).ranges))
    const kept = new Set(before.flatMap(({ parts }) => parts))
    const printed = after.flatMap(({ parts }) => parts).filter((part) => !kept.has(part))
    return { after, printed: printed.reduce((sum, { lines }) => sum + lines.length, 0), parts: printed.length }
  }

  it('prints and hashes again only the part that one more element is in', () => {
    const texts = hosts(50_000)
    for (const [less, more] of [
      [[], ['172.16.3.4']],
      [[], ['1.2.3.4']],
      [[texts[25_000] ?? ''], []],
      [[texts[10] ?? ''], ['10.0.77.1']],
    ] as const) {
      const { parts } = change(texts, less, more)
      assert.ok(parts <= less.length + more.length + 1, `${parts} parts were printed`)
    }
  })

  it('does so for changes all over the list, and for networks', () => {
    const texts = hosts(50_000).map((text, at) => (at % 3 === 0 ? `${text}/31` : text))
    const less = [0, 1, 20_000, 30_001, 49_999].map((at) => texts[at] ?? '')
    const { printed, parts, after } = change(texts, less, ['1.1.1.1', '2.0.0.0/16'])
    assert.equal(after.length, 2)
    assert.ok(parts <= 2 * 7, `${parts} parts were printed`)
    assert.ok(printed < 20_000, `${printed} lines were printed`)
  })

  it('is the same after random changes as one made from nothing', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = makeRandom(seed)
      const key = newKey()
      let texts = hosts(5000).filter(() => random() < 0.8)
      let list = readAddresses(texts)
      for (let round = 0; round < 15; round++) {
        addressSets(matchOf(key, list.ranges))
        const gone = new Set(texts.filter(() => random() < 0.001))
        const less = texts.filter((text) => gone.has(text))
        const more = Array.from({ length: Math.floor(random() * 5) }, () => {
          const text = printAddress(0x0a_00_00_00 + Math.floor(random() * 40_000))
          return random() < 0.2 ? `${text}/28` : text
        })
        texts = [...texts.filter((text) => !gone.has(text)), ...more]
        list = changeAddresses(list, less, more)
        const fresh = setsOf(newKey(), texts).map(({ head, parts }) => ({ head, parts }))
        const sets = addressSets(matchOf(key, list.ranges))
        assert.deepEqual(
          sets.map(({ head, parts }) => ({ head, parts })),
          fresh,
        )
        assert.ok(sets.every(isGenuine))
      }
    }
  })
})
