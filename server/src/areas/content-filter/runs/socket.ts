// The socket of the decision process: it gets who is at which address and word of a new category index, and reports how it is.
// A peer that connects gets the whole table, then differences. Peers, messages and what waits for them are bounded.

import { chmodSync, existsSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Log } from '../../../core/log.ts'
import type { FilterUser } from '../../../domain/web-filter/model.ts'
import {
  maxReportBytes,
  type SessionPut,
  sessionsAtOnce,
  type ToFilterd,
  type WebFilterReport,
} from '../../../domain/web-filter/protocol.ts'
import { createFrameReader, encodeFrame } from '../../../shared/frames.ts'
import { Allowance } from '../../portal/runs/allowance.ts'

/** An address, or a network as `10.0.0.0/24`, and whose it is. */
export type PlaceOfUser = readonly [place: string, userId: string]

export interface WebFilterSocketParts {
  /** Every address and network with a user now. Later ones count. */
  readonly places: () => Iterable<PlaceOfUser>
  /** The user with every group above; null for one that does not exist. */
  readonly userOf: (id: string) => FilterUser | null
  readonly log: Log
  /** Milliseconds between comparisons that nothing asked for. */
  readonly everyMs?: number
}

export interface ReceivedReport extends Omit<WebFilterReport, 'kind'> {
  /** Milliseconds of this process, which a set clock does not move. */
  readonly at: number
}

/** The decision process has one connection; a new one of it may come before the old one was noticed to have gone. */
const connectionLimit = 4
const maxUnread = 64 * 1024 * 1024
/** One comes every two seconds. A process that was taken over must leave gatewayd time for others, and its log to read. */
const reportsPerSecond = 10
const reportsAtOnce = 40
const overMilliseconds = 100
/** What is read before others get a turn: some ten reports. */
const sliceBytes = 4096
const retryMilliseconds = 1_000
const usualMilliseconds = 5_000
/** A report that is older says nothing about now: one comes every two seconds. */
const staleMilliseconds = 10_000

export class WebFilterSocket {
  readonly #parts: WebFilterSocketParts
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Those that need the whole table. */
  readonly #fresh = new Set<Socket>()
  /** What the peers have, as JSON of the user by place. */
  #sent = new Map<string, string>()
  #timer: NodeJS.Timeout | null = null
  #comparing: Promise<void> | null = null
  #isAgain = false
  /** More reports came than should: what follows them waits. */
  #isOver = false
  #report: ReceivedReport | null = null
  readonly #warnings = new Allowance(() => performance.now() / 1000, 3, 1 / 60)
  readonly #reports = new Allowance(() => performance.now() / 1000, reportsAtOnce, reportsPerSecond)

  constructor(parts: WebFilterSocketParts) {
    this.#parts = parts
    this.#server = createServer((socket) => this.#serve(socket))
    this.#server.maxConnections = connectionLimit
  }

  /** Null when the decision process is not connected or has been silent. */
  report(): ReceivedReport | null {
    const isNew = this.#report !== null && performance.now() - this.#report.at < staleMilliseconds
    return isNew && this.#sockets.size > 0 ? this.#report : null
  }

  /** A new category index is in place. */
  announceCategories(file: string): void {
    void this.#send(this.#sockets, { kind: 'categories', file })
  }

  /** Sends what changed since the last time. Calls that come in the meantime share one more comparison. */
  follow(): Promise<void> {
    if (this.#comparing) {
      this.#isAgain = true
      return this.#comparing
    }
    this.#comparing = this.#compare()
      .catch((error: unknown) =>
        this.#parts.log('warning', 'the content filter does not get the sessions of users', { error }),
      )
      .finally(() => {
        this.#comparing = null
        const isAgain = this.#isAgain
        this.#isAgain = false
        if (isAgain) void this.follow()
      })
    return this.#comparing
  }

  /**
   * Listens at the path, in a folder that applyd makes: tried again until it is there. The folder lets in the account of the
   * decision process alone, and gives the socket its group.
   */
  serve(path: string): void {
    let reported = ''
    const later = (): void => {
      this.#timer = setTimeout(listen, retryMilliseconds).unref()
    }
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code !== reported) this.#parts.log('warning', 'the content filter cannot connect', { error })
      reported = error.code ?? ''
      later()
    }
    const listen = (): void => {
      if (!existsSync(dirname(path))) {
        later()
        return
      }
      try {
        // What an earlier process left there.
        rmSync(path, { force: true })
        this.#server.listen(path)
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
      }
    }
    this.#server.on('listening', () => {
      chmodSync(path, 0o660)
      this.#timer = setInterval(() => void this.follow(), this.#parts.everyMs ?? usualMilliseconds).unref()
    })
    this.#server.on('error', fail)
    listen()
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** In slices, so that others get a turn. */
  async #compare(): Promise<void> {
    if (this.#sockets.size === 0) return
    const now = await this.#read()
    const before = this.#sent
    this.#sent = now
    const fresh = [...this.#fresh]
    const others = [...this.#sockets].filter((socket) => !this.#fresh.has(socket))
    this.#fresh.clear()
    const changed = [...now].filter(([place, text]) => before.get(place) !== text)
    const gone = [...before.keys()].filter((place) => !now.has(place))
    for (const [at, put] of partsOf(changed).entries())
      if (put.length > 0 || (at === 0 && gone.length > 0))
        await this.#send(others, { kind: 'sessions', table: null, put: put.map(putOf), gone: at === 0 ? gone : [] })
    const parts = fresh.length > 0 ? partsOf([...now]) : []
    for (const [at, put] of parts.entries()) {
      const table = parts.length === 1 ? 'only' : at === 0 ? 'first' : at === parts.length - 1 ? 'last' : 'more'
      await this.#send(fresh, { kind: 'sessions', table, put: put.map(putOf), gone: [] })
    }
  }

  async #read(): Promise<Map<string, string>> {
    const users = new Map<string, string | null>()
    const now = new Map<string, string>()
    let count = 0
    for (const [place, id] of this.#parts.places()) {
      let text = users.get(id)
      if (text === undefined) {
        const user = this.#parts.userOf(id)
        text = user && JSON.stringify(user)
        users.set(id, text)
      }
      if (text === null) now.delete(place)
      else now.set(place, text)
      if (++count % sessionsAtOnce === 0) await aTurn()
    }
    return now
  }

  #serve(socket: Socket): void {
    const read = createFrameReader((message) => this.#take(message), maxReportBytes)
    socket.on('data', (chunk: Buffer) => {
      socket.pause()
      void this.#readInTurns(socket, chunk, read).finally(() => socket.resume())
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#fresh.delete(socket)
    })
    this.#sockets.add(socket)
    this.#fresh.add(socket)
    void this.follow()
  }

  async #readInTurns(socket: Socket, chunk: Buffer, read: (bytes: Buffer) => void): Promise<void> {
    for (let at = 0; at < chunk.length && !socket.destroyed; at += sliceBytes) {
      try {
        read(chunk.subarray(at, at + sliceBytes))
      } catch {
        if (this.#warnings.take())
          this.#parts.log('warning', 'the content filter broke the framing and was disconnected')
        socket.destroy()
      }
      const isLate = this.#isOver
      this.#isOver = false
      await (isLate ? new Promise((resolve) => setTimeout(resolve, overMilliseconds)) : aTurn())
    }
  }

  #take(message: unknown): void {
    const report = parseReport(message)
    if (report === null) throw new Error('Not a report.')
    if (!this.#reports.take()) this.#isOver = true
    this.#report = { ...report, at: performance.now() }
  }

  async #send(sockets: Iterable<Socket>, message: ToFilterd): Promise<void> {
    const frame = encodeFrame(message)
    for (const socket of sockets) {
      if (!socket.destroyed) socket.write(frame)
      // A peer that never reads must not fill the memory; it gets the whole table when it connects again.
      if (socket.writableLength > maxUnread) socket.destroy()
    }
    await aTurn()
  }
}

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** At least one part, which may be empty. */
function partsOf<T>(all: readonly T[]): readonly T[][] {
  const count = Math.max(1, Math.ceil(all.length / sessionsAtOnce))
  return Array.from({ length: count }, (_, at) => all.slice(at * sessionsAtOnce, (at + 1) * sessionsAtOnce))
}

function putOf([place, text]: readonly [string, string]): SessionPut {
  const [address = '', prefix] = place.split('/')
  const user = JSON.parse(text) as FilterUser
  return prefix === undefined ? { address, user } : { address, prefix: Number(prefix), user }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Everything is judged: the process that sends it talks to hosts of every network. */
function parseReport(message: unknown): Omit<WebFilterReport, 'kind'> | null {
  const report = message as Partial<WebFilterReport> | null
  if (typeof report !== 'object' || report?.kind !== 'report') return null
  const { policyDigest, categories, sessions, asked, denied, isAsked, faults } = report
  const isDigest = policyDigest === null || (typeof policyDigest === 'string' && /^[0-9a-f]{64}$/.test(policyDigest))
  const numbers = [
    sessions,
    asked,
    denied,
    ...(categories ? [categories.entries, categories.bytes, categories.builtAt] : []),
  ]
  const areFaults = Array.isArray(faults) && faults.length <= 20 && faults.every((one) => typeof one === 'string')
  if (!isDigest || categories === undefined || !numbers.every(isCount) || typeof isAsked !== 'boolean' || !areFaults)
    return null
  return {
    policyDigest: policyDigest ?? null,
    sessions: sessions ?? 0,
    asked: asked ?? 0,
    denied: denied ?? 0,
    isAsked,
    categories: categories && {
      entries: categories.entries,
      bytes: categories.bytes,
      builtAt: categories.builtAt,
    },
    faults: (faults ?? []).map((one) => one.slice(0, 500)),
  }
}
