// Forwarding with collectors that only exist in the test: order, breaks, restarts, settings that change, records that are gone.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { until } from '../../../../test/support/until.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Followed, ForwardingState } from '../../../domain/logs/store.ts'
import { type SaidText, say, verbatim } from '../../../shared/said.ts'
import { Broken, type Carrier } from './carrier.ts'
import type { Cursor, CursorFile } from './cursor-file.ts'
import { Forwarder, type ForwardingTarget } from './forwarder.ts'

const target: ForwardingTarget = {
  host: '192.0.2.5',
  port: 514,
  protocol: 'tcp',
  format: 'cef',
  tls: null,
  scope: { hostName: 'gate', timeZone: 'UTC', brand: 'portcullis', version: '1' },
}

const recordOf = (number: number): NewRecord => ({
  kind: 'system',
  time: number * 1_000_000,
  priority: 6,
  unit: 'unbound',
  syslogId: 'unbound',
  message: verbatim(`number ${number}.`),
  fields: {},
})

/** Takes what it is sent, until it is told not to. */
class Collector {
  readonly taken: number[] = []
  readonly connections: ((reason: Broken) => void)[] = []
  isAway = false
  isHung = false
  hindrance: SaidText | null = null
  /** Breaks in the middle of this delivery. */
  breaksAt: number | null = null
  closed = 0

  open(): Promise<Carrier> {
    if (this.isAway) return Promise.reject(new Broken(say`The collector is away.`))
    const { promise: broken, resolve } = Promise.withResolvers<Broken>()
    this.connections.push(resolve)
    const collector = this
    return Promise.resolve({
      broken,
      get hindrance() {
        return collector.hindrance
      },
      send: (lines) => this.#take(lines),
      close: () => void this.closed++,
    })
  }

  #take(lines: readonly Buffer[]): Promise<void> {
    if (this.isHung) return Promise.withResolvers<void>().promise
    const numbers = lines.map((line) => Number(/number (\d+)\./.exec(line.toString())?.[1]))
    const stop = this.breaksAt === null ? -1 : numbers.indexOf(this.breaksAt)
    if (stop < 0) {
      this.taken.push(...numbers)
      return Promise.resolve()
    }
    this.breaksAt = null
    this.taken.push(...numbers.slice(0, stop))
    return Promise.reject(new Broken(say`The collector reset the connection.`))
  }
}

class MemoryCursor implements CursorFile {
  kept: Cursor | null = null
  writes = 0
  isFull = false
  read = (): Cursor | null => this.kept
  write(cursor: Cursor): void {
    if (this.isFull) throw new Error('no space left on device')
    this.writes++
    this.kept = cursor
  }
  remove(): void {
    this.kept = null
  }
}

class Lab {
  readonly store = new NaiveLogStore({})
  readonly cursor = new MemoryCursor()
  readonly collectors = new Map<string, Collector>()
  /** Places up to here are no longer kept. */
  removed = 0
  elapsed = 0
  pauses: number[] = []
  state: ForwardingState | null = null
  #written = 0

  collector(host = target.host): Collector {
    const known = this.collectors.get(host) ?? new Collector()
    this.collectors.set(host, known)
    return known
  }

  write(count: number): void {
    this.store.append(Array.from({ length: count }, () => recordOf(++this.#written)))
  }

  start(): Forwarder {
    const forwarder = new Forwarder({
      log: {
        after: (place, limit) => this.#after(place, limit),
        newest: async () => (await this.store.state()).place,
      },
      cursor: this.cursor,
      open:
        ({ host }) =>
        () =>
          this.collector(host).open(),
      elapsed: () => this.elapsed,
      pause: (milliseconds, signal) => this.#pause(milliseconds, signal),
      onState: (state) => {
        this.state = state
      },
    })
    this.store.onNews(() => forwarder.wake())
    return forwarder
  }

  async #after(place: number, limit: number): Promise<Followed> {
    const lost = Math.max(0, this.removed - place)
    return { ...(await this.store.after(Math.max(place, this.removed), limit)), lost }
  }

  /** Time passes at once, but everything else has its turn. */
  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(milliseconds)
    this.elapsed += milliseconds / 1000
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => setImmediate(resolve))
  }
}

const upTo = (count: number, first = 1): number[] => Array.from({ length: count - first + 1 }, (_, at) => first + at)

const withoutRepeats = (numbers: readonly number[]): number[] => [...new Set(numbers)]

describe('the forwarder', () => {
  it('sends what is written after it was switched on, in order', async () => {
    const lab = new Lab()
    lab.write(10)
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(5_000)
    await until('all are there', () => lab.collector().taken.length >= 5_000)
    assert.deepEqual(lab.collector().taken, upTo(5_010, 11))
    await forwarder.stop()
    assert.deepEqual(lab.cursor.kept, { place: 5_010, lost: 0 })
    assert.equal(lab.collector().closed, 1)
  })

  it('waits while the collector is away, asks less and less often, and then sends everything', async () => {
    const lab = new Lab()
    lab.collector().isAway = true
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it has begun', () => lab.state !== null)
    lab.write(3_000)
    await until('the oldest is known', () => lab.state?.oldest === 1_000_000 && lab.pauses.includes(15_000))
    assert.deepEqual(lab.pauses.slice(0, 5), [1_000, 2_000, 4_000, 8_000, 15_000])
    assert.equal(lab.state?.fault, 'The collector is away.')
    assert.equal(lab.state?.isConnected, false)
    lab.collector().isAway = false
    await until('all are there', () => lab.collector().taken.length === 3_000)
    assert.deepEqual(lab.collector().taken, upTo(3_000))
    await until('nothing waits', () => lab.state?.oldest === null && lab.state.fault === null)
    await forwarder.stop()
  })

  it('loses nothing when the connection breaks, repeats little and keeps the order', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.collector().breaksAt = 7_321
    lab.write(20_000)
    await until('all are there', () => lab.collector().taken.at(-1) === 20_000)
    const { taken } = lab.collector()
    assert.deepEqual(withoutRepeats(taken), upTo(20_000))
    const falls = taken.filter((number, at) => at > 0 && number <= (taken[at - 1] ?? 0))
    assert.equal(falls.length, 1, 'it goes back once')
    await until('it is said', () => (lab.state?.repeated ?? 0) > 0)
    assert.equal(lab.collector().connections.length, 2)
    await forwarder.stop()
  })

  it('connects again when the collector closes an idle connection, and repeats only the last seconds', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(100)
    await until('they are there', () => lab.collector().taken.length === 100)
    lab.elapsed += 60
    lab.collector().connections[0]?.(new Broken(say`The collector closed the connection.`, true))
    await until('it is connected again', () => lab.collector().connections.length === 2)
    lab.write(1)
    await until('the next one is there', () => lab.collector().taken.at(-1) === 101)
    assert.deepEqual(lab.collector().taken, upTo(101))
    lab.collector().connections[1]?.(new Broken(say`The collector reset the connection.`))
    await until('it is connected a third time', () => lab.collector().connections.length === 3)
    lab.write(1)
    await until('what was sent since came again', () => lab.collector().taken.at(-1) === 102)
    assert.deepEqual(lab.collector().taken.slice(101), [101, 102])
    await forwarder.stop()
  })

  it('goes on after a crash from what was stored last', async () => {
    const lab = new Lab()
    const first = lab.start()
    await first.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(500)
    await until('they are there, and that is stored', () => lab.cursor.kept?.place === 500)
    lab.collector().isHung = true
    lab.write(500)
    // The first one is left as a killed process leaves it.
    lab.collector().isHung = false
    const second = lab.start()
    await second.follow(target)
    await until('all are there', () => lab.collector().taken.at(-1) === 1_000)
    assert.deepEqual(withoutRepeats(lab.collector().taken), upTo(1_000))
    await Promise.all([first.stop(), second.stop()])
  })

  it('stores how far it is at most once a second', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    const before = { writes: lab.cursor.writes, elapsed: lab.elapsed }
    for (let round = 1; round <= 50; round++) {
      lab.write(20)
      await until('they are there', () => lab.collector().taken.length === round * 20)
    }
    assert.ok(lab.cursor.writes - before.writes <= lab.elapsed - before.elapsed + 1)
    await forwarder.stop()
  })

  it('takes other settings at any time, even when the collector does not read', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(100)
    await until('they are there', () => lab.collector().taken.length === 100)
    lab.collector().isHung = true
    lab.collector().hindrance = verbatim('The collector does not read what it is sent.')
    lab.write(100)
    await until('it is shown', () => lab.state?.fault === 'The collector does not read what it is sent.')
    assert.equal(lab.state?.oldest, 101_000_000)
    await forwarder.follow({ ...target, host: '192.0.2.6' })
    await until('the other one has the rest', () => lab.collector('192.0.2.6').taken.length === 100)
    assert.deepEqual(lab.collector('192.0.2.6').taken, upTo(200, 101))
    await forwarder.stop()
  })

  it('begins with the newest record when it was switched off in between', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    await forwarder.follow(null)
    assert.equal(lab.cursor.kept, null)
    lab.write(100)
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(1)
    await until('it is there', () => lab.collector().taken.length === 1)
    assert.deepEqual(lab.collector().taken, [101])
    await forwarder.stop()
  })

  it('counts records that were removed before they could be sent, once', async () => {
    const lab = new Lab()
    lab.collector().isAway = true
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it has begun', () => lab.state !== null)
    lab.write(1_000)
    lab.removed = 300
    lab.collector().breaksAt = 500
    lab.collector().isAway = false
    await until('the rest is there', () => lab.collector().taken.at(-1) === 1_000)
    assert.deepEqual(withoutRepeats(lab.collector().taken), upTo(1_000, 301))
    await until('it is said', () => lab.state?.lost === 300)
    await forwarder.stop()
    assert.equal(lab.cursor.kept?.lost, 300)
  })

  it('does not count records as lost that were delivered before', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(100)
    await until('they are there', () => lab.collector().taken.length === 100)
    lab.removed = 90
    lab.collector().connections[0]?.(new Broken(say`The collector reset the connection.`))
    await until('the last ones came again', () => lab.collector().taken.length === 110)
    assert.equal(lab.state?.lost, 0)
    await forwarder.stop()
  })

  it('goes on when the log was begun again', async () => {
    const lab = new Lab()
    lab.cursor.kept = { place: 5_000_000, lost: 2 }
    lab.write(20)
    const forwarder = lab.start()
    await forwarder.follow(target)
    await until('they are there', () => lab.collector().taken.length === 20)
    assert.equal(lab.state?.lost, 2)
    await forwarder.stop()
  })

  it('goes on while the disk is full, and says what that means', async () => {
    const lab = new Lab()
    const forwarder = lab.start()
    lab.cursor.isFull = true
    await forwarder.follow(target)
    await until('it is connected', () => lab.state?.isConnected === true)
    lab.write(10)
    await until('they are there', () => lab.collector().taken.length === 10)
    assert.match(lab.state?.fault ?? '', /cannot be stored, so a restart would send records again: no space left/)
    lab.cursor.isFull = false
    await until('it is stored', () => lab.cursor.kept?.place === 10)
    await until('nothing is wrong', () => lab.state?.fault === null)
    await forwarder.stop()
  })
})
