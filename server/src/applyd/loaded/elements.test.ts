// Which way a change of elements goes, with a stand-in for the kernel that writes down what it is asked to do.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import type { ElementChange } from '../kernel/address-set.ts'
import type { NftKernel, Verdict } from '../kernel/nft-kernel.ts'
import { Ruleset } from '../ruleset.ts'
import { benchOptions, benchTables, chain, map, plainNft, set } from '../stand-ins/harness.ts'
import { createBusy } from './busy.ts'

const accepted: Verdict = { problems: [], unchecked: null }
const [table] = plainNft.tables
let root: string
let generation: number
let done: (string | ElementChange)[]
let isStale: boolean
let ruleset: Ruleset

const kernel: NftKernel = {
  way: 'library',
  check: async () => accepted,
  load: async (script) => {
    generation += 1
    done.push(script.map(({ text }) => text.trim()).join(' '))
    return accepted
  },
  changeElements: async (changes, known) => {
    if (isStale || known !== generation) return 'stale'
    generation += 1
    done.push(...changes)
    return accepted
  },
  changeLive: async (_, changes) => ({ outcome: 'nothing', missing: changes.map(({ set: one }) => one), full: [] }),
  readLive: async () => new Map(),
  generation: async () => generation,
  counts: async () => null,
  chains: async () => [],
  list: async () => null,
  isPresent: async () => true,
  close: async () => {},
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'elements-'))
  generation = 3
  done = []
  isStale = false
  const directory = join(root, 'applyd')
  mkdirSync(directory)
  const options = benchOptions(root, benchTables(root, plainNft, 1))
  ruleset = new Ruleset({ ...options, directory, logs: join(root, 'log') }, kernel, createBusy())
  await load(...pieces)
  done.length = 0
})
afterEach(() => {
  ruleset.close()
  rmSync(root, { recursive: true })
})

const load = (...wanted: readonly NftPiece[]) => ruleset.load(new Map([[table, wanted]]))
const hosts = Array.from({ length: 30 }, (_, i) => `10.0.0.${i}`)
const kept = chain('c', ['ip saddr @s accept'])
const pieces = [kept, set('s', hosts, 'type ipv4_addr', 'objects.s'), map('m', ['10.0.0.1 : accept'])]
const [, , verdicts] = pieces

test('elements of a list of addresses are changed without a script', async () => {
  await load(kept, set('s', [...hosts.slice(1), '192.0.2.0'], 'type ipv4_addr', 'objects.s'), verdicts ?? kept)
  const change = { table, set: 's', kind: 'hash', field: 'objects.s' }
  assert.deepEqual(done, [
    { verb: 'delete', ...change, elements: ['10.0.0.0'] },
    { verb: 'add', ...change, elements: ['192.0.2.0'] },
  ])
})

test('when another program changed the ruleset, nft makes the change', async () => {
  isStale = true
  await load(kept, set('s', [...hosts, '192.0.2.0'], 'type ipv4_addr', 'objects.s'), verdicts ?? kept)
  assert.equal(done.length, 1)
  assert.match(String(done[0]), /192\.0\.2\.0/)
})

const others: Record<string, readonly NftPiece[]> = {
  'elements and a rule': [
    chain('c', ['ip saddr @s drop']),
    set('s', [...hosts, '192.0.2.0'], 'type ipv4_addr', 'objects.s'),
  ],
  'an element that is more than an address': [
    kept,
    set('s', [...hosts, '192.0.2.0 comment "x"'], 'type ipv4_addr', 'objects.s'),
  ],
}
for (const [what, wanted] of Object.entries(others))
  test(`${what} is changed by a script`, async () => {
    await load(...wanted, verdicts ?? kept)
    assert.deepEqual(
      done.map((one) => typeof one),
      ['string'],
    )
  })

test('elements of a map are changed by a script', async () => {
  const elements = hosts.map((host) => `${host} : accept`)
  await load(kept, map('m', elements))
  done.length = 0
  await load(kept, map('m', elements.with(3, '10.0.0.3 : drop')))
  assert.equal(typeof done[0], 'string')
})
