// Keeps the sessions of users: in memory, in the database and as elements of live sets of the kernel. Steps that arrive
// together share one transaction of each. The order of writing makes every crash end well (docs/decisions/0056): what ends is
// recorded before the kernel forgets it, what begins is recorded after the kernel has it, and comparison.ts repairs the rest.

import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as passes } from 'node:timers/promises'
import { GatewayError } from '../../../core/contract/error.ts'
import type { Arrivals, LiveElement } from '../../../core/plan/artifacts.ts'
import { userOfSet } from '../../../core/plan/live-sets.ts'
import { type SaidText, say, verbatim } from '../../../shared/said.ts'
import { elementOf, SessionChanges } from './changes.ts'
import { type Comparison, compare } from './comparison.ts'
import { type Draft, hostElement } from './draft.ts'
import type { KeeperParts, KeeperState } from './keeper-parts.ts'
import type { KnownNews } from './known-hosts.ts'
import { createNeighbours } from './neighbours.ts'
import { oddArrivals } from './odd-arrivals.ts'
import { cutAtOnce, inParts } from './parts.ts'
import type { UserSession, UserSessions } from './session.ts'
import { type Entry, SessionIndex } from './session-index.ts'
import type { SessionEvent } from './session-lines.ts'
import { rowOf, type SessionRow } from './session-rows.ts'
import { Steps } from './steps.ts'

/** Elements that one transaction of the kernel changes at most. */
const maxElements = 4_000
const retrySeconds = 1
/** A comparison that nothing asked for. */
const compareEverySeconds = 600
/** Reading takes at most a fiftieth of the time. */
const pausePerReading = 50
const leastPauseSeconds = 1
const followMilliseconds = 5_000

export class SessionKeeper implements UserSessions {
  readonly #parts: KeeperParts
  readonly #index = new SessionIndex()
  readonly #changes: SessionChanges
  readonly #neighbourAt: ReturnType<typeof createNeighbours>
  readonly #unknownListeners: ((hosts: readonly LiveElement[]) => void)[] = []
  readonly #eventListeners: ((events: readonly SessionEvent[]) => void)[] = []
  readonly #steps: Steps
  /** Over, but their connections may not be cut yet. */
  readonly #endings = new Map<string, SessionRow>()
  /** Sessions whose connections may not be cut yet. */
  readonly #uncut = new Set<Entry>()
  /** Sessions whose state is not stored yet. */
  readonly #unstored = new Set<Entry>()
  #tick = 1
  /** That of the live sets when they were right last. */
  #epoch: string
  #newestEpoch = ''
  #sets: ReadonlySet<string>
  /** Live sets that came since the sessions were brought to them last. */
  #fresh = new Set<string>()
  #compareAt = Number.NEGATIVE_INFINITY
  #sweepAt = Number.POSITIVE_INFINITY
  #notBefore = Number.NEGATIVE_INFINITY
  #isCompared = false
  #isFollowing = false
  #fault: SaidText | null = null
  #isStopped = false
  #wake = (): void => {}

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#changes = new SessionChanges({
      index: this.#index,
      known: parts.known,
      clock: parts.clock,
      newId: randomUUID,
      tick: () => this.#tick,
      hasSet: (set) => this.#sets.has(set),
    })
    this.#neighbourAt = createNeighbours(parts)
    this.#steps = new Steps({
      most: maxElements,
      carryOut: (draft) => this.#carryOut(draft),
      onFault: (error) => this.#note(error),
    })
    this.#sets = parts.liveSets()
    const { epoch, alive } = parts.rows.state
    this.#epoch = epoch
    for (const row of parts.rows.read()) this.#load(row, alive)
    parts.known.news()
  }

  #load(row: SessionRow, alive: number): void {
    const { session, state, credential, mustCut } = row
    if (state === 'ended') {
      this.#endings.set(session.id, row)
      return
    }
    const { known } = this.#parts
    const isAlways = known.rule(session.ruleId ?? '')?.isAlways ?? false
    const entry: Entry = {
      session: { ...session, state },
      login: known.user(session.userId)?.login ?? session.userId,
      credential,
      mustCut,
      sets: [],
      hosts: new Set(),
      expires: isAlways ? Number.POSITIVE_INFINITY : alive + known.idleSeconds(),
      touched: 0,
      isOpen: true,
    }
    this.#index.add(entry)
    if (mustCut) this.#uncut.add(entry)
  }

  list(): readonly UserSession[] {
    return [...this.#index.all()].map(({ session }) => session)
  }

  get state(): KeeperState {
    return {
      sessions: this.#index.size,
      isCompared: this.#isCompared,
      isFollowing: this.#isFollowing,
      fault: this.#fault,
    }
  }

  find(id: string): UserSession | undefined {
    return this.#index.find(id)?.session
  }

  ofUser(userId: string): readonly UserSession[] {
    const { connected, waiting } = this.#index.ofUser(userId)
    return [...connected, ...waiting].map(({ session }) => session)
  }

  at(address: string): UserSession | undefined {
    return (this.#index.at(address) ?? this.#index.around(address))?.session
  }

  /** The user by whose rule the next packet of an address without session is let through. */
  async expectedAt(address: string): Promise<string | undefined> {
    const neighbour = await this.#neighbourAt(address, 'lately').catch(() => null)
    return this.#parts.known.ruleFor(address, neighbour?.mac ?? null)?.userId
  }

  /** The listener gets hosts that nothing authorizes, as the kernel noted them. */
  onUnknown(listener: (hosts: readonly LiveElement[]) => void): void {
    this.#unknownListeners.push(listener)
  }

  /** The listener gets sessions that began or ended, once that is in the kernel. */
  onEvents(listener: (events: readonly SessionEvent[]) => void): void {
    this.#eventListeners.push(listener)
  }

  async openWeb(userId: string, address: string): Promise<UserSession> {
    const neighbour = await this.#neighbourAt(address)
    return this.#steps.take((draft) => {
      const { known } = this.#parts
      const user = known.user(userId)
      if (!user) throw new GatewayError('not_found', say`The user does not exist.`)
      if (user.isDenied) throw new GatewayError('forbidden', say`The user is denied access.`)
      const credential = digest(user.credential)
      const mac = neighbour?.mac ?? null
      const before = this.#index.at(address)
      if (before && isKept(before)) {
        before.touched = this.#tick
        this.#changes.addElement(draft, before)
        return before.session
      }
      if (before && before.session.userId !== userId && known.rule(before.session.ruleId ?? '')?.isAlways)
        throw new GatewayError('conflict', say`The address ${address} is always authorized as another user.`)
      if (before) this.#changes.end(draft, before, say`A user signed in at this address.`)
      const device = neighbour?.device ?? null
      return this.#changes.open(draft, { userId, type: 'web', address, mac, device, ruleId: null, credential }).session

      function isKept({ session, credential: used }: Entry): boolean {
        if (session.userId !== userId || session.state !== 'connected') return false
        return session.type !== 'web' || (session.mac === mac && used === credential)
      }
    })
  }

  end(id: string): Promise<boolean> {
    return this.#steps.take((draft) => {
      const entry = this.#index.find(id)
      if (entry) this.#endOne(draft, entry)
      return entry !== undefined
    })
  }

  endAllOf(userId: string): Promise<void> {
    return this.#steps.take((draft) => {
      const { connected, waiting } = this.#index.ofUser(userId)
      for (const entry of [...waiting, ...connected]) this.#endOne(draft, entry)
    })
  }

  /** A rule that authorizes without traffic begins another session at once. */
  #endOne(draft: Draft, entry: Entry): void {
    this.#changes.end(draft, entry, say`The session was ended.`)
    const rule = this.#parts.known.rule(entry.session.ruleId ?? '')
    if (rule?.isAlways) this.#changes.openByRule(draft, rule, null)
  }

  /** Hosts that the kernel let through. Each is known as a session afterwards, or is no longer let through. */
  async takeArrivals({ epoch, authorized, unknown }: Arrivals): Promise<void> {
    this.#noteEpoch(epoch)
    if (unknown.length > 0) for (const listener of this.#unknownListeners) listener(unknown)
    const odd = await oddArrivals(authorized, { ...this.#parts, index: this.#index, neighbourAt: this.#neighbourAt })
    for (const hosts of inParts(authorized)) {
      await this.#steps.take((draft) => {
        for (const host of hosts) {
          // Connections stay: they have the address of the other one.
          if (odd.get(host) === 'impostor') draft.remove('auth_pairs', { ...host, device: null, seconds: null })
          else this.#arrive(draft, host, !odd.has(host))
          draft.remove('auth_new', { ...host, seconds: null })
        }
      })
    }
  }

  /** Those that were not reported yet. A host that came in by a rule which is gone must not stay until it is. */
  async #takeNoted(): Promise<void> {
    const { epoch, sets } = await this.#parts.applier.readLive(['auth_new'])
    await this.takeArrivals({ epoch, authorized: sets.auth_new ?? [], unknown: [] })
  }

  #arrive(draft: Draft, host: LiveElement, mayBeByCard: boolean): void {
    const { address, mac } = host
    const { known: hosts } = this.#parts
    const rule = mayBeByCard ? hosts.ruleFor(address, mac) : hosts.networkRuleFor(address)
    // It was removed in the meantime.
    if (!rule) {
      this.#release(draft, host)
      return
    }
    const known = rule.type === 'net' ? this.#ofRule(rule.id) : this.#index.at(address)
    if (known?.session.ruleId === rule.id) {
      known.touched = this.#tick
      if (rule.type === 'net') known.hosts.add(address)
      return
    }
    this.#changes.openByRule(draft, rule, host)
  }

  /** Out of every set where it is not the session of another user. */
  #release(draft: Draft, { address, mac }: LiveElement): void {
    const known = this.#index.at(address)
    const own = known && elementOf(known.session, null)
    if (!known) draft.remove('auth_net_hosts', hostElement(address))
    if (own?.set !== 'auth_hosts') this.#changes.release(draft, 'auth_hosts', hostElement(address))
    if (mac !== null && own?.element.mac !== mac) draft.remove('auth_pairs', { ...hostElement(address), mac })
  }

  #ofRule(ruleId: string): Entry | undefined {
    const [entry] = this.#index.ofRule(ruleId)
    return entry
  }

  /** Call after every change of the configuration, before the next one: live sets may come and go. */
  noteSets(): void {
    const sets = this.#parts.liveSets()
    if (sets === this.#sets) return
    for (const set of sets) if (!this.#sets.has(set)) this.#fresh.add(set)
    for (const set of this.#fresh) if (!sets.has(set)) this.#fresh.delete(set)
    this.#sets = sets
  }

  /** Brings the sessions to the configuration. It is over after some seconds in any case; what is missing then is repaired. */
  async followConfiguration(): Promise<void> {
    this.noteSets()
    const { users, rules } = this.#parts.known.news()
    const fresh = this.#fresh
    if (users !== 'all' && users.size + rules.size + fresh.size === 0) return
    this.#fresh = new Set()
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((_, reject) => {
      timer = setTimeout(reject, followMilliseconds, new Error('sessions of users did not follow in time'))
    })
    try {
      await Promise.race([this.#follow(users, rules, fresh), limit])
    } catch (error) {
      this.#note(error)
    } finally {
      clearTimeout(timer)
    }
  }

  async #follow(users: KnownNews['users'], rules: KnownNews['rules'], fresh: ReadonlySet<string>): Promise<void> {
    const { known } = this.#parts
    // A set of one user concerns no one else; every other set may concern everyone.
    const named = [...fresh].map(userOfSet)
    const isAll = users === 'all' || named.includes(null)
    const concerned = users === 'all' ? [] : [...users, ...named.filter((id) => id !== null)]
    const ofUsers = concerned.flatMap((id) => entriesOf(this.#index.ofUser(id)))
    const affected = isAll
      ? this.#index.all()
      : new Set([...ofUsers, ...[...rules].flatMap((id) => [...this.#index.ofRule(id)])])
    for (const entries of inParts(affected)) {
      await this.#steps.take((draft) => {
        for (const entry of entries) if (entry.isOpen) this.#judge(draft, entry, fresh)
      })
    }
    const isOf = (userId: string): boolean => users === 'all' || users.has(userId)
    const isAnyUser = users === 'all' || users.size > 0
    if (isAnyUser || rules.size > 0) await this.#takeNoted()
    const begun = isAnyUser
      ? [...known.always()].filter(({ id, userId }) => isOf(userId) || rules.has(id)).map(({ id }) => id)
      : rules
    await this.#openAlways(begun)
    if ([...fresh].some((set) => set.startsWith('auth_'))) {
      this.#epoch = ''
      await this.#compare(true)
    }
  }

  async #openAlways(ruleIds: Iterable<string>): Promise<void> {
    for (const ids of inParts(ruleIds)) {
      await this.#steps.take((draft) => {
        for (const id of ids) {
          const rule = this.#parts.known.rule(id)
          if (rule?.isAlways && !this.#ofRule(id)) this.#changes.openByRule(draft, rule, null)
        }
      })
    }
  }

  #judge(draft: Draft, entry: Entry, fresh?: ReadonlySet<string>): boolean {
    const fault = this.#changes.faultOf(entry, digest)
    if (fault !== null) {
      this.#changes.end(draft, entry, fault)
      return false
    }
    const { known, clock } = this.#parts
    const isAlways = known.rule(entry.session.ruleId ?? '')?.isAlways ?? false
    if (isAlways) entry.expires = Number.POSITIVE_INFINITY
    else if (entry.expires === Number.POSITIVE_INFINITY) {
      entry.expires = clock.elapsed() + known.idleSeconds()
      entry.touched = this.#tick
      this.#changes.addElement(draft, entry)
    }
    this.#changes.followMembers(draft, entry, fresh)
    return true
  }

  /** What is due: a comparison with the kernel, or a look at which sessions were silent for too long. */
  async maintain(): Promise<void> {
    const now = this.#parts.clock.elapsed()
    const isWhole = now >= this.#compareAt
    if (!isWhole && now < Math.max(this.#sweepAt, this.#notBefore)) return
    try {
      await this.#compare(isWhole)
    } catch (error) {
      this.#note(error)
    }
    const took = this.#parts.clock.elapsed() - now
    this.#notBefore = now + took + Math.max(leastPauseSeconds, took * pausePerReading)
  }

  /** The machine may not have what it should: it is compared soon. */
  compareSoon(): void {
    const pause = this.#fault === null ? 0 : retrySeconds
    this.#compareAt = Math.min(this.#compareAt, this.#parts.clock.elapsed() + pause)
    this.#wake()
  }

  async #compare(isWhole: boolean): Promise<void> {
    const number = ++this.#tick
    const { applier, clock, known, rows } = this.#parts
    const comparison: Comparison = {
      number,
      isWhole,
      epoch: this.#epoch,
      clock,
      known,
      index: this.#index,
      changes: this.#changes,
      memberSets: [...this.#sets].filter((set) => set.startsWith('u_')),
      step: (run) => this.#steps.take(run),
      judge: (draft, entry) => this.#judge(draft, entry),
    }
    if (isWhole) this.#compareAt = clock.elapsed() + retrySeconds
    const { isOther, epoch, missing, nextExpiry } = await compare(comparison, (sets) => applier.readLive(sets))
    this.#sweepAt = nextExpiry
    this.#newestEpoch = epoch
    if (!isWhole) {
      if (isOther) this.compareSoon()
      return
    }
    await this.#openAlways([...known.always()].map(({ id }) => id))
    await this.#steps.take((draft) => {
      for (const [id, row] of this.#endings) draft.ended.set(id, row)
      for (const { session } of this.#endings.values()) if (!isNetwork(session)) draft.cuts.add(session.address)
      for (const { session } of this.#uncut) draft.cuts.add(session.address)
    })
    // A plan that is not applied yet: when its sets are there, they are empty.
    const isComplete = !missing.some((set) => this.#sets.has(set))
    this.#epoch = isComplete ? epoch : ''
    rows.keepState({ epoch: this.#epoch, alive: clock.elapsed() })
    this.#isCompared = isComplete
    this.#fault = null
    this.#compareAt = clock.elapsed() + (isComplete ? compareEverySeconds : retrySeconds)
    if (isComplete) this.#noteEpoch(this.#newestEpoch)
  }

  #noteEpoch(epoch: string): void {
    this.#newestEpoch = epoch
    if (epoch !== this.#epoch) this.compareSoon()
  }

  /** Something failed: the comparison repairs it, and is tried until it succeeds. */
  #note(error: unknown): void {
    if (this.#fault === null && !this.#isStopped) this.#parts.onFault(error)
    this.#fault = verbatim(error instanceof Error ? error.message : String(error))
    this.#isCompared = false
    this.#compareAt = this.#parts.clock.elapsed() + retrySeconds
  }

  async #carryOut(draft: Draft): Promise<void> {
    const { rows, journal, clock, known } = this.#parts
    for (const [id, row] of draft.ended) this.#endings.set(id, row)
    for (const entry of draft.changed) this.#unstored.add(entry)
    const kept = [...draft.changed].filter((entry) => !draft.opened.has(entry)).map(rowOf)
    try {
      if (draft.ended.size > 0 || kept.length > 0) rows.write([...draft.ended.values(), ...kept])
      await this.#changeKernel(draft)
      const stored = [...draft.opened, ...this.#unstored]
      if (stored.length > 0) rows.write(stored.filter(({ isOpen }) => isOpen).map(rowOf))
      this.#unstored.clear()
    } catch (error) {
      // The kernel may have them all the same; the comparison takes them out, or finds the rule that lets them in.
      for (const entry of draft.opened) if (entry.isOpen) this.#index.remove(entry)
      throw error
    }
    for (const entry of draft.opened) entry.touched = this.#tick
    if (draft.opened.size > 0) this.#sweepAt = Math.min(this.#sweepAt, clock.elapsed() + known.idleSeconds())
    journal.write(draft.events)
    for (const listener of this.#eventListeners) listener(draft.events)
    await this.#cut(draft)
  }

  async #changeKernel(draft: Draft): Promise<void> {
    for (const changes of draft.changes(maxElements)) {
      const { epoch } = await this.#parts.applier.changeLive(changes)
      this.#noteEpoch(epoch)
    }
  }

  async #cut(draft: Draft): Promise<void> {
    const { rows, applier } = this.#parts
    const entries = [...draft.opened, ...draft.changed, ...this.#uncut].filter(({ mustCut }) => mustCut)
    for (const entry of entries) this.#uncut.add(entry)
    for (const hosts of inParts(draft.cuts, cutAtOnce)) await applier.cut(hosts.map((host) => ({ host })))
    const done = [...this.#uncut].filter(({ session }) => draft.cuts.has(session.address))
    for (const entry of done) entry.mustCut = false
    if (done.length > 0 || draft.ended.size > 0)
      rows.write(done.filter(({ isOpen }) => isOpen).map(rowOf), draft.ended.keys())
    for (const entry of done) this.#uncut.delete(entry)
    for (const id of draft.ended.keys()) this.#endings.delete(id)
  }

  start(): void {
    void this.#followArrivals()
    void this.#keepUp()
  }

  /** Resolves when nothing is in progress; the database may then be closed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wake()
    await this.#steps.stop()
  }

  async #followArrivals(): Promise<void> {
    while (!this.#isStopped) {
      const began = performance.now()
      try {
        const arrivals = await this.#parts.applier.arrivals()
        if (this.#isStopped) return
        // It was not there for a while, and may have been another process.
        if (!this.#isFollowing) this.compareSoon()
        this.#isFollowing = true
        await this.takeArrivals(arrivals)
        const isNone = arrivals.authorized.length + arrivals.unknown.length === 0
        if (isNone && performance.now() - began < quickMilliseconds)
          await passes(retrySeconds * 1_000, undefined, { ref: false })
      } catch {
        this.#isFollowing = false
        await passes(retrySeconds * 1_000, undefined, { ref: false })
      }
    }
  }

  async #keepUp(): Promise<void> {
    while (!this.#isStopped) {
      await this.maintain()
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leastPauseSeconds * 1_000).unref()
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}

/** An answer without hosts that comes sooner was not waited for. */
const quickMilliseconds = 100

const entriesOf = ({ connected, waiting }: ReturnType<SessionIndex['ofUser']>): Entry[] => [...connected, ...waiting]

const isNetwork = ({ type }: SessionRow['session']): boolean => type === 'net'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
