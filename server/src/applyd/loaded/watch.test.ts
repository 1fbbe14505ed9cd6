// When tables are listed, with a stand-in for the kernel that counts what it is asked.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import type { NftKernel } from '../kernel/nft-kernel.ts'
import { changeOf } from '../nft-script.ts'
import { chain } from '../stand-ins/harness.ts'
import { createBusy } from './busy.ts'
import { Watch } from './watch.ts'

const spec = { command: ['nft'], tables: ['inet t', 'netdev d'], boot: 'inet boot' } as const
const [table, ofDevices] = spec.tables
const accept = { status: 'accepted', problems: [], unchecked: null }

/** What the kernel holds: the rules of each chain of each table. */
let rules: Map<string, Map<string, string[]>>
let generation: number | null
let asked: string[]
let loads: number
let held: Map<string, readonly NftPiece[]>
let isListing: Promise<void> | null
/** The rules are others with the same comments. */
let isSuspicious: boolean
let watch: Watch
let warnings: string[]

const listed = (name: string): string | null => {
  const chains = rules.get(name)
  if (!chains) return null
  const nftables = [...chains].flatMap(([chainName, lines]) => [
    { chain: { name: chainName } },
    ...lines.map((comment) => ({ rule: { chain: chainName, comment, expr: isSuspicious ? ['drop'] : [] } })),
  ])
  return JSON.stringify({ nftables })
}

const kernel: NftKernel = {
  way: 'program',
  check: async () => accept,
  load: async () => accept,
  changeElements: async () => accept,
  changeLive: async (_, changes) => ({ outcome: 'nothing', missing: changes.map(({ set: one }) => one), full: [] }),
  readLive: async () => new Map(),
  generation: async () => generation,
  counts: async () => null,
  chains: async (name) => {
    asked.push(`chains ${name}`)
    return [...(rules.get(name)?.keys() ?? [])].map((one) => `${one} `).toSorted()
  },
  list: async (name) => {
    asked.push(`list ${name}`)
    const text = listed(name)
    await isListing
    return text
  },
  isPresent: async (name) => {
    asked.push(`present ${name}`)
    return rules.has(name)
  },
  close: async () => {},
}

beforeEach(() => {
  rules = new Map()
  generation = 7
  asked = []
  loads = 0
  held = new Map()
  isListing = null
  isSuspicious = false
  warnings = []
  const log = (_: string, message: string): void => void warnings.push(message)
  const parts = { busy: createBusy(), onAdopted: () => {}, log }
  watch = new Watch(kernel, spec, { ...parts, held, loads: () => loads })
})

const takeAsked = (): string[] => asked.splice(0)
/** An unwanted table is looked for now and then. */
const takeLists = (): string[] => takeAsked().filter((question) => question.startsWith('list'))
const rule = (origin: string): string => `accept comment "${origin}"`

/** Loads one rule for each origin, in one chain, as the ruleset does it. */
function load(name: string, ...origins: readonly string[]): void {
  const before = generation
  const wanted = origins.length === 0 ? [] : [chain('c', origins.map(rule))]
  const change = changeOf(name, watch.stateOf(name) === 'intact' ? (held.get(name) ?? null) : null, wanted)
  loads += 1
  watch.beginLoad([change])
  if (wanted.length > 0) {
    rules.set(name, new Map([['c', [...origins]]]))
    held.set(name, wanted)
  } else {
    rules.delete(name)
    held.delete(name)
  }
  if (generation !== null) generation += 1
  watch.endLoad([change], before, generation)
  loads += 1
}

/** Another program changes something. */
function touch(change: () => void = () => {}): void {
  change()
  if (generation !== null) generation += 1
}

test('after our own loads nothing is listed', async () => {
  load(table, 'r.1')
  load(table, 'r.1', 'r.2')
  await watch.refresh()
  assert.deepEqual(takeAsked(), ['present netdev d'])
  await watch.refresh()
  assert.equal(await watch.look(table), 'intact')
  assert.deepEqual(takeAsked(), [])
})

test('a change by another program is found by one listing, whatever it changed', async () => {
  load(table, 'r.1')
  await watch.refresh()
  takeAsked()
  touch(() => rules.get(table)?.get('c')?.push('foreign'))
  await watch.refresh()
  assert.deepEqual(takeLists(), ['list inet t'])
  assert.equal(watch.stateOf(table), 'altered')
  load(table, 'r.1')
  assert.equal(watch.stateOf(table), 'intact')
  takeAsked()
  touch()
  assert.equal(await watch.look(table), 'intact')
  assert.equal(await watch.look(table), 'intact')
  assert.deepEqual(takeAsked(), ['list inet t'])
})

test('a change by another program between two of our own is found', async () => {
  load(table, 'r.1')
  touch(() => rules.get(table)?.set('foreign', []))
  load(ofDevices, 'd.1')
  assert.equal(await watch.look(table), 'altered')
  assert.deepEqual(takeAsked(), ['list inet t'])
})

test('a load that adds more than one to the generation was not alone', async () => {
  load(table, 'r.1')
  const change = changeOf(table, held.get(table) ?? null, [chain('c', [rule('r.2')])])
  watch.beginLoad([change])
  watch.endLoad([change], generation, (generation ?? 0) + 2)
  generation = (generation ?? 0) + 2
  await watch.look(table)
  assert.deepEqual(takeAsked(), ['list inet t'])
})

test('where the generation cannot be read the tables are listed', async () => {
  generation = null
  load(table, 'r.1')
  assert.equal(await watch.look(table), 'intact')
  rules.get(table)?.set('foreign', [])
  assert.equal(await watch.look(table), 'altered')
  assert.deepEqual(takeAsked(), ['list inet t', 'list inet t'])
})

test('a chain that went away with its device is found although the generation is the same', async () => {
  load(ofDevices, 'd.1')
  assert.equal(await watch.look(ofDevices), 'intact')
  assert.deepEqual(takeAsked(), ['chains netdev d'])
  rules.get(ofDevices)?.delete('c')
  assert.equal(await watch.look(ofDevices), 'altered')
})

test('a listing is dropped when a load comes in the meantime', async () => {
  load(table, 'r.1')
  touch(() => rules.get(table)?.set('foreign', []))
  let end = () => {}
  isListing = new Promise((resolve) => {
    end = resolve
  })
  const refreshed = watch.refresh()
  await until('the listing is under way', () => asked.includes('list inet t'))
  loads += 2
  end()
  await refreshed
  assert.equal(watch.stateOf(table), 'intact')
  isListing = null
  await watch.refresh()
  assert.equal(watch.stateOf(table), 'altered')
})

test('no apply waits for the listing of a large table, and a chain too many is found at once', async () => {
  const origins = Array.from({ length: 3000 }, (_, i) => `r.${i}`)
  load(table, ...origins)
  await watch.refresh()
  touch(() => rules.get(table)?.get('c')?.push('foreign'))
  let end = () => {}
  isListing = new Promise((resolve) => {
    end = resolve
  })
  await watch.refresh()
  assert.equal(watch.stateOf(table), 'intact')
  end()
  await until('the listing has ended', () => watch.stateOf(table) === 'altered')
  load(table, ...origins)
  touch(() => rules.get(table)?.set('foreign', []))
  isListing = new Promise((resolve) => {
    end = resolve
  })
  await watch.refresh()
  assert.equal(watch.stateOf(table), 'altered')
  end()
})

test('a large table that cannot be listed is not called intact for longer than one listing', async () => {
  const origins = Array.from({ length: 3000 }, (_, i) => `r.${i}`)
  load(table, ...origins)
  await watch.refresh()
  touch(() => rules.get(table)?.get('c')?.push('foreign'))
  isListing = Promise.reject(new Error('no memory'))
  assert.equal(await watch.look(table), 'intact')
  await until('the listing has failed', () => warnings.length > 0)
  await assert.rejects(watch.look(table), /no memory/)
  isListing = null
  assert.equal(await watch.look(table), 'altered')
})

test('after a restart the generation of the record says that nothing was touched', async () => {
  held.set(table, [chain('c', [rule('r.1')])])
  rules.set(table, new Map([['c', ['r.1']]]))
  watch.restore(7, new Map())
  assert.equal(await watch.look(table), 'intact')
  assert.deepEqual(takeAsked(), [])
  touch()
  assert.equal(await watch.look(table), 'intact')
  assert.deepEqual(takeAsked(), ['list inet t'])
})

test('what was listed once is recognised by all of it, not only by its shape', async () => {
  load(table, 'r.1')
  touch()
  assert.equal(await watch.look(table), 'intact')
  isSuspicious = true
  touch()
  assert.equal(await watch.look(table), 'altered')
})
