// Follows the log store and carries its records to the collector, in their order. The store is the queue: while the collector
// is away only the cursor stays where it is, and nothing is kept in memory beyond one batch. Runs in a separate thread; the settings
// may change at any time.

import { type ForwardedForm, type LineScope, linePrinter } from '../../../domain/logs/forwarded-line.ts'
import type { KeptRecord } from '../../../domain/logs/record.ts'
import type { Followed, ForwardingState } from '../../../domain/logs/store.ts'
import { type SaidText, say, verbatim } from '../../../shared/said.ts'
import { Broken, type Carrier, type OpenCarrier } from './carrier.ts'
import type { Cursor, CursorFile } from './cursor-file.ts'
import { ResendWindow } from './resend-window.ts'
import type { TcpTarget } from './tcp-carrier.ts'

export interface ForwardingTarget extends TcpTarget {
  readonly protocol: 'tcp' | 'udp'
  readonly format: ForwardedForm
  readonly scope: LineScope
}

/** The store, as a forwarder needs it. */
export interface FollowedLog {
  after(place: number, limit: number): Promise<Followed>
  /** The place of the newest record. */
  newest(): Promise<number>
}

export interface ForwarderParts {
  readonly log: FollowedLog
  readonly cursor: CursorFile
  readonly open: (target: ForwardingTarget) => OpenCarrier
  /** Seconds that only ever rise. */
  readonly elapsed: () => number
  /** Resolves after this time, or at once when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
  readonly onState: (state: ForwardingState) => void
}

/** Read at once; a block is looked at again for each of them. */
const batchRecords = 2_000
const firstRetryMilliseconds = 1_000
const lastRetryMilliseconds = 15_000
const saveSeconds = 1
const graceMilliseconds = 500
/** Looked for without news too: news are only a hint. */
const idleMilliseconds = 1_000
/** A store that a crash made forget its last records may use their places again: so many are looked at again. */
const forgottenPlaces = 1_000

export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #window = new ResendWindow()
  #collector = ''
  #hasBegun = false
  #place = 0
  /** The highest place that was delivered; up to there everything is sent for another time. */
  #reached = 0
  #lost = 0
  #delivered = 0
  #repeated = 0
  #oldest: number | null = null
  #isConnected = false
  #fault: SaidText | null = null
  #saveFault: SaidText | null = null
  #saved: Cursor | null = null
  #savedAt = Number.NEGATIVE_INFINITY
  #running: { readonly controller: AbortController; readonly done: Promise<void> } | null = null
  /** Ends the wait that is under way, whatever for. Long waits for promises that stay would add up in memory. */
  #wait = new AbortController()
  #hasNews = false

  constructor(parts: ForwarderParts) {
    this.#parts = parts
  }

  /** Goes on to another collector from where the last one was, or ends. Calls must not overlap. */
  async follow(target: ForwardingTarget | null): Promise<void> {
    await this.stop()
    if (target === null) {
      this.#parts.cursor.remove()
      this.#hasBegun = false
      return
    }
    const collector = `${target.protocol} ${target.host} ${target.port}`
    if (collector !== this.#collector) this.#window.clear()
    this.#collector = collector
    const controller = new AbortController()
    this.#running = { controller, done: this.#run(target, controller.signal) }
  }

  /** New records can be read. */
  wake(): void {
    this.#hasNews = true
    this.#wait.abort()
  }

  async stop(): Promise<void> {
    this.#running?.controller.abort()
    await this.#running?.done
    this.#running = null
  }

  async #run(target: ForwardingTarget, signal: AbortSignal): Promise<void> {
    const open = this.#parts.open(target)
    const print = framedPrinter(target)
    this.#fault = null
    for (let retry = firstRetryMilliseconds; !signal.aborted; retry = Math.min(retry * 2, lastRetryMilliseconds)) {
      const deliveredBefore = this.#delivered
      try {
        if (!this.#hasBegun) await this.#begin()
        await this.#carry(await open(signal), print, signal)
      } catch (error) {
        this.#isConnected = false
        if (signal.aborted) break
        this.#fault = verbatim(error instanceof Error ? error.message : String(error))
        if (error instanceof Broken && target.protocol === 'tcp') this.#rewind(error.wasClosed)
        if (this.#delivered > deliveredBefore) retry = firstRetryMilliseconds
        await this.#lookAhead()
        this.#tell()
        await this.#parts.pause(retry, signal)
      }
    }
    this.#isConnected = false
    this.#save(true)
    this.#tell()
  }

  /** From where the last process was, or, when forwarding was just switched on, from now. */
  async #begin(): Promise<void> {
    const known = this.#parts.cursor.read()
    const newest = await this.#parts.log.newest()
    this.#lost = known?.lost ?? 0
    if (known === null) this.#place = newest
    else this.#place = known.place <= newest ? known.place : Math.max(0, newest - forgottenPlaces)
    this.#reached = this.#place
    this.#hasBegun = true
    this.#saved = null
    this.#window.clear()
    this.#save(true)
  }

  async #carry(carrier: Carrier, print: (record: KeptRecord) => Buffer, signal: AbortSignal): Promise<void> {
    this.#isConnected = true
    this.#fault = null
    this.#tell()
    let end: Broken | null = null
    const interrupt = (): void => this.#wait.abort()
    signal.addEventListener('abort', interrupt)
    void carrier.broken.then((reason) => {
      end = reason
      interrupt()
    })
    try {
      while (!signal.aborted) {
        this.#hasNews = false
        const followed = await this.#parts.log.after(this.#place, batchRecords)
        if (followed.records.length > 0) await this.#deliver(followed, carrier, print, signal)
        else if (followed.place > this.#place) this.#moveTo(followed)
        else if (!this.#hasNews && !end) await this.#pause(idleMilliseconds)
        if (signal.aborted) break
        if (end) throw end
        this.#save(false)
        this.#tell(carrier.hindrance)
      }
    } finally {
      signal.removeEventListener('abort', interrupt)
      carrier.close()
    }
  }

  /** Records that are gone are counted once, and those that were delivered before not at all. */
  #moveTo({ records, place, lost }: Followed): void {
    const known = Math.max(this.#place, this.#reached)
    const missing = place - known - records.filter((record) => record.place > known).length
    this.#lost += Math.max(0, Math.min(lost, missing))
    this.#place = place
    this.#reached = Math.max(this.#reached, place)
  }

  async #deliver(
    followed: Followed,
    carrier: Carrier,
    print: (record: KeptRecord) => Buffer,
    signal: AbortSignal,
  ): Promise<void> {
    const { records } = followed
    this.#oldest = records[0]?.time ?? null
    const lines = records.map(print)
    let isOver = false
    const over = (): void => {
      isOver = true
      this.#wait.abort()
    }
    const sending = carrier.send(lines)
    sending.then(over, over)
    // A collector that does not read is shown while it does not.
    while (!isOver && !signal.aborted) {
      await this.#pause(idleMilliseconds)
      if (!isOver) this.#tell(carrier.hindrance)
    }
    // What is on its way may still arrive, and is then not sent again.
    const deadline = this.#parts.elapsed() + graceMilliseconds / 1000
    while (!isOver && this.#parts.elapsed() < deadline) await this.#pause(graceMilliseconds)
    if (!isOver) return
    await sending
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    this.#window.add(this.#place, bytes, this.#parts.elapsed())
    this.#delivered += records.length
    this.#repeated += records.filter((record) => record.place <= this.#reached).length
    this.#moveTo(followed)
    this.#oldest = null
  }

  async #pause(milliseconds: number): Promise<void> {
    this.#wait = new AbortController()
    await this.#parts.pause(milliseconds, this.#wait.signal)
  }

  #rewind(wasClosed: boolean): void {
    const place = this.#window.resumeAt(wasClosed, this.#parts.elapsed())
    this.#window.clear()
    if (place === null) return
    this.#place = place
    this.#save(true)
  }

  /** While the collector is away, the oldest record that waits is still worth knowing. */
  async #lookAhead(): Promise<void> {
    try {
      const { records } = await this.#parts.log.after(this.#place, 1)
      this.#oldest = records[0]?.time ?? null
    } catch {
      // The next attempt reads again and says why it cannot.
    }
  }

  #save(isUrgent: boolean): void {
    const now = this.#parts.elapsed()
    if (this.#saved?.place === this.#place && this.#saved.lost === this.#lost) return
    if (!isUrgent && now - this.#savedAt < saveSeconds) return
    const cursor = { place: this.#place, lost: this.#lost }
    this.#savedAt = now
    try {
      this.#parts.cursor.write(cursor)
      this.#saved = cursor
      this.#saveFault = null
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#saveFault = say`How far the log was forwarded cannot be stored, so a restart would send records again: ${reason}.`
    }
  }

  #tell(hindrance: SaidText | null = null): void {
    this.#parts.onState({
      isConnected: this.#isConnected,
      place: this.#place,
      lost: this.#lost,
      delivered: this.#delivered,
      repeated: this.#repeated,
      oldest: this.#oldest,
      fault: this.#fault ?? hindrance ?? this.#saveFault,
    })
  }
}

/** On TCP messages have their length before them (RFC 6587, 3.4.1); CEF lines, which never hold a line break, end with one. */
function framedPrinter({ protocol, format, scope }: ForwardingTarget): (record: KeptRecord) => Buffer {
  const print = linePrinter(format, scope)
  if (protocol === 'udp') return print
  if (format === 'cef') return (record) => Buffer.concat([print(record), lineBreak])
  return (record) => {
    const line = print(record)
    return Buffer.concat([Buffer.from(`${line.length} `), line])
  }
}
const lineBreak = Buffer.from('\n')
