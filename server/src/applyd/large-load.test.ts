// While a list of 100,000 networks is loaded, or compared with the kernel, applyd answers small questions, says that it is
// changing the rules itself, and no piece of its work holds the others up.
// Requirements 69 and 76.

import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { until } from '../../test/support/until.ts'
import type { Observation, Plan } from '../core/plan/artifacts.ts'
import { ApplydClient } from '../gatewayd/apply/client.ts'
import { chain, forwardHead, nft, planOf, set } from './stand-ins/harness.ts'
import type { Question, Stretch } from './stand-ins/watched-applyd.ts'

/** The longest piece that is allowed, in pieces of reference work: 100 ms where one takes 8, as on the machines of the suite. */
const limitInReferences = 12.5
const isStall = ({ longestMs, referenceMs }: Stretch): boolean => longestMs >= limitInReferences * referenceMs
const describeStretch = ({ longestMs, referenceMs }: Stretch): string =>
  `${longestMs.toFixed(0)} ms of processor time, limit ${(limitInReferences * referenceMs).toFixed(0)}`

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
  let namespace: string
  const ask = async (question: Question): Promise<Stretch> => {
    child.send(question)
    return ((await once(child, 'message')) as [Stretch])[0]
  }
  before(async () => {
    child = fork(join(import.meta.dirname, 'stand-ins', 'watched-applyd.ts'))
    const [started] = (await once(child, 'message')) as [{ socketPath: string; namespace: string }]
    namespace = started.namespace
    client = new ApplydClient(started.socketPath)
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

  /** Asks small questions until the work ends. An answer counts when the work is still under way after it. */
  async function askDuring(work: Promise<unknown>) {
    let isDone = false
    const working = work.finally(() => {
      isDone = true
    })
    const counts = { observe: 0, conflicts: 0, hits: 0, devices: 0 }
    const tables: Observation['tables'][number][] = []
    const questions = {
      observe: async () => tables.push(...(await client.observe()).tables),
      conflicts: () => client.conflicts(),
      hits: () => client.hits(),
      devices: () => client.devices(),
    }
    const repeat = async (name: keyof typeof questions): Promise<void> => {
      while (!isDone) {
        await questions[name]()
        if (!isDone) counts[name] += 1
      }
    }
    await Promise.all([working, repeat('observe'), repeat('conflicts'), repeat('hits'), repeat('devices')])
    return { counts, tables }
  }

  async function assertShort(t: TestContext, counts: Readonly<Record<string, number>>): Promise<void> {
    const stretch = await ask('take')
    t.diagnostic(`longest piece ${describeStretch(stretch)}`)
    t.diagnostic(`answers meanwhile: ${JSON.stringify(counts)}`)
    for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, `${name} had no answer meanwhile`)
    assert.ok(!isStall(stretch), describeStretch(stretch))
  }

  it('is loaded while small questions are answered, in short pieces of work', async (t) => {
    await ask('take')
    const loading = client.attempt(planWith(3, networks(100_000)))
    const { counts, tables } = await askDuring(loading)
    assert.equal((await loading).status, 'applied')
    await client.settle(3)
    await assertShort(t, counts)
    const changedByOthers = tables.filter(({ present, asLoaded, isChanging }) => present && !asLoaded && !isChanging)
    assert.deepEqual(changedByOthers, [])
    assert.ok(tables.some(({ isChanging }) => isChanging))
    assert.deepEqual((await client.observe()).tables[0], { name: 'inet portcullis', present: true, asLoaded: true })
  })

  it('is compared with the kernel after another program changed it, in short pieces of work', async (t) => {
    await ask('take')
    const gone = ['delete', 'element', 'inet', 'portcullis', 'a_1', `{ ${network(70_000, 0)} }`]
    const { status, stderr } = spawnSync('/usr/sbin/ip', ['netns', 'exec', namespace, '/usr/sbin/nft', ...gone])
    assert.equal(status, 0, String(stderr))
    const isFound = async (): Promise<boolean> => (await client.observe()).tables[0]?.asLoaded === false
    const { counts } = await askDuring(until('applyd finds that an element is missing', isFound))
    await assertShort(t, counts)
  })

  it('would be found to hold others up', async () => {
    await ask('take')
    await ask(2 * limitInReferences)
    const stretch = await ask('take')
    assert.ok(isStall(stretch), describeStretch(stretch))
  })
})
