// What it means that a session begins, changes and ends: which elements of live sets follow, who is over the limit, whose
// connections are cut. In memory and at once; a draft collects what is left to do.

import type { LiveElement } from '../../../core/plan/artifacts.ts'
import { memberSetOf } from '../../../core/plan/live-sets.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'
import { type Draft, hostElement } from './draft.ts'
import type { KnownHosts, KnownRule } from './known-hosts.ts'
import type { UserSession } from './session.ts'
import type { Entry, SessionIndex } from './session-index.ts'

/** Connected sessions of a user; a network counts as one. */
export const maxSessions = 5
/** Sign-ins of a user that wait beside them: who signs in at very many addresses does not fill the sets of all. */
const maxWaiting = 20

export interface Opening extends Pick<UserSession, 'userId' | 'type' | 'address' | 'mac' | 'device' | 'ruleId'> {
  readonly credential: string | null
}

export interface ChangesParts {
  readonly index: SessionIndex
  readonly known: KnownHosts
  readonly clock: Clock
  readonly newId: () => string
  /** The number of the newest comparison with the kernel. */
  readonly tick: () => number
  /** Does the kernel have this live set? */
  readonly hasSet: (set: string) => boolean
}

export class SessionChanges {
  readonly #parts: ChangesParts

  constructor(parts: ChangesParts) {
    this.#parts = parts
  }

  open(draft: Draft, opening: Opening): Entry {
    const { index, known, clock, newId, tick } = this.#parts
    const { credential, ...fields } = opening
    const session = { ...fields, id: newId(), state: 'connected', startedAt: unixSeconds(clock.now()) } as const
    const isAlways = known.rule(session.ruleId ?? '')?.isAlways ?? false
    const expires = isAlways ? Number.POSITIVE_INFINITY : clock.elapsed() + known.idleSeconds()
    const opened: Entry = {
      session,
      login: known.user(session.userId)?.login ?? session.userId,
      credential,
      mustCut: false,
      sets: [],
      hosts: new Set(),
      expires,
      touched: tick(),
      isOpen: true,
    }
    index.add(opened)
    draft.opened.add(opened)
    if (!isAlways) this.addElement(draft, opened)
    this.followMembers(draft, opened)
    // Connections that are older than the session were judged without the user.
    if (opened.sets.length > 0) this.#cut(draft, opened)
    draft.events.push({ session, login: opened.login, end: null })
    this.balance(draft, session.userId)
    if (session.type === 'web') this.#endSurplus(draft, session.userId)
    return opened
  }

  #endSurplus(draft: Draft, userId: string): void {
    const waiting = [...this.#parts.index.ofUser(userId).waiting].filter(({ session }) => session.type === 'web')
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - maxWaiting)))
      this.end(draft, oldest, say`The user signed in at too many addresses.`)
  }

  /** The session of a rule; of one that authorizes a card, at this address. */
  openByRule(draft: Draft, rule: KnownRule, host: Pick<LiveElement, 'address' | 'mac' | 'device'> | null): Entry {
    const address = rule.address ?? host?.address ?? ''
    const { index } = this.#parts
    const before = rule.type === 'net' ? index.atNetwork(address) : index.at(address)
    if (before) this.end(draft, before, say`The address belongs to another rule.`)
    const entry = this.open(draft, {
      userId: rule.userId,
      type: rule.type,
      address,
      mac: rule.mac,
      device: host?.device ?? null,
      ruleId: rule.id,
      credential: null,
    })
    if (rule.type === 'net' && host) entry.hosts.add(host.address)
    return entry
  }

  /** `isSilent`: its element expired; the kernel may have let the host in again since, by a rule, which begins a session. */
  end(draft: Draft, entry: Entry, reason: string, isSilent = false): void {
    const { index } = this.#parts
    const { session } = entry
    index.remove(entry)
    const place = elementOf(session, null)
    if (place && !isSilent) draft.remove(place.set, place.element)
    if (session.state === 'over_limit') draft.remove('auth_suspended', hostElement(session.address))
    for (const set of entry.sets) draft.remove(set, hostElement(session.address))
    draft.changed.delete(entry)
    if (!draft.opened.delete(entry)) {
      draft.ended.set(session.id, { session, credential: entry.credential, state: 'ended', mustCut: true })
    }
    if (session.type !== 'net') draft.cuts.add(session.address)
    for (const host of entry.hosts) this.release(draft, 'auth_net_hosts', hostElement(host), session)
    draft.events.push({ session, login: entry.login, end: reason })
    this.balance(draft, session.userId)
  }

  /** Takes an element out that no session accounts for, and cuts its host. */
  release(draft: Draft, set: string, element: LiveElement, owner?: UserSession): void {
    const { newId, clock } = this.#parts
    draft.remove(set, element)
    draft.cuts.add(element.address)
    const session = {
      id: newId(),
      userId: owner?.userId ?? '',
      type: 'ip',
      address: element.address,
      mac: null,
      device: null,
      startedAt: unixSeconds(clock.now()),
      ruleId: null,
    } as const
    draft.ended.set(session.id, { session, credential: null, state: 'ended', mustCut: true })
  }

  addElement(draft: Draft, { session }: Entry): void {
    const place = elementOf(session, this.#parts.known.idleSeconds())
    if (place) draft.add(place.set, place.element)
  }

  /** Brings the live sets of the user and the groups above to this session. `fresh` sets lost what they had. */
  followMembers(draft: Draft, entry: Entry, fresh: ReadonlySet<string> = new Set()): void {
    const { address, userId, type } = entry.session
    // Addresses of the other rules are in the ruleset itself.
    if (type !== 'mac' && type !== 'web') return
    const { known, hasSet } = this.#parts
    const members = [userId, ...(known.user(userId)?.groups ?? [])]
    const wanted = members.map(memberSetOf).filter(hasSet)
    for (const set of wanted) {
      if (!entry.sets.includes(set) || fresh.has(set)) draft.add(set, hostElement(address))
    }
    for (const set of entry.sets) if (!wanted.includes(set)) draft.remove(set, hostElement(address))
    entry.sets = wanted
  }

  /** At most five sessions of a user are connected: the oldest waits, and comes back when there is room. */
  balance(draft: Draft, userId: string): void {
    const { index } = this.#parts
    const { connected, waiting } = index.ofUser(userId)
    while (connected.size > maxSessions) {
      const oldest = oldestHost(connected)
      if (!oldest) break
      index.setState(oldest, 'over_limit')
      draft.add('auth_suspended', hostElement(oldest.session.address))
      this.#cut(draft, oldest)
      draft.changed.add(oldest)
    }
    for (const first of waiting) {
      if (connected.size >= maxSessions) break
      index.setState(first, 'connected')
      draft.remove('auth_suspended', hostElement(first.session.address))
      draft.changed.add(first)
    }
  }

  #cut(draft: Draft, entry: Entry): void {
    entry.mustCut = true
    draft.cuts.add(entry.session.address)
  }

  /** Why the configuration no longer allows a session, or null. `digest` is that of a password. */
  faultOf({ session, credential }: Entry, digest: (text: string) => string): SaidText | null {
    const { known } = this.#parts
    const user = known.user(session.userId)
    if (!user) return say`The user was deleted.`
    if (user.isDenied) return say`The user is denied access.`
    if (session.ruleId === null)
      return credential === digest(user.credential) ? null : say`The password of the user was changed.`
    const rule = known.rule(session.ruleId)
    if (!rule) return say`The authorization rule was disabled or removed.`
    const isSame =
      rule.userId === session.userId &&
      rule.type === session.type &&
      rule.mac === session.mac &&
      (rule.address === null || rule.address === session.address)
    return isSame ? null : say`The authorization rule was changed.`
  }
}

/** Where the kernel keeps a session; null for a network, whose hosts are kept one by one. */
export function elementOf(
  { type, address, mac }: UserSession,
  seconds: number | null,
): { readonly set: 'auth_hosts' | 'auth_pairs'; readonly element: LiveElement } | null {
  if (type === 'net') return null
  return mac === null
    ? { set: 'auth_hosts', element: hostElement(address, seconds) }
    : { set: 'auth_pairs', element: { address, mac, device: null, seconds } }
}

/** A whole network is never kept out: the kernel knows its hosts only when they come. */
function oldestHost(entries: Iterable<Entry>): Entry | undefined {
  let oldest: Entry | undefined
  for (const entry of entries) {
    if (entry.session.type === 'net') continue
    if (!oldest || entry.session.startedAt < oldest.session.startedAt) oldest = entry
  }
  return oldest
}
