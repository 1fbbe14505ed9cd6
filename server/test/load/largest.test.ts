// Every endpoint gets the largest input that its schema accepts, one after the other, and none of them may hold the event
// loop: the same watch as in hostile.test.ts, over the whole contract. What was added is read, changed and removed by the
// endpoints that follow.
// Requirement 69.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { largestHereBytes } from '../../src/gatewayd/http/bodies.ts'
import { endpoints } from '../contract/contract.ts'
import { type HostileBench, type Reply, startHostileBench } from './hostile-bench.ts'
import { isNightly } from './lab.ts'
import { largestBody, largestQuery, type Shape } from './largest-input.ts'

const ruleCount = isNightly ? 10_000 : 1_000

/** The longest piece that is allowed, in pieces of reference work: 50 ms where one takes 4. */
const limitInReferences = 12.5

/** It would end the session that the others need. */
const isLast = (endpoint: Endpoint): boolean => nameOf(endpoint) === 'DELETE /web/auth/login'

const asked = endpoints
  .filter(({ streamsBody }) => !streamsBody)
  .toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))

/** The lists that take long bodies, with all that is done to their items. */
const longLists = asked
  .filter(({ method, body, bodyLimitBytes }) => method === 'POST' && body && bodyLimitBytes > largestHereBytes)
  .map(({ path }) => path)
const ofLongLists = asked.filter(({ path }) => longLists.some((list) => path === list || path.startsWith(`${list}/:`)))

/** Bodies of megabytes that must be taken: a test in which they are refused would prove nothing. */
const taken: Readonly<Record<Shape, readonly string[]>> = {
  many: [
    'POST /content-filter/users_categories',
    'PUT /content-filter/users_categories/:category_id',
    'DELETE /content-filter/users_categories/:category_id',
    'POST /aliases/ip_address_lists',
    'DELETE /aliases/ip_address_lists/:object_id',
  ],
  long: [
    'POST /content-filter/users_categories',
    'PUT /content-filter/users_categories/:category_id',
    'DELETE /content-filter/users_categories/:category_id',
  ],
}

describe('the largest input of every endpoint', () => {
  let bench: HostileBench
  /** Ids of what was added, by the path of its list. */
  const added = new Map<string, string>()
  const failed: string[] = []
  let limitMs = 0
  before(async () => {
    bench = await startHostileBench(ruleCount, 2_000)
    limitMs = limitInReferences * bench.referenceMs
  })
  after(() => bench?.[Symbol.asyncDispose]())

  const pathOf = ({ path }: Endpoint): string =>
    path.replaceAll(/\/:[a-z_]+/g, (_, at: number) => `/${added.get(path.slice(0, at)) ?? 1}`)

  function note(endpoint: Endpoint, { status, text }: Reply): void {
    if (status >= 500 && status !== 503) failed.push(`${nameOf(endpoint)}: ${status} ${text.slice(0, 200)}`)
    const id = status === 200 && endpoint.method === 'POST' ? /"id":"?([^",}]+)/.exec(text)?.[1] : undefined
    if (id !== undefined) added.set(endpoint.path, id)
  }

  /** The longest piece of each, the longest first. */
  async function askAll(which: readonly Endpoint[], shape: Shape, statuses: Map<string, number>) {
    const figures: [ms: number, name: string][] = []
    for (const endpoint of which) {
      const { method, rawBodyType, bodyLimitBytes } = endpoint
      const body = rawBodyType ? 'a'.repeat(bodyLimitBytes) : largestBody(endpoint, shape)
      const path = [pathOf(endpoint), largestQuery(endpoint)].filter(Boolean).join('?')
      const { longestMs } = await bench.watch(async () => {
        const reply = await bench.ask({ method, path, ...(body === undefined ? {} : { body }) })
        statuses.set(nameOf(endpoint), reply.status)
        note(endpoint, reply)
      })
      figures.push([longestMs, nameOf(endpoint)])
    }
    return figures.toSorted(([a], [b]) => b - a)
  }

  const runs: readonly [Shape, string, readonly Endpoint[]][] = [
    ['long', 'the longest entries of long lists', isNightly ? asked.filter((one) => !isLast(one)) : ofLongLists],
    ['many', 'the longest lists', asked],
  ]
  for (const [shape, title, which] of runs) {
    it(`holds no one up: ${title}`, async (t) => {
      const statuses = new Map<string, number>()
      const figures = await askAll(which, shape, statuses)
      const top = figures.slice(0, 20).map(([ms, name]) => `${name} ${ms.toFixed(0)}`)
      t.diagnostic(`longest pieces in ms of processor time, limit ${limitMs.toFixed(0)}: ${top.join(', ')}`)
      const counts = Map.groupBy(statuses.values(), (status) => status)
      t.diagnostic(`answers: ${[...counts].map(([status, all]) => `${all.length} x ${status}`).join(', ')}`)
      const slow = figures.filter(([ms]) => ms > limitMs).map(([ms, name]) => `${name}: ${ms.toFixed(0)} ms`)
      assert.deepEqual(slow, [])
      const refused = taken[shape].filter((name) => statuses.get(name) !== 200)
      assert.deepEqual(refused, [])
    })
  }

  it('is never answered with an internal error', () => {
    assert.deepEqual(failed, [])
  })
})
