// What happens on the gateway, for pages that stay open: revisions, the change on probation, statuses, sessions. While someone
// listens the state is compared with what was last told, once a second; a new listener is told all of it first.

import { type Access, mayUse } from '../contract/access.ts'
import type { EventStream } from './event-stream.ts'
import type { Identity, Services } from './handle.ts'
import type { ReadStatus } from './statuses.ts'

export interface EventParts {
  readonly services: () => Pick<Services, 'engine' | 'accounts' | 'clock'>
  /** On the network. */
  readonly countUsers: () => number
  readonly readStatuses: () => Promise<readonly ReadStatus[]>
  /** Further things to tell, such as health: compared as JSON, told to roles that may read them. */
  readonly topics?: readonly Topic[]
}

export interface Topic {
  readonly event: string
  readonly access: Access
  /** A small value; undefined while there is nothing to tell. */
  readonly read: () => unknown
}

interface Listener {
  readonly identity: Identity
  readonly stream: EventStream
  secondsLeft: number
}

const lookMilliseconds = 1_000
/** Statuses read the machine, so they are read less often. */
const looksPerStatus = 5
/** More changes between two looks are told by the last ones; the number tells how many there were. */
const maxRevisions = 20
/** A page warns before the end of its session: told when so many seconds are left. */
const sessionSteps = [120, 60, 30, 10]

/** Time that runs down by itself is nothing new. */
const comparable = (value: unknown): string =>
  JSON.stringify(value, (name, one) => (name === 'seconds_left' ? undefined : one)) ?? ''

export class GatewayEvents {
  readonly #parts: EventParts
  readonly #listeners = new Set<Listener>()
  readonly #told = new Map<string, string>()
  #revision = 0
  #looks = 0
  #timer: NodeJS.Timeout | null = null
  #statuses: readonly ReadStatus[] = []
  #isReading = false

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  listen(identity: Identity, stream: EventStream): void {
    const listener: Listener = { identity, stream, secondsLeft: Number.POSITIVE_INFINITY }
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    stream.signal.addEventListener('abort', () => this.#leave(listener))
    this.#send(listener, 'signed-in', 'revision', this.#revisionNow())
    for (const { event, access, read } of this.#topics()) this.#send(listener, access, event, read())
    for (const { path, access, items } of this.#statuses) this.#send(listener, access, 'status', { path, items })
    this.#tellSession(listener)
  }

  /** Something changed: told without waiting for the next look. */
  look(): void {
    if (this.#listeners.size === 0) return
    this.#tellRevisions()
    for (const topic of this.#topics()) this.#tellChanged(topic.event, topic.access, topic.event, topic.read())
    for (const listener of this.#listeners) this.#tellSession(listener)
  }

  #start(): void {
    this.#revision = this.#parts.services().engine.revision
    for (const { event, read } of this.#topics()) this.#told.set(event, comparable(read()))
    this.#looks = 0
    void this.#tellStatuses()
    this.#timer = setInterval(() => {
      this.look()
      this.#looks += 1
      if (this.#looks % looksPerStatus === 0) void this.#tellStatuses()
    }, lookMilliseconds).unref()
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#told.clear()
    this.#statuses = []
  }

  #topics(): readonly Topic[] {
    const { engine, accounts, clock } = this.#parts.services()
    const probation = (): unknown => {
      const waiting = engine.probation
      if (!waiting) return { waiting: null }
      const { revision, author, deadlineTime, deadline } = waiting
      const left = Math.max(0, Math.ceil(deadline - clock.elapsed()))
      return { waiting: { revision, author, confirm_before: deadlineTime, seconds_left: left } }
    }
    const counts = (): unknown => ({
      administrators: accounts.sessions.list().length,
      users: this.#parts.countUsers(),
    })
    return [
      { event: 'probation', access: 'change', read: probation },
      { event: 'sessions', access: 'view', read: counts },
      ...(this.#parts.topics ?? []),
    ]
  }

  #revisionNow(): unknown {
    const { engine } = this.#parts.services()
    return { revision: engine.revision }
  }

  #tellRevisions(): void {
    const { engine } = this.#parts.services()
    const missing = engine.revision - this.#revision
    if (missing <= 0) return
    this.#revision = engine.revision
    const shown = engine.listRevisions(Math.min(missing, maxRevisions), 0).toReversed()
    for (const { revision, time, author, reason } of shown) {
      for (const listener of this.#listeners) {
        const isReader = mayUse(listener.identity.role, 'view')
        this.#send(listener, 'signed-in', 'revision', isReader ? { revision, time, author, reason } : { revision })
      }
    }
  }

  async #tellStatuses(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const statuses = await this.#parts.readStatuses()
      if (this.#listeners.size === 0) return
      this.#statuses = statuses
      for (const { path, access, items } of statuses) this.#tellChanged(path, access, 'status', { path, items })
    } catch {
      // What is wrong with the machine is in each of the statuses; a fault here is tried again.
    } finally {
      this.#isReading = false
    }
  }

  #tellChanged(key: string, access: Access, event: string, value: unknown): void {
    const text = comparable(value)
    if (this.#told.get(key) === text) return
    this.#told.set(key, text)
    for (const listener of this.#listeners) this.#send(listener, access, event, value)
  }

  /** Prolonged, or near its end. */
  #tellSession(listener: Listener): void {
    const { sessions } = this.#parts.services().accounts
    const left = sessions.secondsLeft(listener.identity.session)
    const isStep = sessionSteps.some((step) => left <= step && listener.secondsLeft > step)
    const isProlonged = left > listener.secondsLeft
    const isFirst = listener.secondsLeft === Number.POSITIVE_INFINITY
    listener.secondsLeft = left
    if (isFirst || isStep || isProlonged) this.#send(listener, 'signed-in', 'session', { seconds_left: left })
  }

  #send({ identity, stream }: Listener, access: Access, event: string, value: unknown): void {
    if (value === undefined || !mayUse(identity.role, access)) return
    stream.send({ event, data: JSON.stringify(value) })
  }
}
