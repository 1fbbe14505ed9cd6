// Connections that the kernel tracks and a change of the configuration refuses: lists them for a dry run, and cuts them after the
// change. A worker judges them. How the outcome reaches the client is in cut-connections.ts.

import type { Identity, Services } from '../../core/area/handle.ts'
import type { PolicyChange, Preview } from '../../core/config/change.ts'
import { maxListedConnections } from '../../core/contract/dry-run.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Applier, CutTarget, SessionTable } from '../../core/plan/artifacts.ts'
import { decodeConnections } from '../../core/workers/connection-lines.ts'
import { packFacts } from '../../core/workers/shared-facts.ts'
import { createSlices, inSlices } from '../../core/workers/slices.ts'
import { say } from '../../shared/said.ts'

export interface LiveConnectionsParts {
  readonly applier: Pick<Applier, 'sessions' | 'cut'>
  readonly services: Pick<Services, 'reader' | 'facts' | 'clock' | 'engine'>
  /** Slots that decide about packets. */
  readonly slots: ReadonlySet<string>
  /** Where users are, for the worker; yields between its steps. */
  readonly findPlaces: (config: Config) => Iterator<unknown, unknown>
}

export interface ListedConnection {
  readonly protocol: string
  readonly source: string
  readonly source_port: number
  readonly destination: string
  readonly destination_port: number
  readonly rule: string | null
  readonly user: string | null
}

/** What a dry run says about connections. */
export interface ListedConnections {
  readonly connections: readonly ListedConnection[]
  readonly connections_total: number
  /** What is not covered; null when everything is. */
  readonly connections_note: string | null
}

interface Asking {
  readonly identity: Identity | null
  readonly signal: AbortSignal
}

const maxCutAtOnce = 1_000

const unreadable = say`The tracked connections cannot be read on this machine.`
const tooMany = say`More connections are tracked than could be judged.`

export const noConnections: ListedConnections = { connections: [], connections_total: 0, connections_note: null }

export class LiveConnections {
  readonly #parts: LiveConnectionsParts
  #reading: Promise<unknown> = Promise.resolve()
  /** A reading that has not begun yet. */
  #next: Promise<SessionTable> | null = null

  constructor(parts: LiveConnectionsParts) {
    this.#parts = parts
  }

  /** Slots that decide about packets. */
  get slots(): ReadonlySet<string> {
    return this.#parts.slots
  }

  async list(change: PolicyChange, asking: Asking): Promise<ListedConnections> {
    const { total, lines, notes } = await this.#find(change, maxListedConnections, asking)
    const connections = [...lines].map(
      ({ protocol, source, sourcePort, destination, destinationPort, rule, user }) => ({
        protocol,
        source,
        source_port: sourcePort,
        destination,
        destination_port: destinationPort,
        rule,
        user,
      }),
    )
    return { connections, connections_total: total, connections_note: joined(notes) }
  }

  /** `onCut` learns how many ended, also when a later step fails. Resolves with what is not covered. */
  async cut(change: PolicyChange, asking: Asking, onCut: (count: number) => void): Promise<string | null> {
    const { lines, notes } = await this.#find(change, Number.MAX_SAFE_INTEGER, asking)
    const slices = createSlices()
    let targets: CutTarget[] = []
    for (const { rule: _rule, user: _user, ...target } of lines) {
      targets.push(target)
      await slices()
      if (targets.length < maxCutAtOnce) continue
      onCut(await this.#parts.applier.cut(targets))
      targets = []
    }
    if (targets.length > 0) onCut(await this.#parts.applier.cut(targets))
    return joined(notes)
  }

  async #find({ before, after }: PolicyChange, limit: number, asking: Asking) {
    const { services, findPlaces } = this.#parts
    const { text: table, isCut, limitation } = await this.#read()
    if (limitation !== null) return { total: 0, lines: [], notes: [unreadable] }
    if (table === '') return { total: 0, lines: [], notes: [] }
    const { engine, clock } = services
    const question = {
      before,
      after: { ...after, changes: after.changes.map((one) => ({ ...one, before: null })) },
      now: Math.floor(clock.now().getTime() / 1000),
      users: await inSlices(findPlaces(engine.config)),
      table,
      limit,
    }
    const facts = await packFacts(services.facts())
    const { total, withoutPorts, lines } = decodeConnections(
      await services.reader.run('connections', { question, facts }, asking),
    )
    const kept = say`${withoutPorts} refused connections without ports, such as ICMP, cannot be cut.`
    return { total, lines, notes: [...(isCut ? [tooMany] : []), ...(withoutPorts > 0 ? [kept] : [])] }
  }

  /** Those who ask while one is read share the next reading: the table is large, and must not be older than their change. */
  #read(): Promise<SessionTable> {
    this.#next ??= this.#reading.then(() => {
      this.#next = null
      const reading = this.#parts.applier.sessions()
      this.#reading = reading.catch(() => {})
      return reading
    })
    return this.#next
  }
}

const joined = (notes: readonly string[]): string | null => (notes.length === 0 ? null : notes.join(' '))

/** The state of a revision as it is. */
export const stateAt = (revision: number): Preview => ({ revision, changes: [] })
