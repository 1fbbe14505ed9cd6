// Keeps the addresses of domain objects fresh: asks DNS at once and again when an answer runs out. What cannot be
// resolved keeps its last known addresses for a day, and the status says so.

import { Resolver } from 'node:dns/promises'
import { parseAddress } from '../../../shared/net/ipv4.ts'
import { say } from '../../../shared/said.ts'

export interface DomainName {
  readonly id: string
  readonly value: string
}

export interface DomainStatus {
  readonly addresses: readonly string[]
  /** Unix seconds of the last good answer. */
  readonly resolvedAt: number | null
  readonly error: string | null
}

export interface ResolverParts {
  /** DNS servers, `address` or `address:port`; none means those of the system. */
  readonly servers: () => readonly string[]
  /** Gets the addresses of all domains whenever one of them changed. */
  readonly onAddresses: (addresses: ReadonlyMap<string, readonly string[]>) => void
  readonly clock: { now(): Date; elapsed(): number }
  readonly limits?: Partial<Limits>
}

interface Limits {
  /** However short or long a server says that its answer lasts. */
  readonly shortestSeconds: number
  readonly longestSeconds: number
  /** For how long old addresses replace an answer. */
  readonly keepSeconds: number
}

const defaultLimits: Limits = { shortestSeconds: 30, longestSeconds: 3600, keepSeconds: 24 * 3600 }

const maxAtOnce = 16
const maxAddresses = 256
/** Answers that arrive together are reported together: each report costs a new ruleset. */
const gatherMilliseconds = 1_000

interface Entry {
  readonly name: string
  addresses: readonly string[]
  resolvedAt: number | null
  error: string | null
  /** Elapsed seconds at which old addresses are given up. */
  expires: number
  due: number
  isAsking: boolean
}

export const resolverWords: Readonly<Record<string, string>> = {
  ENOTFOUND: say`The name does not exist.`,
  ENODATA: say`The name has no IPv4 address.`,
  ETIMEOUT: say`No DNS server answered in time.`,
  ECONNREFUSED: say`No DNS server could be reached.`,
  ESERVFAIL: say`The DNS server failed to resolve the name.`,
  EREFUSED: say`The DNS server refuses to answer.`,
}

export class DomainResolver {
  readonly #parts: ResolverParts
  readonly #clock: ResolverParts['clock']
  readonly #limits: Limits
  readonly #entries = new Map<string, Entry>()
  #servers: string[]
  #resolver: Resolver
  #asking = 0
  #isChanged = false
  #isStopped = false
  #waking: NodeJS.Timeout | null = null
  #reporting: NodeJS.Timeout | null = null

  constructor(parts: ResolverParts) {
    this.#parts = parts
    this.#clock = parts.clock
    this.#limits = { ...defaultLimits, ...parts.limits }
    this.#servers = [...parts.servers()]
    this.#resolver = resolverFor(this.#servers)
  }

  /** The domains there are now; also the moment at which other servers are noticed. */
  update(domains: readonly DomainName[]): void {
    const wanted = new Map(domains.map((domain) => [domain.id, domain.value]))
    for (const [id, entry] of this.#entries) {
      if (wanted.get(id) === entry.name) continue
      this.#entries.delete(id)
      this.#isChanged = true
    }
    for (const [id, name] of wanted)
      if (!this.#entries.has(id)) this.#entries.set(id, newEntry(name, this.#clock.elapsed()))
    this.#wake()
  }

  status(): ReadonlyMap<string, DomainStatus> {
    return new Map(
      [...this.#entries].map(
        ([id, { addresses, resolvedAt, error }]) => [id, { addresses, resolvedAt, error }] as const,
      ),
    )
  }

  stop(): void {
    this.#isStopped = true
    if (this.#waking) clearTimeout(this.#waking)
    if (this.#reporting) clearTimeout(this.#reporting)
    this.#resolver.cancel()
  }

  #followServers(): void {
    const current = [...this.#parts.servers()]
    if (current.join(' ') === this.#servers.join(' ')) return
    this.#servers = current
    this.#resolver = resolverFor(this.#servers)
    for (const entry of this.#entries.values()) entry.due = this.#clock.elapsed()
  }

  #report(): void {
    if (this.#reporting) clearTimeout(this.#reporting)
    this.#reporting = null
    if (!this.#isChanged) return
    this.#isChanged = false
    this.#parts.onAddresses(new Map([...this.#entries].map(([id, entry]) => [id, entry.addresses])))
  }

  #wake(): void {
    if (this.#isStopped) return
    this.#followServers()
    for (const entry of this.#entries.values()) {
      if (this.#asking >= maxAtOnce) break
      if (!entry.isAsking && entry.due <= this.#clock.elapsed()) void this.#ask(entry)
    }
    if (this.#asking === 0) this.#report()
    else if (this.#isChanged) this.#reporting ??= setTimeout(() => this.#report(), gatherMilliseconds).unref()
    const next = Math.min(...[...this.#entries.values()].filter((entry) => !entry.isAsking).map((entry) => entry.due))
    if (this.#waking) clearTimeout(this.#waking)
    const milliseconds = Math.max(0, next - this.#clock.elapsed()) * 1000 + 1
    this.#waking = Number.isFinite(next) ? setTimeout(() => this.#wake(), milliseconds).unref() : null
  }

  async #ask(entry: Entry): Promise<void> {
    this.#asking++
    entry.isAsking = true
    const asked = this.#resolver
    try {
      this.#take(entry, await asked.resolve4(entry.name, { ttl: true }))
    } catch (error) {
      this.#miss(entry, error as NodeJS.ErrnoException)
    }
    if (asked !== this.#resolver) entry.due = this.#clock.elapsed()
    entry.isAsking = false
    this.#asking--
    this.#wake()
  }

  #take(entry: Entry, records: readonly { readonly address: string; readonly ttl: number }[]): void {
    const now = this.#clock.elapsed()
    const lasts = Math.min(...records.map((record) => record.ttl))
    this.#setAddresses(entry, sorted(records.map((record) => record.address)))
    entry.resolvedAt = Math.floor(this.#clock.now().getTime() / 1000)
    entry.error = null
    entry.expires = now + this.#limits.keepSeconds
    entry.due = now + Math.min(Math.max(lasts, this.#limits.shortestSeconds), this.#limits.longestSeconds)
  }

  #miss(entry: Entry, error: NodeJS.ErrnoException): void {
    const now = this.#clock.elapsed()
    const reason = resolverWords[error.code ?? ''] ?? say`DNS failed: ${error.code ?? 'unknown'}.`
    if (now >= entry.expires) this.#setAddresses(entry, [])
    const isKept = entry.addresses.length > 0
    entry.error = isKept ? say`${reason} The addresses of the last answer stay in use.` : reason
    entry.due = now + this.#limits.shortestSeconds
  }

  #setAddresses(entry: Entry, addresses: readonly string[]): void {
    if (addresses.join(' ') === entry.addresses.join(' ')) return
    entry.addresses = addresses
    this.#isChanged = true
  }
}

const newEntry = (name: string, now: number): Entry => ({
  name,
  addresses: [],
  resolvedAt: null,
  error: null,
  expires: now,
  due: now,
  isAsking: false,
})

/** Anything else would make the resolver throw. */
function isServer(text: string): boolean {
  const [host = '', port = '53', ...rest] = text.split(':')
  return parseAddress(host) !== null && /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535 && rest.length === 0
}

export function resolverFor(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const usable = servers.filter(isServer)
  if (usable.length > 0) resolver.setServers(usable)
  return resolver
}

/** In one order whatever the server's: many rotate their answers. */
const sorted = (addresses: readonly string[]): readonly string[] =>
  [...new Set(addresses)].sort((a, b) => (parseAddress(a) ?? 0) - (parseAddress(b) ?? 0)).slice(0, maxAddresses)
