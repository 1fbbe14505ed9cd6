// Compares the live sets of the kernel with the sessions: who was silent for too long, what the kernel lost, what it has that
// no session accounts for. In steps of some hundred, between which sign-ins have their turn; what happened after the reading
// is left alone, and every repair can be done twice.

import type { LiveElement, LiveReading } from '../../../core/plan/artifacts.ts'
import { say } from '../../../shared/said.ts'
import type { Clock } from '../../../shared/time/clock.ts'
import { elementOf, type SessionChanges } from './changes.ts'
import { type Draft, hostElement } from './draft.ts'
import type { KnownHosts } from './known-hosts.ts'
import { inParts } from './parts.ts'
import type { Entry, SessionIndex } from './session-index.ts'

export interface Comparison {
  /** Entries that were touched since this number are alive. */
  readonly number: number
  /** With suspended hosts and members; otherwise only who was silent. */
  readonly isWhole: boolean
  /** That of the sets when they were right last. */
  readonly epoch: string
  readonly memberSets: readonly string[]
  readonly index: SessionIndex
  readonly changes: SessionChanges
  readonly known: KnownHosts
  readonly clock: Clock
  step<T>(run: (draft: Draft) => T): Promise<T>
  /** Brings an entry to the configuration; false when that ended it. */
  judge(draft: Draft, entry: Entry): boolean
}

export interface Compared {
  readonly epoch: string
  /** The sets may have lost elements since they were right. */
  readonly isOther: boolean
  /** Sets that the kernel does not have. */
  readonly missing: readonly string[]
  /** Elapsed seconds before which no session was silent for too long. */
  readonly nextExpiry: number
}

const sessionSets = ['auth_hosts', 'auth_pairs', 'auth_net_hosts'] as const
type SessionSet = (typeof sessionSets)[number]

export async function compare(
  comparison: Comparison,
  read: (sets: readonly string[]) => Promise<LiveReading>,
): Promise<Compared> {
  const { isWhole, memberSets, step, index, clock } = comparison
  const names = [...sessionSets, ...(isWhole ? ['auth_suspended', ...memberSets] : [])]
  const reading = await read(names)
  const isOther = reading.epoch !== comparison.epoch
  const missing = names.filter((name) => reading.sets[name] === undefined)
  const view = new View(comparison, reading, isOther)
  // What was lost is filled by the whole comparison, which follows.
  if (isOther && !isWhole) return { epoch: reading.epoch, isOther, missing, nextExpiry: clock.elapsed() }
  for (const set of sessionSets) {
    for (const elements of inParts(reading.sets[set] ?? []))
      await step((draft) => {
        for (const element of elements) view.matchElement(draft, set, element)
      })
  }
  let nextExpiry = Number.POSITIVE_INFINITY
  for (const entries of inParts(index.all()))
    await step((draft) => {
      for (const entry of entries) {
        if (entry.isOpen) view.matchEntry(draft, entry)
        if (entry.isOpen) nextExpiry = Math.min(nextExpiry, entry.expires)
      }
    })
  if (!isWhole) return { epoch: reading.epoch, isOther, missing, nextExpiry }
  for (const set of ['auth_suspended', ...memberSets]) {
    for (const elements of inParts(reading.sets[set] ?? []))
      await step((draft) => {
        for (const { address } of elements) {
          if (!isHolder(index.at(address), set)) draft.remove(set, hostElement(address))
        }
      })
  }
  return { epoch: reading.epoch, isOther, missing, nextExpiry }
}

const isHolder = (entry: Entry | undefined, set: string): boolean =>
  set === 'auth_suspended' ? entry?.session.state === 'over_limit' : (entry?.sets.includes(set) ?? false)

class View {
  readonly #comparison: Comparison
  readonly #reading: LiveReading
  readonly #isOther: boolean
  readonly #seen = new Set<Entry>()
  readonly #hosts = new Map<Entry, string[]>()
  readonly #addresses = new Map<string, ReadonlySet<string>>()

  constructor(comparison: Comparison, reading: LiveReading, isOther: boolean) {
    this.#comparison = comparison
    this.#reading = reading
    this.#isOther = isOther
  }

  /** Finds the session of an element. One that a rule lets in has its session now; any other is taken out. */
  matchElement(draft: Draft, set: SessionSet, element: LiveElement): void {
    const { index, known, changes } = this.#comparison
    const entry = set === 'auth_net_hosts' ? index.around(element.address) : index.at(element.address)
    if (entry && isOf(entry, set, element)) {
      this.#noteSeen(entry, set, element)
      return
    }
    // A session of this address is newer than the reading, or the element is left from another one.
    const rule =
      set === 'auth_net_hosts' ? known.networkRuleFor(element.address) : known.ruleFor(element.address, element.mac)
    const isRules = rule !== null && (rule.type === 'net') === (set === 'auth_net_hosts')
    if (isRules && !entry) this.#noteSeen(changes.openByRule(draft, rule, element), set, element)
    else if (entry && entry.touched >= this.#comparison.number) return
    else changes.release(draft, set, { ...element, seconds: null })
  }

  #noteSeen(entry: Entry, set: SessionSet, { address, seconds }: LiveElement): void {
    const left = this.#comparison.clock.elapsed() + (seconds ?? 0)
    const isFirst = !this.#seen.has(entry)
    this.#seen.add(entry)
    // A network is silent when all of its hosts are.
    const isLater = isFirst || left > entry.expires
    if (entry.expires !== Number.POSITIVE_INFINITY && isLater) entry.expires = left
    if (set !== 'auth_net_hosts') return
    entry.hosts.add(address)
    const hosts = this.#hosts.get(entry)
    if (hosts) hosts.push(address)
    else this.#hosts.set(entry, [address])
  }

  matchEntry(draft: Draft, entry: Entry): void {
    const { isWhole, judge, changes, number } = this.#comparison
    if (isWhole && !judge(draft, entry)) return
    if (entry.touched < number && this.#isSilent(draft, entry)) {
      changes.end(draft, entry, say`There was no traffic.`, true)
      return
    }
    if (!isWhole) return
    const { session, sets } = entry
    if (session.state === 'over_limit' && !this.#has('auth_suspended', session.address)) {
      draft.add('auth_suspended', hostElement(session.address))
      // It may have got in in the meantime.
      draft.cuts.add(session.address)
    }
    for (const set of sets) if (!this.#has(set, session.address)) draft.add(set, hostElement(session.address))
    changes.balance(draft, session.userId)
  }

  /** Fills what the kernel lost on the way. */
  #isSilent(draft: Draft, entry: Entry): boolean {
    const { clock, changes } = this.#comparison
    const isOver = clock.elapsed() >= entry.expires
    if (entry.expires === Number.POSITIVE_INFINITY) return false
    const set = elementOf(entry.session, null)?.set ?? 'auth_net_hosts'
    // Without the set nothing is noted of the traffic.
    if (this.#reading.sets[set] === undefined) return isOver
    if (set === 'auth_net_hosts') {
      entry.hosts.clear()
      for (const host of this.#hosts.get(entry) ?? []) entry.hosts.add(host)
    }
    if (this.#seen.has(entry)) return false
    if (!this.#isOther || isOver) return true
    changes.addElement(draft, entry)
    return false
  }

  #has(set: string, address: string): boolean {
    const elements = this.#addresses.get(set) ?? new Set(this.#reading.sets[set]?.map((element) => element.address))
    this.#addresses.set(set, elements)
    return elements.has(address)
  }
}

function isOf({ session }: Entry, set: SessionSet, { mac }: LiveElement): boolean {
  const place = elementOf(session, null)
  return place === null ? set === 'auth_net_hosts' : place.set === set && place.element.mac === mac
}
