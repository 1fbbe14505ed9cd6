// Checks settle when looks agree, and those who are notified learn of it once, also across restarts and full disks.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { FakeClock } from '../../../../test/support/test-gateway.ts'
import type { Deliver, Finding, HealthState, Level, Notice, Settled, Target } from '../../../core/contract/health.ts'
import { verbatim } from '../../../shared/said.ts'
import { HealthMemory } from './health-memory.ts'
import { agreeing, type HealthCheck, HealthMonitor } from './monitor.ts'
import { Notifier } from './notifier.ts'

let folder = ''
let clock: FakeClock
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-health-'))
  clock = new FakeClock()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const finding = (state: HealthState, id = 'unit.dns'): Finding => ({
  id,
  title: verbatim(`Title of ${id}`),
  state,
  message: verbatim(`It is ${state}.`),
  advice: '' as const,
})

interface Bench {
  readonly monitor: HealthMonitor
  readonly memory: HealthMemory
  readonly settled: [string, Level, Level][]
  readonly changed: HealthCheck[]
  readonly faults: unknown[]
  look(...states: readonly (HealthState | null)[]): Promise<void>
}

/** As after a restart when it is called again: the file is that of before. */
function start(targets: readonly Target[] = []): Bench {
  const memory = new HealthMemory(join(folder, 'health.json'))
  const settled: Bench['settled'] = []
  const faults: unknown[] = []
  let next: readonly Finding[] | null = []
  const monitor = new HealthMonitor({
    clock,
    settled: memory.settled,
    onSettled: (change, before) => {
      settled.push([change.id, before, change.level])
      memory.settle(change, before, targets)
    },
    onFault: (_, error) => void faults.push(error),
    sourceMilliseconds: 50,
  })
  const changed: HealthCheck[] = []
  monitor.onChanged((check) => changed.push(check))
  monitor.add({ name: 'units', check: () => next })
  const look = async (...states: readonly (HealthState | null)[]): Promise<void> => {
    for (const state of states) {
      clock.advance(10)
      next = state === null ? null : [finding(state)]
      await monitor.look()
    }
  }
  return { monitor, memory, settled, changed, faults, look }
}

const stateOf = ({ monitor }: Bench): HealthState | undefined =>
  monitor.list().find(({ id }) => id === 'unit.dns')?.state

describe('a check', () => {
  it('settles only when three looks in a row agree', async () => {
    const bench = start()
    await bench.look('ok', 'failed', 'failed', 'ok', 'failed', 'failed')
    assert.deepEqual(bench.settled, [])
    await bench.look('failed', 'failed', 'ok', 'ok', 'failed', 'ok', 'ok', 'ok')
    assert.deepEqual(bench.settled, [
      ['unit.dns', 0, 2],
      ['unit.dns', 2, 0],
    ])
    assert.equal(agreeing, 3)
  })

  it('that goes to and fro between two bad levels settles on the milder one', async () => {
    const bench = start()
    await bench.look('failed', 'warning', 'failed', 'warning', 'failed', 'warning', 'failed')
    assert.deepEqual(bench.settled, [['unit.dns', 0, 1]])
    await bench.look('failed', 'failed')
    assert.deepEqual(bench.settled.at(-1), ['unit.dns', 1, 2])
  })

  it('that cannot be looked at is unknown, and settles nothing', async () => {
    const bench = start()
    await bench.look('failed', 'failed', 'failed', null, null, null, null)
    assert.deepEqual(bench.settled, [['unit.dns', 0, 2]])
    assert.equal(stateOf(bench), 'unknown')
    await bench.look('ok', null, 'ok', null, 'ok')
    assert.deepEqual(bench.settled.at(-1), ['unit.dns', 2, 0])
  })

  it('whose source throws or hangs is unknown, and the other sources are asked', async () => {
    const bench = start()
    await bench.look('ok')
    const { monitor } = bench
    let answer: () => Promise<Finding[]> = async () => [finding('ok', 'broken')]
    monitor.add({ name: 'broken', check: () => answer() })
    monitor.add({ name: 'last', check: () => [finding('warning', 'last')] })
    await bench.look('ok')
    answer = async () => {
      throw new Error('on purpose')
    }
    await bench.look('ok', 'ok')
    assert.deepEqual(
      monitor.list().map(({ id, state }) => [id, state]),
      [
        ['unit.dns', 'ok'],
        ['broken', 'unknown'],
        ['last', 'warning'],
      ],
    )
    assert.equal(bench.faults.length, 1)
    answer = () => new Promise(() => {})
    await bench.look('ok')
    assert.equal(monitor.list().find(({ id }) => id === 'broken')?.state, 'unknown')
  })

  it('that is not listed any more recovers and is forgotten', async () => {
    const bench = start()
    let findings = [finding('failed', 'unit.gone')]
    bench.monitor.add({ name: 'others', check: () => findings })
    await bench.look('ok', 'ok', 'ok')
    assert.deepEqual(bench.settled, [['unit.gone', 0, 2]])
    findings = []
    await bench.look('ok')
    assert.deepEqual(
      bench.monitor.list().map(({ id }) => id),
      ['unit.dns'],
    )
    await bench.look('ok', 'ok')
    assert.deepEqual(bench.settled.at(-1), ['unit.gone', 2, 0])
    assert.deepEqual(bench.memory.settled, [])
  })

  it('knows since when it is in its state, also after a restart', async () => {
    const first = start()
    await first.look('ok', 'failed')
    const since = clock.wall / 1000
    await first.look('failed', 'failed', 'failed')
    assert.equal(first.monitor.list()[0]?.since, since)
    assert.deepEqual(
      first.changed.map(({ state }) => state),
      ['failed'],
    )
    const second = start()
    assert.equal(stateOf(second), 'unknown')
    clock.advance(1000)
    await second.look('failed')
    assert.equal(second.monitor.list()[0]?.since, since + 20)
  })

  it('of a queue without a limit shows what waits', async () => {
    const bench = start()
    bench.monitor.addQueue({ name: 'any', title: verbatim('Any'), limit: null, length: () => 1_000_000, lost: () => 2 })
    await bench.look('ok')
    const { state, message } = bench.monitor.list().find(({ id }) => id === 'queue.any') ?? {}
    assert.deepEqual([state, message], ['ok', '1000000 wait. 2 were lost since the start.'])
  })

  it('of a queue warns before the limit and counts what was lost', async () => {
    const bench = start()
    let [length, lost] = [0, 0]
    bench.monitor.addQueue({ name: 'mail', title: verbatim('Mail'), limit: 10, length: () => length, lost: () => lost })
    const states: (string | undefined)[] = []
    for (const [now, gone] of [
      [7, 0],
      [8, 0],
      [10, 3],
    ] as const) {
      ;[length, lost] = [now, gone]
      await bench.look('ok')
      const check = bench.monitor.list().find(({ id }) => id === 'queue.mail')
      states.push(check?.state, check?.message)
    }
    assert.deepEqual(states, [
      'ok',
      '7 of at most 10 wait.',
      'warning',
      '8 of at most 10 wait.',
      'failed',
      '10 of at most 10 wait. 3 were lost since the start.',
    ])
  })
})

describe('a notice', () => {
  const targets: readonly Target[] = [
    { id: 'strict', from: 1 },
    { id: 'calm', from: 2 },
  ]
  const kinds = ({ memory }: Bench, target: string): string[] => memory.waiting(target).map(({ kind }) => kind)

  it('is made once when a check passes the level of a target, and once when it returns', async () => {
    const bench = start(targets)
    await bench.look('warning', 'warning', 'warning', 'warning', 'warning')
    assert.deepEqual([kinds(bench, 'strict'), kinds(bench, 'calm')], [['failed'], []])
    await bench.look('failed', 'failed', 'failed', 'failed')
    assert.deepEqual([kinds(bench, 'strict'), kinds(bench, 'calm')], [['failed'], ['failed']])
    await bench.look('warning', 'warning', 'warning')
    assert.deepEqual([kinds(bench, 'strict'), kinds(bench, 'calm')], [['failed'], ['failed', 'recovered']])
    await bench.look('ok', 'ok', 'ok')
    assert.deepEqual(kinds(bench, 'strict'), ['failed', 'recovered'])
  })

  it('is not made again after a restart while the state is the same, and recovery is still reported', async () => {
    await start(targets).look('failed', 'failed', 'failed')
    const second = start(targets)
    await second.look('failed', 'failed', 'failed', 'failed')
    assert.deepEqual(kinds(second, 'calm'), ['failed'])
    const third = start(targets)
    await third.look('ok', 'ok', 'ok')
    assert.deepEqual(kinds(third, 'calm'), ['failed', 'recovered'])
  })

  it('is kept in memory while the disk takes nothing, and written when it does', async () => {
    const blocked = join(folder, 'health.json.new')
    mkdirSync(blocked)
    writeFileSync(join(blocked, 'in-the-way'), '')
    const bench = start(targets)
    await bench.look('failed', 'failed', 'failed')
    assert.deepEqual(kinds(bench, 'calm'), ['failed'])
    assert.equal(bench.memory.isWritten, false)
    rmSync(blocked, { recursive: true })
    bench.memory.tidy(clock.wall / 1000)
    assert.equal(bench.memory.isWritten, true)
    assert.deepEqual(kinds(start(targets), 'calm'), ['failed'])
  })

  it('is not lost with a file that is damaged: checks settle again', async () => {
    writeFileSync(join(folder, 'health.json'), '{"settled":[{')
    const bench = start(targets)
    await bench.look('failed', 'failed', 'failed')
    assert.deepEqual(kinds(bench, 'calm'), ['failed'])
  })

  it('is bounded for a target that is away: the oldest are dropped and counted', () => {
    const memory = new HealthMemory(join(folder, 'health.json'))
    const change = (level: Level, index: number): Settled => ({
      id: `check.${index}`,
      title: '',
      source: '',
      message: '' as const,
      advice: '' as const,
      level,
      time: 1000 + index,
    })
    for (let index = 0; index < 130; index++) memory.settle(change(2, index), 0, targets)
    assert.equal(memory.waiting('calm').length, 100)
    assert.equal(memory.waiting('calm')[0]?.change.id, 'check.30')
    assert.equal(memory.lost, 60)
    memory.tidy(1130 + 3 * 86_400)
    assert.deepEqual([...memory.targets], [])
  })
})

describe('the notifier', () => {
  const change: Settled = {
    id: 'disk',
    title: verbatim('Disk'),
    source: 'disk',
    message: '' as const,
    advice: '' as const,
    level: 2,
    time: 1000,
  }
  const target: Target = { id: 'mail', from: 2 }

  function bench(deliver: (notices: readonly Notice[]) => ReturnType<Deliver>) {
    const memory = new HealthMemory(join(folder, 'health.json'))
    const sent: (readonly Notice[])[] = []
    let isWanted = true
    const notifier = new Notifier({
      memory,
      clock,
      aging: () => clock.now().getTime(),
      isWanted: () => isWanted,
      deliver: (_, notices) => {
        sent.push(notices)
        return deliver(notices)
      },
    })
    const look = async (): Promise<void> => {
      notifier.look()
      await notifier.idle()
    }
    const disable = (): void => {
      isWanted = false
    }
    return { memory, notifier, sent, look, disable }
  }

  it('delivers what waits together, and only once', async () => {
    clock.wall = 1_000_000
    const { memory, sent, look, notifier } = bench(async () => null)
    memory.settle(change, 0, [target])
    memory.settle({ ...change, id: 'memory' }, 0, [target])
    await look()
    await look()
    assert.deepEqual(
      sent.map((notices) => notices.map(({ change: { id } }) => id)),
      [['disk', 'memory']],
    )
    assert.deepEqual(notifier.stateOf('mail'), { waiting: 0, fault: null, deliveredAt: 1000 })
    assert.deepEqual([...new HealthMemory(join(folder, 'health.json')).targets], [])
  })

  it('tries again after a pause that grows, with the same notices', async () => {
    clock.wall = 1_000_000
    const { memory, sent, look, notifier } = bench(async () => 'The server is away.')
    memory.settle(change, 0, [target])
    const tries: number[] = []
    for (let seconds = 0; seconds < 4 * 3_600; seconds += 10) {
      const before = sent.length
      await look()
      if (sent.length > before) tries.push(seconds)
      clock.advance(10)
    }
    assert.deepEqual(tries, [0, 30, 90, 210, 450, 930, 1890, 3810, 7410, 11010])
    assert.equal(new Set(sent.map(([notice]) => notice?.id)).size, 1)
    assert.equal(notifier.stateOf('mail').fault, 'The server is away.')
    notifier.forget('mail')
    await look()
    assert.equal(sent.length, tries.length + 1)
  })

  it('sends a message that failed again as it was: it may have arrived, and what came since is another one', async () => {
    clock.wall = 1_000_000
    let fault: string | null = 'The answer was cut off.'
    const { memory, sent, look } = bench(async () => fault)
    memory.settle(change, 0, [target])
    await look()
    memory.settle({ ...change, id: 'memory' }, 0, [target])
    clock.advance(40)
    await look()
    fault = null
    clock.advance(100)
    await look()
    await look()
    assert.deepEqual(
      sent.map((notices) => notices.map(({ change: { id } }) => id)),
      [['disk'], ['disk'], ['disk'], ['memory']],
    )
  })

  it('does not send again what some of the recipients got, and says who did not', async () => {
    clock.wall = 1_000_000
    const { memory, sent, look, notifier } = bench(async () => ({ note: 'The server refused b@example.test.' }))
    memory.settle(change, 0, [target])
    await look()
    clock.advance(4_000)
    await look()
    assert.equal(sent.length, 1)
    assert.equal(notifier.stateOf('mail').fault, 'The server refused b@example.test.')
  })

  it('does not begin a second message while one is under way, and an error is a fault', async () => {
    clock.wall = 1_000_000
    const gate = Promise.withResolvers<null>()
    const { memory, sent, notifier } = bench(() => gate.promise)
    memory.settle(change, 0, [target])
    notifier.look()
    notifier.look()
    assert.equal(sent.length, 1)
    gate.reject(new Error('broken off'))
    await notifier.idle()
    assert.equal(notifier.stateOf('mail').fault, 'broken off')
    assert.equal(memory.waiting('mail').length, 1)
  })

  it('forgets what waits for a target that is gone', async () => {
    clock.wall = 1_000_000
    const { memory, sent, look, disable } = bench(async () => null)
    memory.settle(change, 0, [target])
    disable()
    await look()
    assert.deepEqual([sent.length, memory.waiting('mail').length], [0, 0])
  })
})
