// While a list of 100,000 networks is loaded, applyd answers small questions, says that it is changing the rules itself, and no
// piece of its work holds the others up.
// Requirements 69 and 76.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { referenceMs } from '../../test/support/loop-watch.ts'
import type { Observation, Plan } from '../core/plan/artifacts.ts'
import { ApplydClient } from '../gatewayd/apply/client.ts'
import { chain, forwardHead, nft, planOf, set } from './stand-ins/harness.ts'

/** The longest piece that is allowed, in pieces of reference work: 50 ms where one takes 4. */
const limitInReferences = 12.5

const network = (at: number, last: number): string => `${32 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.${last}/28`
const networks = (count: number, last = 0): string[] => Array.from({ length: count }, (_, at) => network(at, last))

const planWith = (revision: number, values: readonly string[]): Plan =>
  planOf(
    revision,
    nft([
      chain('forward', ['ip saddr @a_1 counter drop comment "firewall.forward[1]"'], forwardHead),
      set('a_1', values, 'type ipv4_addr; flags interval;'),
    ]),
  )

describe('a list of 100,000 networks', () => {
  let child: ChildProcess
  let client: ApplydClient
  const ask = async (question: 'take' | 'close'): Promise<{ readonly longestMs: number }> => {
    child.send(question)
    return ((await once(child, 'message')) as [{ longestMs: number }])[0]
  }
  before(async () => {
    child = fork(join(import.meta.dirname, 'stand-ins', 'watched-applyd.ts'))
    const [{ socketPath }] = (await once(child, 'message')) as [{ socketPath: string }]
    client = new ApplydClient(socketPath)
    await new Promise<void>((resolve) => client.onConnect(resolve))
    // So that what is measured is not the first of its kind.
    assert.equal((await client.apply(planWith(1, networks(2_000)))).status, 'applied')
    assert.equal((await client.attempt(planWith(2, networks(2_500, 16)))).status, 'applied')
    await client.settle(2)
    await client.conflicts()
  })
  after(async () => {
    client?.close()
    child?.send('close')
    if (child) await once(child, 'exit')
  })

  it('is loaded while small questions are answered, in short pieces of work', async (t) => {
    await ask('take')
    let isLoaded = false
    const loading = client.attempt(planWith(3, networks(100_000))).finally(() => {
      isLoaded = true
    })
    const counts = { observe: 0, conflicts: 0, hits: 0, devices: 0 }
    const tables: Observation['tables'][number][] = []
    const questions = {
      observe: async () => tables.push(...(await client.observe()).tables),
      conflicts: () => client.conflicts(),
      hits: () => client.hits(),
      devices: () => client.devices(),
    }
    // An answer counts when the load is still under way after it.
    const repeat = async (name: keyof typeof questions): Promise<void> => {
      while (!isLoaded) {
        await questions[name]()
        if (!isLoaded) counts[name] += 1
      }
    }
    await Promise.all([repeat('observe'), repeat('conflicts'), repeat('hits'), repeat('devices')])
    assert.equal((await loading).status, 'applied')
    await client.settle(3)
    const { longestMs } = await ask('take')
    const limitMs = limitInReferences * referenceMs()
    t.diagnostic(`longest piece ${longestMs.toFixed(0)} ms of processor time, limit ${limitMs.toFixed(0)}`)
    t.diagnostic(`answers during the load: ${JSON.stringify(counts)}`)
    for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, `${name} had no answer during the load`)
    const changedByOthers = tables.filter(({ present, asLoaded, isChanging }) => present && !asLoaded && !isChanging)
    assert.deepEqual(changedByOthers, [])
    assert.ok(tables.some(({ isChanging }) => isChanging))
    assert.ok(longestMs < limitMs, `${longestMs} ms of processor time in one piece`)
    assert.deepEqual((await client.observe()).tables[0], { name: 'inet portcullis', present: true, asLoaded: true })
  })
})
