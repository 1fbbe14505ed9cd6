// When the sets are looked at and what is answered, with a stand-in for them. No answer comes by time here.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { LiveElement } from '../../core/plan/artifacts.ts'
import { createArrivals } from './arrivals.ts'
import type { Live } from './live.ts'

const noted = new Map<string, LiveElement[]>()
let isDeclared: boolean
let looks: number
let epoch: string
let arrivals: ReturnType<typeof createArrivals>

const live: Pick<Live, 'change' | 'read' | 'declares' | 'epoch'> = {
  change: async (changes) => {
    for (const { set, remove } of changes) {
      const left = (noted.get(set) ?? []).filter(({ address }) => !remove.some((one) => one.address === address))
      noted.set(set, left)
    }
    return { epoch: 'e', missing: [] }
  },
  read: async (sets) => {
    looks += 1
    return { epoch: 'e', sets: Object.fromEntries(sets.map((set) => [set, noted.get(set) ?? []])) }
  },
  declares: () => isDeclared,
  epoch: () => epoch,
}

beforeEach(() => {
  noted.clear()
  isDeclared = true
  looks = 0
  epoch = 'e'
  arrivals = createArrivals(live, { pauseMs: 1, waitMs: 1e9 })
})

const host = (address: string): LiveElement => ({ address, mac: '02:00:00:00:00:01', device: 'lan0', seconds: 3600 })
const arrive = (set: string, address: string) => noted.set(set, [...(noted.get(set) ?? []), host(address)])
const addresses = (set: string) => noted.get(set)?.map(({ address }) => address)
const nothing = { epoch: 'e', authorized: [], unknown: [] }

test('a question is answered as soon as a host arrives', async () => {
  const answer = arrivals.ask({})
  await until('it was looked for', () => looks > 2)
  arrive('auth_new', '10.0.0.1')
  assert.deepEqual(await answer, { epoch: 'e', authorized: [host('10.0.0.1')], unknown: [] })
  arrive('auth_unknown', '10.0.0.2')
  assert.deepEqual((await arrivals.ask({})).unknown, [host('10.0.0.2')])
})

test('without an arrival the answer is empty', async () => {
  assert.deepEqual(await createArrivals(live, { pauseMs: 1, waitMs: 0 }).ask({}), nothing)
})

test('that elements were lost is told at once, also when it was between two questions', async () => {
  const connection = {}
  const answer = arrivals.ask(connection)
  await until('it was looked for', () => looks > 0)
  epoch = 'f'
  assert.deepEqual(await answer, { ...nothing, epoch })
  epoch = 'g'
  assert.deepEqual(await arrivals.ask(connection), { ...nothing, epoch })
  const next = arrivals.ask(connection)
  arrive('auth_new', '10.0.0.1')
  assert.deepEqual(await next, { epoch, authorized: [host('10.0.0.1')], unknown: [] })
})

test('the sets are not looked at without a question, and not while the table does not have them', async () => {
  isDeclared = false
  const answer = arrivals.ask({})
  arrive('auth_new', '10.0.0.1')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(looks, 0)
  isDeclared = true
  await answer
  const before = looks
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(looks, before)
})

test('what was reported is removed when the same connection asks again, and what arrived in the meantime stays', async () => {
  const connection = {}
  arrive('auth_new', '10.0.0.1')
  await arrivals.ask(connection)
  assert.deepEqual(addresses('auth_new'), ['10.0.0.1'])
  arrive('auth_new', '10.0.0.2')
  assert.deepEqual((await arrivals.ask(connection)).authorized, [host('10.0.0.2')])
  assert.deepEqual(addresses('auth_new'), ['10.0.0.2'])
})

test('what a connection got that is closed is reported to the next one', async () => {
  const connection = {}
  arrive('auth_new', '10.0.0.1')
  await arrivals.ask(connection)
  arrivals.disconnected(connection)
  assert.deepEqual((await arrivals.ask({})).authorized, [host('10.0.0.1')])
})

test('a question ends with its connection, with the next question of it, and with applyd', async () => {
  const [first, second] = [{}, {}]
  const [closed, replaced, stopped] = [arrivals.ask(first), arrivals.ask(second), arrivals.ask(second)]
  assert.deepEqual(await replaced, nothing)
  arrivals.disconnected(first)
  assert.deepEqual(await closed, nothing)
  arrivals.stop()
  assert.deepEqual(await stopped, nothing)
  arrive('auth_new', '10.0.0.1')
  assert.deepEqual(await arrivals.ask(second), nothing)
})

test('a flood comes in several answers', async () => {
  const connection = {}
  const flood = Array.from({ length: 12_000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`)
  noted.set('auth_unknown', flood.map(host))
  const told = new Set<string>()
  while (told.size < flood.length) {
    const { unknown } = await arrivals.ask(connection)
    assert.ok(unknown.length <= 5000)
    for (const { address } of unknown) told.add(address)
  }
})
