// Talks to the log server over HTTP. Every request ends within its time: with an answer, or with a fault in the words of an
// administrator. Answers are complete on the server before they are sent, so that half an answer never looks like a whole one.

import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { GatewayError } from '../../../core/contract/error.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import { inBinary, kill, type ReadForm, type ReadRow, readRows, type Sql } from './clickhouse.ts'
import type { LogServerSettings } from './settings.ts'

export interface ConnectionOptions {
  readonly settings: LogServerSettings
  readonly timeLimitMs?: number
}

interface Ask {
  readonly sql: Sql
  /** Rows in the binary form; without them the statement itself is the body. */
  readonly rows?: Buffer
  readonly signal: AbortSignal
  /** The server runs one statement at a time of those with the same id. */
  readonly id?: string
}

const timeLimitMs = 20_000
/** How much longer the client waits than the server works. */
const graceMs = 5_000
const maxFaultBytes = 4_096
/** Of an answer that is held as a whole: buckets, hours and pages are fewer. */
const mostRows = 2_000_000

/** Bounds of the memory and the temporary files that one question may use on the server. */
const limits = {
  max_memory_usage: 2_000_000_000,
  max_bytes_before_external_sort: 500_000_000,
  max_bytes_before_external_group_by: 500_000_000,
  max_query_size: 16_777_216,
  max_ast_elements: 1_000_000,
  max_expanded_ast_elements: 1_000_000,
  // Half an answer would look like a whole one, so it is complete before the first byte is sent.
  wait_end_of_query: 1,
} as const

export class LogServerConnection {
  readonly #settings: LogServerSettings
  readonly #timeLimitMs: number
  readonly #agent: Agent

  constructor({ settings, timeLimitMs: limit = timeLimitMs }: ConnectionOptions) {
    this.#settings = settings
    this.#timeLimitMs = limit
    const shared = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 60_000 }
    this.#agent = settings.url.protocol === 'https:' ? new SecureAgent(shared) : new Agent(shared)
  }

  /** A statement without an answer. */
  async run(ask: Ask): Promise<void> {
    for await (const _piece of this.#send(ask));
  }

  /** The rows of a selection, in the pieces in which they arrive; anyone who does not read on slows the server's sending only. */
  rows(query: Sql, forms: readonly ReadForm[], signal: AbortSignal, id?: string): AsyncGenerator<ReadRow[], void> {
    return readRows(this.#send({ sql: inBinary(query), signal, id: id ?? `portcullis-${randomUUID()}` }), forms)
  }

  async all(query: Sql, forms: readonly ReadForm[], signal: AbortSignal, id?: string): Promise<ReadRow[]> {
    const found: ReadRow[] = []
    for await (const rows of this.rows(query, forms, signal, id)) {
      if (found.length + rows.length > mostRows)
        throw this.#unreachable('it answered with more than was asked for', null)
      for (const row of rows) found.push(row)
    }
    return found
  }

  close(): void {
    this.#agent.destroy()
  }

  async *#send(ask: Ask): AsyncGenerator<Buffer, void> {
    const waited = AbortSignal.timeout(this.#timeLimitMs + graceMs)
    let isOver = false
    try {
      const response = await this.#open(ask, AbortSignal.any([ask.signal, waited]))
      if (response.statusCode !== 200) throw await this.#refusal(response)
      yield* this.#pieces(response, ask.signal)
      isOver = true
    } catch (error) {
      isOver = error instanceof GatewayError
      if (isOver) throw error
      ask.signal.throwIfAborted()
      throw this.#unreachable(waited.aborted ? 'it did not answer in time' : wordsOf(error), error)
    } finally {
      // No one reads the answer any more, so the server need not work on it.
      if (!isOver && ask.rows === undefined && ask.id !== undefined) this.#kill(ask.id)
    }
  }

  #open({ sql, rows, id }: Ask, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, user, password, ca } = this.#settings
    const target = new URL(url)
    for (const [name, value] of Object.entries(limits)) target.searchParams.set(name, String(value))
    target.searchParams.set('max_execution_time', String(Math.ceil(this.#timeLimitMs / 1000)))
    if (id !== undefined) target.searchParams.set('query_id', id)
    if (rows !== undefined) target.searchParams.set('query', sql)
    const body = rows ?? Buffer.from(sql)
    const isSecure = target.protocol === 'https:'
    return new Promise((resolve, reject) => {
      const request = (isSecure ? secureRequest : plainRequest)(
        target,
        {
          method: 'POST',
          agent: this.#agent,
          auth: `${user}:${password}`,
          headers: { 'content-type': 'application/octet-stream', 'content-length': body.length },
          signal,
          ...(ca === null ? {} : { ca }),
        },
        resolve,
      )
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Time that the reader takes between two pieces is not the server's. */
  async *#pieces(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const leave = (): void => void response.destroy()
    signal.addEventListener('abort', leave, { once: true })
    try {
      for (;;) {
        signal.throwIfAborted()
        const timer = setTimeout(() => response.destroy(new Error('it stopped sending')), this.#timeLimitMs)
        const step = await pieces.next().finally(() => clearTimeout(timer))
        if (step.done) return
        yield step.value
      }
    } finally {
      signal.removeEventListener('abort', leave)
      if (!response.complete) response.destroy()
    }
  }

  async #refusal(response: IncomingMessage): Promise<GatewayError> {
    let said = ''
    for await (const piece of this.#pieces(response, new AbortController().signal)) {
      said += (piece as Buffer).toString('utf8')
      if (said.length > maxFaultBytes) break
    }
    const code = Number(/^Code: (\d+)/.exec(said)?.[1] ?? 0)
    const cause = new Error(`HTTP ${response.statusCode}: ${said.slice(0, maxFaultBytes)}`)
    if (code === codes.tooSlow)
      return fault(say`The log server needed more than ${this.#timeLimitMs / 1000} s. Ask for a shorter time.`, cause)
    if (code === codes.tooLarge)
      return fault(say`The log server has too little memory for this. Ask for a shorter time.`, cause)
    if (code === codes.unknownUser || code === codes.wrongPassword || response.statusCode === 401)
      return fault(say`The log server ${this.#host} refused the user or the password of log-server.json.`, cause)
    return fault(say`The log server ${this.#host} refused a statement (${code || response.statusCode}).`, cause)
  }

  #unreachable(why: string, cause: unknown): GatewayError {
    return fault(say`The log server ${this.#host} cannot be reached: ${why}.`, cause)
  }

  get #host(): string {
    return this.#settings.url.host
  }

  #kill(id: string): void {
    this.run({ sql: kill(id), signal: AbortSignal.timeout(this.#timeLimitMs) }).catch(() => {})
  }
}

const codes = { tooSlow: 159, tooLarge: 241, unknownUser: 192, wrongPassword: 193 } as const

const fault = (message: SaidText, cause: unknown): GatewayError =>
  new GatewayError('unavailable', message, { retryAfterSeconds: 5, cause })

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it did not answer in time',
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return causes[code ?? ''] ?? (code ? `${message} (${code})` : message)
}
