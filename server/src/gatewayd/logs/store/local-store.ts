// The log store of one gateway, as the event loop has it: records go to the thread that writes, questions to worker threads. Each
// owner has a few places for questions, a question has a time limit, and its rows come in pieces, whatever their number.

import { GatewayError } from '../../../core/contract/error.ts'
import { maxRows } from '../../../core/contract/table-query.ts'
import { WorkerPool } from '../../../core/workers/pool.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type {
  Asker,
  Bucket,
  BucketQuestion,
  Followed,
  FoundRows,
  LogLimits,
  LogQueue,
  LogStore,
  Mark,
  Question,
  StoreState,
  SumQuestion,
  Sums,
  TextPiece,
} from '../../../domain/logs/store.ts'
import { say } from '../../../shared/said.ts'
import type { AgingState } from '../../../shared/time/aging.ts'
import type { Position } from './newest.ts'
import type { FoundPage } from './reader.ts'
import type { StoreTasks, StoreWorkerData } from './reader-tasks.ts'
import { hasSearch, joinPages } from './shared-search.ts'
import type { StoreSizes } from './writer.ts'
import { WriterThread } from './writer-thread.ts'

export interface LocalLogStoreOptions {
  /** The file, logs.db. */
  readonly path: string
  readonly limits: LogLimits
  /** log-writer.ts and log-worker.ts. */
  readonly writerEntry: URL
  readonly workerEntry: URL
  readonly reservePath?: string
  /** What is known of the time by which records become too old, whenever the thread starts. */
  readonly aging?: () => AgingState
  /** For each follower of the thread that writes what it starts with. */
  readonly followers?: Readonly<Record<string, unknown>>
  /** Called when the thread that writes ended; it is started again. */
  readonly onFault?: (error: unknown) => void
  readonly timeLimitMs?: number
  readonly sizes?: Partial<StoreSizes>
}

const defaultTimeLimitMs = 20_000
/** Two of them share a search; one is left for other owners. */
const readers = 3
/** Queries of one owner at once, and how many more of them may wait (docs/behaviour/security.md 35). */
const atOncePerOwner = 4
const waitingPerOwner = 12
/** Rows turned into text in one go; at most about one megabyte. */
const shownAtOnce = 200
/** Of an answer that is too long to be listed; a block is looked through for each of them. */
const streamedAtOnce = 2_000

/** Those who follow the log are the gateway itself. */
const followingOwner = ''
const never = new AbortController().signal

export class LocalLogStore implements LogStore {
  readonly #writer: WriterThread
  readonly #pool: WorkerPool<StoreTasks>
  readonly #owners = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  constructor(options: LocalLogStoreOptions) {
    const { workerEntry: entry, path, timeLimitMs = defaultTimeLimitMs } = options
    const data: StoreWorkerData = { logs: path }
    this.#writer = new WriterThread(options)
    this.#pool = new WorkerPool({ entry, data, atOnce: readers, maxWaiting: 1_024, timeLimitMs })
  }

  append(records: readonly NewRecord[], mark?: Mark): void {
    this.#writer.append(records, mark)
  }

  flush = (): Promise<void> => this.#writer.flush()
  marks = (): Promise<ReadonlyMap<string, string>> => this.#writer.marks()
  state = (): Promise<StoreState> => this.#writer.state()
  setLimits = (limits: LogLimits): void => this.#writer.setLimits(limits)
  onNews = (listener: (place: number) => void): (() => void) => this.#writer.onNews(listener)

  get queue(): LogQueue {
    return this.#writer.queue
  }

  /** Sends a message to a follower in the thread that writes. */
  tell = (follower: string, message: unknown): void => this.#writer.tell(follower, message)
  /** Called with messages of a follower. Returns what ends it. */
  onTold = (follower: string, listener: (message: unknown) => void): (() => void) =>
    this.#writer.onTold(follower, listener)

  /** The place of the asker is free again when all texts were read, or when the client has left. */
  async find(question: Question, asker: Asker): Promise<FoundRows> {
    const leave = await this.#enter(asker)
    try {
      // The default order can be followed row by row; any other must know its rows first.
      if (question.order.length === 0 && question.limit > maxRows) return await this.#findAll(question, asker, leave)
      const bounded = { ...question, limit: Math.min(question.limit, maxRows) }
      const page = await this.#find(bounded, asker)
      return { total: page.total, texts: (columns) => this.#texts(question, page, columns, asker, leave) }
    } catch (error) {
      leave()
      throw error
    }
  }

  async #find(question: Question, asker: Asker): Promise<FoundPage> {
    const { view, scope, hidden, where, order, offset, limit } = question
    const wanted = offset + limit
    if (order.length > 0 || wanted > maxRows || !hasSearch(where)) return this.#ask('findLogs', { question }, asker)
    const parts = await this.#ask('shareLogs', { view, scope, hidden, where }, asker)
    const first = { ...question, offset: 0, limit: wanted }
    const pages = parts.map((within) => this.#ask('findLogs', { question: first, within }, asker))
    return joinPages(await Promise.all(pages), offset, limit)
  }

  async *#texts(
    { view, scope }: Question,
    { rows: { kinds, places } }: FoundPage,
    columns: readonly string[] | null,
    asker: Asker,
    leave: () => void,
  ): AsyncGenerator<TextPiece> {
    try {
      for (let at = 0; at < places.length; at += shownAtOnce) {
        const end = at + shownAtOnce
        const rows = { kinds: kinds.slice(at, end), places: places.slice(at, end) }
        yield await this.#ask('showLogs', { question: { view, scope }, rows, columns }, asker)
      }
    } finally {
      leave()
    }
  }

  async #findAll({ order: _order, offset, limit, ...asked }: Question, asker: Asker, leave: () => void) {
    const { total, upTo } = await this.#ask('countLogs', asked, asker)
    const ask = (input: { after: Position | null; offset: number; limit: number; columns: readonly string[] | null }) =>
      this.#ask('nextLogs', { asked, upTo, ...input }, asker)
    return {
      total,
      async *texts(columns: readonly string[] | null): AsyncGenerator<TextPiece> {
        try {
          let after: Position | null = null
          let left = limit
          for (let toSkip = offset; left > 0; toSkip = 0) {
            const { piece, next } = await ask({ after, offset: toSkip, limit: Math.min(left, streamedAtOnce), columns })
            if (piece.rows > 0) yield piece
            if (!next) return
            left -= piece.rows
            after = next
          }
        } finally {
          leave()
        }
      },
    }
  }

  async buckets(question: BucketQuestion, asker: Asker): Promise<readonly Bucket[]> {
    const leave = await this.#enter(asker)
    try {
      return await this.#ask('logBuckets', question, asker)
    } finally {
      leave()
    }
  }

  async sums(question: SumQuestion, asker: Asker): Promise<Sums> {
    const leave = await this.#enter(asker)
    try {
      return await this.#ask('logSums', question, asker)
    } finally {
      leave()
    }
  }

  after(place: number, limit: number): Promise<Followed> {
    return this.#ask('logsAfter', { place, limit }, { owner: followingOwner })
  }

  async tail(
    asked: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>,
    place: number,
    limit: number,
    asker: Asker = { owner: followingOwner, signal: never },
  ) {
    const leave = await this.#enter(asker)
    try {
      return await this.#ask('tailLogs', { asked, place, limit }, asker)
    } finally {
      leave()
    }
  }

  async close(): Promise<void> {
    await this.#writer.close()
    await this.#pool.close()
  }

  async #ask<N extends keyof StoreTasks & string>(
    task: N,
    input: Parameters<StoreTasks[N]>[0],
    { owner, signal }: { readonly owner: string; readonly signal?: AbortSignal },
  ) {
    try {
      return await this.#pool.run(task, input, { owner, ...(signal ? { signal } : {}) })
    } catch (error) {
      // Anything else than a refusal is a fault of what is stored, or of ours.
      if (!(error instanceof GatewayError)) this.#writer.verify()
      throw error
    }
  }

  async #enter({ owner, signal }: Asker): Promise<() => void> {
    const own = this.#owners.get(owner) ?? { running: 0, waiting: [] }
    this.#owners.set(owner, own)
    if (own.running >= atOncePerOwner) {
      if (own.waiting.length >= waitingPerOwner) throw tooMany()
      // The place is handed over, so `running` stays as it is.
      await waitIn(own.waiting, signal)
    } else own.running++
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      signal.removeEventListener('abort', leave)
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.running === 0) this.#owners.delete(owner)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return leave
  }
}

/** Who leaves while waiting gives up its place in the queue. */
function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const enter = (): void => {
    signal.removeEventListener('abort', giveUp)
    resolve()
  }
  const giveUp = (): void => {
    waiting.splice(waiting.indexOf(enter), 1)
    reject(hasLeft())
  }
  if (signal.aborted) return Promise.reject(hasLeft())
  waiting.push(enter)
  signal.addEventListener('abort', giveUp, { once: true })
  return promise
}

export const createLocalLogStore = (options: LocalLogStoreOptions): LocalLogStore => new LocalLogStore(options)

const hasLeft = (): GatewayError => new GatewayError('unavailable', say`The work was ended before it was done.`)

const tooMany = (): GatewayError =>
  new GatewayError('unavailable', say`Too many of your log queries are running. Try again in a moment.`, {
    retryAfterSeconds: 2,
  })
