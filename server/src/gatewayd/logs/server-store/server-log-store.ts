// The log store of a gateway with a log server: records go to the local store first and from there to the server; questions
// about them go to the server, which keeps them longer and beside those of other gateways. While the server is away, or has not
// got what there is yet, the local store answers.

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
import type { View } from '../../../domain/logs/view.ts'
import { createAging } from '../../../shared/time/aging.ts'
import { OwnerPlaces } from '../owner-places.ts'
import { LogServerConnection } from './connection.ts'
import { type CsvWriter, LogServerQuestions } from './questions.ts'
import { removeOld } from './retention.ts'
import type { LogServerSettings } from './settings.ts'
import { Shipper, type ShipperState } from './shipper.ts'

export interface ServerLogStoreOptions {
  readonly settings: LogServerSettings
  readonly local: LogStore
  readonly views: Readonly<Record<string, View>>
  readonly csv: CsvWriter
  /** Remembers how far records were sent. */
  readonly cursorFile: string
  /** Unix milliseconds. */
  readonly now?: () => number
  readonly timeLimitMs?: number
  readonly pauseMs?: number
}

const removedEveryMs = 6 * 3_600_000
/** How long a question waits for the newest records to be on the server; shorter where the last one waited without result. */
const patienceMs = 5_000
const shortPatienceMs = 500

export class ServerLogStore implements LogStore {
  readonly #local: LogStore
  readonly #server: LogServerConnection
  readonly #questions: LogServerQuestions
  readonly #shipper: Shipper
  readonly #places = new OwnerPlaces()
  readonly #settings: LogServerSettings
  readonly #now: () => number
  readonly #ended = new AbortController()
  readonly #timer: NodeJS.Timeout
  #days: LogLimits['days'] = {}
  #removing: Promise<void> = Promise.resolve()
  /** The server does not have all that the last flush was about. */
  #isBehind = false

  constructor({
    settings,
    local,
    views,
    csv,
    cursorFile,
    now = createAging(),
    timeLimitMs,
    pauseMs,
  }: ServerLogStoreOptions) {
    const { database, gateway, url } = settings
    this.#settings = settings
    this.#local = local
    this.#now = now
    this.#server = new LogServerConnection({ settings, ...(timeLimitMs === undefined ? {} : { timeLimitMs }) })
    this.#questions = new LogServerQuestions({ server: this.#server, views, database, gateway, csv })
    this.#shipper = new Shipper({
      server: this.#server,
      local,
      database,
      gateway,
      file: cursorFile,
      serverName: `${url.href} ${database} ${gateway}`,
      ...(pauseMs === undefined ? {} : { pauseMs }),
    })
    this.#timer = setInterval(() => void this.removeOld(), removedEveryMs)
    this.#timer.unref()
  }

  append(records: readonly NewRecord[], mark?: Mark): void {
    this.#local.append(records, mark)
  }

  async flush(): Promise<void> {
    await this.#local.flush()
    const { place } = await this.#local.state()
    const { promise: waited, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#answersItself ? shortPatienceMs : patienceMs)
    await Promise.race([this.#shipper.reach(place), waited])
    clearTimeout(timer)
    this.#isBehind = this.#shipper.state().place < place
  }

  get #answersItself(): boolean {
    return this.#isBehind || this.#shipper.state().fault !== null
  }

  marks(): Promise<ReadonlyMap<string, string>> {
    return this.#local.marks()
  }

  /** The place of the asker is free again when all texts were read, or when the client has left. */
  async find(question: Question, asker: Asker): Promise<FoundRows> {
    if (this.#answersItself) return this.#local.find(question, asker)
    const leave = await this.#places.enter(asker)
    try {
      const { total, texts } = await this.#questions.find(question, asker)
      return { total, texts: (columns) => leaving(texts(columns), leave) }
    } catch (error) {
      leave()
      throw error
    }
  }

  async buckets(question: BucketQuestion, asker: Asker): Promise<readonly Bucket[]> {
    if (this.#answersItself) return this.#local.buckets(question, asker)
    const leave = await this.#places.enter(asker)
    try {
      return await this.#questions.buckets(question, asker)
    } finally {
      leave()
    }
  }

  async sums(question: SumQuestion, asker: Asker): Promise<Sums> {
    if (this.#answersItself) return this.#local.sums(question, asker)
    const leave = await this.#places.enter(asker)
    try {
      return await this.#questions.sums(question, asker)
    } finally {
      leave()
    }
  }

  after(place: number, limit: number): Promise<Followed> {
    return this.#local.after(place, limit)
  }

  tail(question: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>, place: number, limit: number, asker?: Asker) {
    return this.#local.tail(question, place, limit, asker)
  }

  onNews(listener: (place: number) => void): () => void {
    return this.#local.onNews(listener)
  }

  setLimits(limits: LogLimits): void {
    this.#local.setLimits(limits)
    this.#days = limits.days
    void this.removeOld()
  }

  /** That of the gateway itself, which keeps records whatever the server does. */
  state(): Promise<StoreState> {
    return this.#local.state()
  }

  get queue(): LogQueue | undefined {
    return this.#local.queue
  }

  serverState(): ShipperState {
    return this.#shipper.state()
  }

  /** Removes what is older than the limits from the server. One that is away is asked again some hours later. */
  removeOld(): Promise<void> {
    const { database, gateway } = this.#settings
    this.#removing = this.#removing
      .then(() => removeOld({ server: this.#server, database, gateway }, this.#days, this.#now(), this.#ended.signal))
      .then(
        () => {},
        () => {},
      )
    return this.#removing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#ended.abort()
    await this.#shipper.close()
    await this.#removing
    this.#server.close()
    await this.#local.close()
  }
}

async function* leaving(texts: AsyncIterable<TextPiece>, leave: () => void): AsyncGenerator<TextPiece, void> {
  try {
    yield* texts
  } finally {
    leave()
  }
}
