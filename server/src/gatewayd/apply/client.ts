// gatewayd's end of the socket to applyd: keeps one connection, makes a new one when it breaks, pairs replies with
// requests. It decides nothing; what to do after a reconnect belongs to the reconcile loop.

import { connect, type Socket } from 'node:net'
import { GatewayError } from '../../core/contract/error.ts'
import {
  type Applier,
  type Arrivals,
  type Attempt,
  type Checkpoint,
  type CheckReport,
  type Conflict,
  type CutTarget,
  type EngineQuestion,
  type Hits,
  type LiveChange,
  type LiveOutcome,
  type LiveReading,
  type Observation,
  type Outcome,
  type Plan,
  type SessionPart,
  type SessionTable,
  type TrialPacket,
  type TrialResult,
  type UpgradeStart,
  unsent,
} from '../../core/plan/artifacts.ts'
import type { ReplyFrame, SentPlan, Verb, VerbTable } from '../../core/plan/verbs.ts'
import { engines } from '../../engines/index.ts'
import { createFrameReader, encodeFrame } from '../../shared/frames.ts'
import { patient } from '../../shared/pace.ts'
import { adopt, type SaidText, say, verbatim } from '../../shared/said.ts'
import { findConflicts } from '../machine/read-texts.ts'
import { changeBetween } from './plan-change.ts'

export interface ClientTimings {
  /** How long a call waits for a connection. */
  readonly connectMs: number
  /** How long check, apply, hits and sessions may take. */
  readonly slowMs: number
  /** How long a trial of packets may take. */
  readonly trialMs: number
  /** How long what is asked of an engine may take. */
  readonly askMs: number
  /** How long the other verbs may take. */
  readonly quickMs: number
  readonly firstRetryMs: number
  readonly lastRetryMs: number
}

const defaultTimings: ClientTimings = {
  connectMs: 5000,
  slowMs: 60_000,
  trialMs: 130_000,
  askMs: 16 * 60_000,
  quickMs: 10_000,
  firstRetryMs: 50,
  lastRetryMs: 1000,
}

/** applyd refuses more than 64 waiting requests of one connection; the rest waits here. */
const inFlightLimit = 32

interface Request {
  readonly id: number
  readonly verb: Verb
  readonly args: VerbTable[Verb]['args']
  /** True when applyd did not know the plan that a change referred to. */
  isInFull: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: GatewayError) => void
  timer: NodeJS.Timeout
}

export class ApplydClient implements Applier {
  readonly #path: string
  readonly #timings: ClientTimings
  readonly #listeners = new Set<() => void>()
  readonly #sent = new Map<number, Request>()
  readonly #waiting: Request[] = []
  /** The last plan that was sent on this connection, which applyd remembers, and its number. */
  #known: { readonly number: number; readonly plan: Plan } | null = null
  #socket: Socket | null = null
  #isConnected = false
  #isClosed = false
  #retry: NodeJS.Timeout | null = null
  #failures = 0
  #nextId = 1

  constructor(path: string, timings: Partial<ClientTimings> = {}) {
    this.#path = path
    this.#timings = { ...defaultTimings, ...timings }
    this.#connect()
  }

  /** Called after every connection, the first included. Returns the way to take the listener away again. */
  onConnect(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  check(plan: Plan): Promise<CheckReport> {
    return this.#call('check', { plan })
  }

  apply(plan: Plan): Promise<Outcome> {
    return this.#call('apply', { plan })
  }

  attempt(plan: Plan): Promise<Attempt> {
    return this.#call('attempt', { plan })
  }

  async settle(revision: number): Promise<void> {
    await this.#call('settle', { revision })
  }

  undo(revision: number): Promise<Outcome> {
    return this.#call('undo', { revision })
  }

  observe(): Promise<Observation> {
    return this.#call('observe', {})
  }

  devices(): Promise<string> {
    return this.#call('devices', {})
  }

  hits(): Promise<Hits> {
    return this.#call('hits', {})
  }

  sessions(): Promise<SessionTable> {
    return this.#call('sessions', {})
  }

  sessionPart(reading: number): Promise<SessionPart> {
    return this.#call('sessionPart', { reading })
  }

  changeLive(changes: readonly LiveChange[]): Promise<LiveOutcome> {
    return this.#call('changeLive', { changes })
  }

  readLive(sets: readonly string[]): Promise<LiveReading> {
    return this.#call('readLive', { sets })
  }

  arrivals(): Promise<Arrivals> {
    return this.#call('arrivals', {})
  }

  cut(targets: readonly CutTarget[]): Promise<number> {
    return this.#call('cut', { targets })
  }

  async conflicts(): Promise<readonly Conflict[]> {
    return findConflicts(await this.#call('machine', {}), engines)
  }

  neighbours(): Promise<string> {
    return this.#call('neighbours', {})
  }

  trial(packets: readonly TrialPacket[]): Promise<readonly TrialResult[]> {
    return this.#call('trial', { packets })
  }

  async checkpoint(sequence: number, hash: string, isFirst: boolean): Promise<void> {
    await this.#call('checkpoint', { sequence, hash, isFirst })
  }

  checkpoints(): Promise<readonly Checkpoint[]> {
    return this.#call('checkpoints', {})
  }

  ask(question: EngineQuestion): Promise<unknown> {
    return this.#call('ask', question)
  }

  upgrade(digest: string): Promise<UpgradeStart> {
    return this.#call('upgrade', { digest })
  }

  close(): void {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#socket?.destroy()
    this.#fail([...this.#takeSent(), ...this.#waiting.splice(0)], closing)
  }

  #connect(): void {
    const socket = connect(this.#path)
    const read = createFrameReader((message) => this.#receive(message))
    this.#socket = socket
    socket.on('connect', () => {
      this.#isConnected = true
      this.#known = null
      this.#failures = 0
      this.#pump()
      for (const listener of this.#listeners) listener()
    })
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch (fault) {
        socket.destroy(fault as Error)
      }
    })
    // Nothing to do here: every error is followed by close.
    socket.on('error', () => {})
    socket.on('close', () => this.#disconnected())
  }

  #disconnected(): void {
    this.#isConnected = false
    this.#socket = null
    for (const request of this.#takeSent()) this.#fail([request], lostMessage(request.verb))
    if (this.#isClosed) return
    const { firstRetryMs, lastRetryMs } = this.#timings
    const wait = Math.min(firstRetryMs * 2 ** Math.min(this.#failures, 20), lastRetryMs)
    this.#failures += 1
    this.#retry = setTimeout(() => this.#connect(), wait)
  }

  #call<V extends Verb>(verb: V, args: VerbTable[V]['args']): Promise<VerbTable[V]['result']> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(unavailable(closing))
      const id = this.#nextId++
      const timer = setTimeout(() => this.#giveUp(request), patient(this.#timings.connectMs))
      const waiting = { resolve: resolve as Request['resolve'], reject, timer }
      const request: Request = { id, verb, args, isInFull: false, ...waiting }
      this.#waiting.push(request)
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#isConnected && this.#sent.size < inFlightLimit) {
      const request = this.#waiting.shift()
      if (!request) return
      clearTimeout(request.timer)
      request.timer = setTimeout(() => this.#giveUp(request), patient(limitOf(request.verb, this.#timings)))
      this.#sent.set(request.id, request)
      this.#send(request)
    }
  }

  #send(request: Request): void {
    const { id, verb, args } = request
    try {
      const sent = 'plan' in args ? this.#shorten(request, args.plan) : args
      this.#socket?.write(encodeFrame({ id, verb, args: sent }))
    } catch (fault) {
      this.#sent.delete(id)
      clearTimeout(request.timer)
      request.reject(new GatewayError('internal', verbatim((fault as Error).message)))
      return
    }
    if ('plan' in args) this.#known = { number: id, plan: args.plan }
  }

  /** applyd reads the plans of a connection in the order in which they were sent, so no answer has to be waited for. */
  #shorten({ id, isInFull }: Request, plan: Plan): SentPlan {
    const known = isInFull ? null : this.#known
    if (!known) return { number: id, plan }
    return { number: id, base: known.number, change: changeBetween(known.plan, plan) }
  }

  /** A reply that comes later is dropped. */
  #giveUp(request: Request): void {
    const index = this.#waiting.indexOf(request)
    if (index >= 0) this.#waiting.splice(index, 1)
    this.#sent.delete(request.id)
    const why = index >= 0 ? say`it cannot be reached` : say`timed out waiting for the reply to ${request.verb}`
    request.reject(unavailable(say`The apply service does not answer: ${why}.`, index >= 0 ? unsent : undefined))
    this.#pump()
  }

  #receive(message: unknown): void {
    const reply = message as ReplyFrame
    if (reply.sentences) adopt(reply.sentences)
    const request = this.#sent.get(reply.id)
    if (!request) return
    if (!reply.ok && reply.isPieceUnknown && !request.isInFull) {
      request.isInFull = true
      this.#send(request)
      return
    }
    this.#sent.delete(reply.id)
    clearTimeout(request.timer)
    if (reply.ok) request.resolve(reply.result)
    else request.reject(new GatewayError(request.verb === 'apply' ? 'not_applied' : 'internal', reply.message))
    this.#pump()
  }

  #takeSent(): Request[] {
    const requests = [...this.#sent.values()]
    this.#sent.clear()
    return requests
  }

  #fail(requests: readonly Request[], message: SaidText): void {
    for (const request of requests) {
      clearTimeout(request.timer)
      request.reject(unavailable(message))
    }
  }
}

const slowVerbs: ReadonlySet<Verb> = new Set([
  'check',
  'apply',
  'attempt',
  'undo',
  'hits',
  'sessions',
  'sessionPart',
  'arrivals',
  'upgrade',
])

function limitOf(verb: Verb, { slowMs, trialMs, askMs, quickMs }: ClientTimings): number {
  if (verb === 'ask') return askMs
  if (verb === 'trial') return trialMs
  return slowVerbs.has(verb) ? slowMs : quickMs
}

/** What became of these is found out by the one who asked for it. */
const exploredVerbs: ReadonlySet<Verb> = new Set(['apply', 'attempt', 'settle', 'undo'])

/** What is true of a request whose reply never came. */
function lostMessage(verb: Verb): SaidText {
  const lost = say`The apply service does not answer: the connection was lost.`
  if (exploredVerbs.has(verb)) return lost
  const isChanging = verb === 'ask' || verb === 'checkpoint' || verb === 'upgrade'
  return say`${lost} ${isChanging ? say`Whether the request was carried out is not known.` : say`Nothing was changed.`}`
}

const closing = say`The apply service does not answer: this service is closing down.`
const unavailable = (message: SaidText, cause?: string): GatewayError =>
  new GatewayError('unavailable', message, { retryAfterSeconds: 1, cause })
