// Every endpoint gets the largest input that its schema accepts, one after the other, and none of them may hold the event
// loop: the same watch as in hostile.test.ts, over the whole contract.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Endpoint, nameOf } from '../../src/contract/endpoint.ts'
import { endpoints } from '../contract/contract.ts'
import { type HostileBench, type Reply, startHostileBench } from './hostile-bench.ts'
import { isNightly } from './lab.ts'
import { largestBody, largestQuery } from './largest-input.ts'

const ruleCount = isNightly ? 10_000 : 1_000

/** The longest turn that is allowed, in pieces of reference work; see hostile.test.ts. */
const limitInReferences = 30

/** It would end the session that the others need. */
const isLast = (endpoint: Endpoint): boolean => nameOf(endpoint) === 'DELETE /web/auth/login'

const asked = endpoints
  .filter(({ streamsBody }) => !streamsBody)
  .toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))

describe('the largest input of every endpoint', () => {
  let bench: HostileBench
  /** Ids of what was added, by the path of its list. */
  const added = new Map<string, string>()
  const slow: string[] = []
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

  it('holds no one up', async (t) => {
    const figures: [ms: number, name: string][] = []
    const statuses = new Map<number, number>()
    const count = (status: number): void => void statuses.set(status, 1 + (statuses.get(status) ?? 0))
    for (const endpoint of asked) {
      const { method, rawBodyType, bodyLimitBytes } = endpoint
      const body = rawBodyType ? 'a'.repeat(bodyLimitBytes) : largestBody(endpoint)
      const path = [pathOf(endpoint), largestQuery(endpoint)].filter(Boolean).join('?')
      const { longestMs } = await bench.watch(async () => {
        const reply = await bench.ask({ method, path, ...(body === undefined ? {} : { body }) })
        count(reply.status)
        note(endpoint, reply)
      })
      figures.push([longestMs, nameOf(endpoint)])
      if (longestMs > limitMs) slow.push(`${nameOf(endpoint)}: ${longestMs.toFixed(0)} ms`)
    }
    figures.sort(([a], [b]) => b - a)
    const top = figures.slice(0, 20).map(([ms, name]) => `${name} ${ms.toFixed(0)}`)
    t.diagnostic(`longest turns in ms of processor time, limit ${limitMs.toFixed(0)}: ${top.join(', ')}`)
    t.diagnostic(`answers: ${[...statuses].map(([status, times]) => `${times} x ${status}`).join(', ')}`)
    assert.deepEqual(slow, [])
  })

  it('is never answered with an internal error', () => {
    assert.deepEqual(failed, [])
  })
})
