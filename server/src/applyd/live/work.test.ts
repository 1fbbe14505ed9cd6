// What a change of live sets costs: no listing of a table, and the same work whatever the sets hold.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createKernel } from '../kernel/kernel.ts'
import type { NftKernel } from '../kernel/nft-kernel.ts'
import { createBusy } from '../loaded/busy.ts'
import { Ruleset } from '../ruleset.ts'
import { authorizationPieces, host } from '../stand-ins/authorization.ts'
import { Bench, benchOptions } from '../stand-ins/harness.ts'

const bench = new Bench()
const [table] = bench.nftSpec.tables
const asked: string[] = []
let real: NftKernel
let ruleset: Ruleset
before(async () => {
  real = await createKernel(bench.nftSpec, () => {})
  const kernel: NftKernel = {
    ...real,
    list: (name) => {
      asked.push(`list ${name}`)
      return real.list(name)
    },
    readLive: (name, sets) => {
      asked.push(`read ${[...sets.keys()].join()}`)
      return real.readLive(name, sets)
    },
  }
  const directory = join(bench.root, 'applyd')
  mkdirSync(directory)
  const options = benchOptions(bench.root, bench.tables())
  ruleset = new Ruleset({ ...options, directory, logs: join(bench.root, 'log') }, kernel, createBusy())
  await ruleset.load(new Map([[table, authorizationPieces()]]))
  await ruleset.observe()
  asked.length = 0
})
after(async () => {
  ruleset.close()
  await real.close()
  bench.remove()
})

const add = (set: string, ...addresses: readonly string[]) =>
  ruleset.live.change([{ set, add: addresses.map((address) => host(address, null)), remove: [] }])
const stateOfTable = async () => (await ruleset.observe()).find(({ name }) => name === table)
const listed = () => asked.splice(0).filter((question) => question.startsWith('list'))

test('our own changes of elements are not taken for those of another program', async () => {
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
    await add('u_user_id_1', address)
    await ruleset.refresh()
    assert.equal((await stateOfTable())?.present, true)
  }
  await ruleset.live.change([{ set: 'auth_suspended', add: [], remove: [host('10.0.0.1')] }])
  await ruleset.load(new Map([[table, authorizationPieces('drop comment "firewall.2"')]]))
  await add('u_user_id_1', '10.0.0.4')
  await ruleset.observe()
  assert.deepEqual(asked, [])
})

test('a change of another program is found although elements changed before and after it', async () => {
  await add('u_user_id_1', '10.0.0.5')
  bench.nft('add', 'rule', ...table.split(' '), 'auth_gate', 'accept')
  await add('u_user_id_1', '10.0.0.6')
  await ruleset.refresh()
  assert.deepEqual(listed(), [`list ${table}`])
  await add('u_user_id_1', '10.0.0.7')
  await ruleset.observe()
  assert.deepEqual(listed(), [])
  assert.equal(await ruleset.isCurrent(table, authorizationPieces('drop comment "firewall.2"')), false)
  await ruleset.load(new Map([[table, authorizationPieces()]]))
  listed()
})

test('a change during a listing is not followed by another listing', async () => {
  bench.nft('add', 'table', 'inet', 'other')
  const looking = ruleset.observe()
  await add('u_user_id_1', '10.0.0.8')
  await looking
  await ruleset.observe()
  assert.deepEqual(listed(), [`list ${table}`])
})

/** Processor time of all threads for some changes, in milliseconds. */
async function workOf(set: string): Promise<number> {
  const start = process.cpuUsage()
  for (let i = 0; i < 100; i += 1) await add(set, `10.200.0.${i}`)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

test('a change costs the same at 100 and at 20,000 elements', async () => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`)
  await add('u_user_id_1', ...addresses.slice(0, 100))
  await add('u_group_id_1', ...addresses)
  await workOf('u_user_id_1')
  asked.length = 0
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 5; round += 1) {
    few = Math.min(few, await workOf('u_user_id_1'))
    many = Math.min(many, await workOf('u_group_id_1'))
  }
  assert.deepEqual(asked, [])
  assert.ok(many < 3 * few, `${many} ms for 20,000 elements, ${few} ms for 100`)
})
