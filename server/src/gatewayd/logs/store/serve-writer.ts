// The thread that writes the log: takes records of the event loop and of the followers it runs, and commits them in time.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { DiskReserve } from '../../../core/database/disk-reserve.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Mark } from '../../../domain/logs/store.ts'
import { createAging } from '../../../shared/time/aging.ts'
import type { Follower, FromWriter, Sink, StartFollower, ToWriter, WriterAnswer, WriterData } from './messages.ts'
import { received } from './sent-records.ts'
import { StoreWriter } from './writer.ts'

/** A record is on the disk at most this much after it came; less than the second that a crash may cost. */
const commitMilliseconds = 400
/** How often room is looked for, and how often a disk that took nothing is tried again. */
const tidyMilliseconds = 1_000
const shrinkEvery = 60
/** Looking at all that is stored takes seconds: not for every query that fails. */
const verifyMilliseconds = 60_000

/** The entry file of the thread calls this once. */
export function serveWriter(followers: Readonly<Record<string, StartFollower>>): void {
  const port = parentPort
  if (!port) throw new Error('this file is the entry of a worker thread')
  const thread = new WriterThread(port, workerData as WriterData, followers)
  port.on('message', (message: ToWriter) => thread.take(message))
}

class WriterThread {
  readonly #port: MessagePort
  readonly #writer: StoreWriter
  readonly #running = new Map<string, Follower>()
  readonly #turn: NodeJS.Timeout
  #commitTimer: NodeJS.Timeout | null = null
  #newsPlace: number
  #turns = 0
  #isTidying = false
  #nextVerify = 0

  constructor(port: MessagePort, data: WriterData, followers: Readonly<Record<string, StartFollower>>) {
    const { path, limits, reservePath, aging, sizes, followers: starts } = data
    const reserve = reservePath === null ? null : new DiskReserve(reservePath)
    this.#port = port
    this.#writer = new StoreWriter({
      path,
      limits,
      now: Date.now,
      aging: createAging(undefined, undefined, aging),
      hasRoom: () => reserve?.hasRoomForLogs() ?? true,
      ...(sizes ? { sizes } : {}),
    })
    this.#newsPlace = this.#writer.place
    const sink = this.#createSink()
    for (const [name, start] of Object.entries(followers)) {
      this.#running.set(
        name,
        start(sink, (message) => this.#post({ is: 'told', follower: name, message }), starts[name]),
      )
    }
    this.#turn = setInterval(() => this.#takeTurn(), tidyMilliseconds)
  }

  take(message: ToWriter): void {
    switch (message.is) {
      case 'append':
        this.#append([...received(message.sent)], message.marks)
        this.#post({ is: 'taken', records: message.sent.count })
        break
      case 'limits':
        this.#writer.setLimits(message.limits)
        break
      case 'lost':
        this.#writer.noteLost(message.records)
        break
      case 'verify':
        if (performance.now() < this.#nextVerify) return
        this.#nextVerify = performance.now() + verifyMilliseconds
        this.#writer.verify()
        break
      case 'tell':
        this.#running.get(message.follower)?.take?.(message.message)
        break
      case 'ask':
        this.#ask(message)
    }
  }

  #ask({ id, what }: Extract<ToWriter, { readonly is: 'ask' }>): void {
    void Promise.resolve(this.#answer(what)).then((answer) => {
      this.#post({ is: 'answer', id, answer })
      if (what === 'close') this.#port.close()
    })
  }

  #post(message: FromWriter): void {
    this.#port.postMessage(message)
  }

  #createSink(): Sink {
    return {
      append: (records, mark) => this.#append(records, mark ? [mark] : []),
      marks: () => this.#writer.marks,
      hasRoom: () => this.#writer.hasRoom,
    }
  }

  #append(records: readonly NewRecord[], marks: readonly Mark[]): void {
    this.#writer.append(records, ...marks)
    this.#commitTimer ??= setTimeout(() => this.#commit(), commitMilliseconds)
  }

  #commit(): void {
    if (this.#commitTimer) clearTimeout(this.#commitTimer)
    this.#commitTimer = null
    this.#writer.commit()
    const { place } = this.#writer
    if (place > this.#newsPlace) this.#post({ is: 'news', place })
    this.#newsPlace = place
  }

  #takeTurn(): void {
    if (this.#writer.waiting > 0) this.#commit()
    if (!this.#isTidying) this.#tidy()
    if (++this.#turns % shrinkEvery === 0) this.#writer.shrink()
  }

  /** One step at a time, so that records which come in the meantime are taken between them. */
  #tidy(): void {
    this.#isTidying = this.#writer.tidy()
    if (this.#isTidying) setImmediate(() => this.#tidy())
  }

  #answer(what: 'flush' | 'marks' | 'state' | 'close'): WriterAnswer | Promise<WriterAnswer> {
    switch (what) {
      case 'flush':
        return this.#flush()
      case 'marks':
        return this.#writer.marks
      case 'state':
        return this.#writer.state()
      case 'close':
        return this.#close()
    }
  }

  async #flush(): Promise<null> {
    await Promise.all([...this.#running.values()].map((follower) => follower.refresh?.()))
    this.#commit()
    return null
  }

  async #close(): Promise<null> {
    await Promise.all([...this.#running.values()].map((follower) => follower.stop()))
    clearInterval(this.#turn)
    this.#commit()
    this.#writer.close()
    return null
  }
}
