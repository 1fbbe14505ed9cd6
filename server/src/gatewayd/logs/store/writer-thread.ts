// The thread that writes the log, seen from the event loop: records are sent in groups and never wait, and what the thread does
// not keep up with is counted. A thread that fails is started again.

import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { GatewayError } from '../../../core/contract/error.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { LogLimits, LogQueue, Mark, StoreState } from '../../../domain/logs/store.ts'
import { say } from '../../../shared/said.ts'
import type { AgingState } from '../../../shared/time/aging.ts'
import type { FromWriter, ToWriter, WriterAnswer, WriterData } from './messages.ts'
import { sendable } from './sent-records.ts'
import type { StoreSizes } from './writer.ts'

export interface WriterThreadOptions {
  readonly path: string
  readonly limits: LogLimits
  readonly writerEntry: URL
  readonly reservePath?: string
  readonly aging?: () => AgingState
  readonly followers?: Readonly<Record<string, unknown>>
  readonly onFault?: (error: unknown) => void
  readonly sizes?: Partial<StoreSizes>
}

/** Records that were sent and not taken yet, and those that are not sent yet, together. */
const mostWaiting = 200_000
/** Records that come within this time are sent together. */
const groupMilliseconds = 50
const groupRecords = 1_000
const restartMilliseconds = 1_000
const maxHeapMb = 1_024
const cacheFolder = getCompileCacheDir()
const compileCache = cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) }

const stopped = say`The log is not written at the moment: its thread is being started again.`

type Waiting = (answer: WriterAnswer | undefined) => void

export class WriterThread {
  readonly #options: WriterThreadOptions
  readonly #news = new Set<(place: number) => void>()
  readonly #told = new Map<string, Set<(message: unknown) => void>>()
  readonly #asked = new Map<number, Waiting>()
  #limits: LogLimits
  #worker: Worker
  #records: NewRecord[] = []
  #marks = new Map<string, Mark>()
  #timer: NodeJS.Timeout | null = null
  /** Sent, and not taken yet. */
  #sent = 0
  #lost = 0
  #lastId = 0
  #isClosed = false
  /** False from the end of a thread until the next one is started. */
  #isRunning = true

  constructor(options: WriterThreadOptions) {
    this.#options = options
    this.#limits = options.limits
    this.#worker = this.#start()
  }

  append(records: readonly NewRecord[], mark?: Mark): void {
    const room = Math.max(0, mostWaiting - this.#sent - this.#records.length)
    if (records.length > room) {
      this.#lost += records.length - room
      this.#post({ is: 'lost', records: records.length - room })
    }
    for (const record of records.length > room ? records.slice(0, room) : records) this.#records.push(record)
    if (mark) this.#marks.set(mark.source, mark)
    if (this.#records.length >= groupRecords) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), groupMilliseconds).unref()
  }

  get queue(): LogQueue {
    return { waiting: this.#sent + this.#records.length, limit: mostWaiting, lost: this.#lost }
  }

  async flush(): Promise<void> {
    this.#send()
    await this.#ask('flush')
  }

  async marks(): Promise<ReadonlyMap<string, string>> {
    this.#send()
    const marks = await this.#ask('marks')
    // Without an answer it is not known how far a source was read, and nothing may be read again.
    if (!marks) throw new GatewayError('unavailable', stopped)
    return marks as ReadonlyMap<string, string>
  }

  async state(): Promise<StoreState> {
    const state = (await this.#ask('state')) as StoreState | null | undefined
    return state ?? this.#stoppedState()
  }

  #stoppedState(): StoreState {
    return { kinds: [], bytes: 0, maxBytes: this.#limits.maxBytes, fault: stopped, lost: 0, place: 0 }
  }

  setLimits(limits: LogLimits): void {
    this.#limits = limits
    this.#post({ is: 'limits', limits })
  }

  verify(): void {
    this.#post({ is: 'verify' })
  }

  tell(follower: string, message: unknown): void {
    this.#post({ is: 'tell', follower, message })
  }

  onNews(listener: (place: number) => void): () => void {
    this.#news.add(listener)
    return () => void this.#news.delete(listener)
  }

  onTold(follower: string, listener: (message: unknown) => void): () => void {
    const own = this.#told.get(follower) ?? new Set()
    this.#told.set(follower, own)
    own.add(listener)
    return () => void own.delete(listener)
  }

  async close(): Promise<void> {
    this.#send()
    this.#isClosed = true
    await this.#ask('close')
    await this.#worker.terminate()
  }

  #send(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    // The next thread gets them.
    if (!this.#isRunning) return
    if (this.#records.length === 0 && this.#marks.size === 0) return
    const records = this.#records
    const marks = [...this.#marks.values()]
    this.#records = []
    this.#marks = new Map()
    this.#sent += records.length
    this.#post({ is: 'append', sent: sendable(records), marks })
  }

  #ask(what: 'flush' | 'marks' | 'state' | 'close'): Promise<WriterAnswer | undefined> {
    if (!this.#isRunning) return Promise.resolve(undefined)
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<WriterAnswer | undefined>()
    this.#asked.set(id, resolve)
    this.#worker.ref()
    this.#post({ is: 'ask', id, what })
    return promise
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message)
  }

  #start(): Worker {
    const { path, writerEntry, reservePath, aging, followers, sizes } = this.#options
    const data: WriterData = {
      path,
      limits: this.#limits,
      reservePath: reservePath ?? null,
      aging: aging?.() ?? null,
      followers: followers ?? {},
      ...(sizes ? { sizes } : {}),
    }
    const worker = new Worker(writerEntry, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
      // Nothing else of the environment: the thread must not have the secrets of the process.
      env: compileCache,
    })
    worker.unref()
    worker.on('message', (message: FromWriter) => this.#take(message))
    worker.on('error', (error) => this.#options.onFault?.(error))
    worker.on('exit', () => this.#ended())
    return worker
  }

  #ended(): void {
    for (const resolve of this.#asked.values()) resolve(undefined)
    this.#asked.clear()
    this.#isRunning = false
    if (this.#isClosed) return
    const lost = this.#sent
    this.#sent = 0
    setTimeout(() => {
      if (this.#isClosed) return
      this.#worker = this.#start()
      this.#isRunning = true
      this.#post({ is: 'lost', records: lost })
      this.#send()
    }, restartMilliseconds).unref()
  }

  #take(message: FromWriter): void {
    switch (message.is) {
      case 'taken':
        this.#sent -= message.records
        return
      case 'news':
        for (const listener of this.#news) listener(message.place)
        return
      case 'told':
        for (const listener of this.#told.get(message.follower) ?? []) listener(message.message)
        return
      case 'answer': {
        this.#asked.get(message.id)?.(message.answer)
        this.#asked.delete(message.id)
        if (this.#asked.size === 0) this.#worker.unref()
      }
    }
  }
}
