// Totals of rules survive reloads, reboots and restarts of the gateway, and go with their rule.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Hits } from '../../../core/plan/artifacts.ts'
import { HitCounters } from './hit-counters.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-counters-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0

function bench(path = join(folder, `${++files}.json`)) {
  const world = {
    path,
    seconds: 100,
    epoch: 'first',
    counts: {} as Record<string, number>,
    origins: ['firewall.forward[1]', 'firewall.forward[2]'],
    reads: 0,
    failure: null as Error | null,
    /** How long a reading takes. */
    duration: 0,
  }
  const clock = { boot: 'b', elapsed: () => world.seconds, now: () => new Date(world.seconds * 1000) }
  const hits = async (): Promise<Hits> => {
    world.reads++
    world.seconds += world.duration
    if (world.failure) throw world.failure
    const counts = Object.entries(world.counts).map(([origin, packets]) => ({ origin, packets, bytes: packets * 40 }))
    return { epoch: world.epoch, counts }
  }
  const open = () => new HitCounters({ path, clock, hits, origins: () => world.origins })
  return { world, open }
}

const packetsOf = async (counters: HitCounters): Promise<number[]> =>
  [...(await counters.current()).values()].map(({ packets }) => packets)

describe('hit counters', () => {
  it('show what the kernel counts; a slow reading is trusted for a while, however many ask', async () => {
    const { world, open } = bench()
    const counters = open()
    world.duration = 0.5
    world.counts = { 'firewall.forward[1]': 3, 'fwd.sys.established': 9 }
    assert.deepEqual(await Promise.all([packetsOf(counters), packetsOf(counters)]), [
      [3, 0],
      [3, 0],
    ])
    world.counts = { 'firewall.forward[1]': 5 }
    assert.deepEqual(await packetsOf(counters), [3, 0])
    assert.equal(world.reads, 1)
    world.seconds += 1
    world.duration = 0
    assert.deepEqual(await packetsOf(counters), [5, 0])
    world.counts = { 'firewall.forward[1]': 6 }
    assert.deepEqual(await packetsOf(counters), [6, 0])
  })

  it('say what changed after an earlier reading of the same process', async () => {
    const { world, open } = bench()
    const counters = open()
    const changedAfter = async (cursor: string): Promise<number[] | null> => {
      const { hits, readingOf } = await counters.reading()
      const since = readingOf(cursor)
      return since === null
        ? null
        : [...hits.values()].filter(({ reading }) => reading > since).map(({ bytes }) => bytes)
    }
    world.counts = { 'firewall.forward[1]': 1 }
    const { cursor } = await counters.reading()
    assert.deepEqual(await changedAfter(cursor), [])
    assert.equal((await counters.reading()).cursor, cursor, 'nothing changed')
    world.seconds += 1
    world.counts = { 'firewall.forward[1]': 1, 'firewall.forward[2]': 2 }
    assert.deepEqual(await changedAfter(cursor), [80])
    world.seconds += 1
    world.counts = { 'firewall.forward[1]': 3, 'firewall.forward[2]': 2 }
    assert.deepEqual(await changedAfter(cursor), [120, 80])
    assert.equal((await open().reading()).readingOf(cursor), null)
  })

  it('read files that have no bytes yet', async () => {
    const path = join(folder, 'older.json')
    writeFileSync(path, JSON.stringify({ epoch: 'first', rules: { 'firewall.forward[1]': [4, 3, 50, 60] } }))
    const { world, open } = bench(path)
    world.counts = { 'firewall.forward[1]': 5 }
    const [first] = (await open().current()).values()
    assert.deepEqual([first?.packets, first?.bytes, first?.since], [9, 200, 50])
  })

  it('go on from where they were when the kernel begins again', async () => {
    const { world, open } = bench()
    const counters = open()
    world.counts = { 'firewall.forward[1]': 7 }
    await counters.current()
    world.seconds += 5
    world.epoch = 'second'
    world.counts = { 'firewall.forward[1]': 9 }
    assert.deepEqual(await packetsOf(counters), [16, 0])
    world.seconds += 5
    world.counts = { 'firewall.forward[1]': 10 }
    assert.deepEqual(await packetsOf(counters), [17, 0])
  })

  it('keep the total of a rule that was switched off and on again', async () => {
    const { world, open } = bench()
    const counters = open()
    for (const [count, total] of [
      [4, 4],
      [0, 4],
      [2, 6],
      [3, 7],
    ]) {
      world.counts = { 'firewall.forward[1]': count ?? 0 }
      world.seconds += 2
      assert.deepEqual(await packetsOf(counters), [total, 0])
    }
  })

  it('survive a restart of the gateway, with and without one of the kernel', async () => {
    const { world, open } = bench()
    let counters = open()
    world.counts = { 'firewall.forward[2]': 5 }
    await counters.current()
    counters.close()
    world.seconds += 100
    counters = open()
    world.counts = { 'firewall.forward[2]': 6 }
    assert.deepEqual(await packetsOf(counters), [0, 6])
    counters.close()
    world.seconds += 100
    world.epoch = 'after a reboot'
    world.counts = { 'firewall.forward[2]': 1 }
    counters = open()
    assert.deepEqual(await packetsOf(counters), [0, 7])
  })

  it('are saved after half a minute, so that a crash costs no more', async () => {
    const { world, open } = bench()
    const crashed = open()
    world.counts = { 'firewall.forward[1]': 8 }
    world.seconds += 31
    await crashed.current()
    world.epoch = 'second'
    world.counts = {}
    world.seconds += 2
    assert.deepEqual(await packetsOf(open()), [8, 0])
  })

  it('are dropped with their rule and begin at nothing for a new one', async () => {
    const { world, open } = bench()
    const counters = open()
    world.counts = { 'firewall.forward[1]': 8, 'firewall.forward[2]': 1 }
    await counters.current()
    world.origins = ['firewall.forward[2]', 'firewall.forward[3]']
    world.seconds += 50
    const current = await counters.current()
    assert.deepEqual([...current.keys()], world.origins)
    assert.deepEqual(current.get('firewall.forward[3]'), {
      packets: 0,
      bytes: 0,
      since: 150,
      lastHit: null,
      reading: 2,
    })
    assert.deepEqual(current.get('firewall.forward[2]'), {
      packets: 1,
      bytes: 40,
      since: 100,
      lastHit: 100,
      reading: 1,
    })
  })

  it('answer with what was last known when the kernel cannot be read', async () => {
    const { world, open } = bench()
    const counters = open()
    world.counts = { 'firewall.forward[1]': 8 }
    await counters.current()
    world.failure = new Error('no answer')
    world.seconds += 5
    assert.deepEqual(await packetsOf(counters), [8, 0])
  })

  it('begin again from a damaged file', async () => {
    for (const text of ['', '{', '{"epoch":"x","rules":{"a":["1",2,3,4]}}', 'null', '{"epoch":"x"}']) {
      const { world, open } = bench()
      writeFileSync(world.path, text)
      assert.deepEqual(await packetsOf(open()), [0, 0], text)
    }
  })
})
