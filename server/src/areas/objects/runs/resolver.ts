// Keeps the addresses of domain objects fresh: asks DNS at once and again when an answer runs out. What cannot be
// resolved keeps its last known addresses for a day, and the status says so.

import { Resolver } from 'node:dns/promises'
import { parseAddress } from '../../../shared/net/ipv4.ts'

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

export interface DomainResolver {
  /** The domains there are now; also the moment at which other servers are noticed. */
  update(domains: readonly DomainName[]): void
  status(): ReadonlyMap<string, DomainStatus>
  stop(): void
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
  ENOTFOUND: 'The name does not exist.',
  ENODATA: 'The name has no IPv4 address.',
  ETIMEOUT: 'No DNS server answered in time.',
  ECONNREFUSED: 'No DNS server could be reached.',
  ESERVFAIL: 'The DNS server failed to resolve the name.',
  EREFUSED: 'The DNS server refuses to answer.',
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createDomainResolver(parts: ResolverParts): DomainResolver {
  const { clock } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  const entries = new Map<string, Entry>()
  let servers = [...parts.servers()]
  let resolver = resolverFor(servers)
  let asking = 0
  let isChanged = false
  let isStopped = false
  let waking: NodeJS.Timeout | null = null
  let reporting: NodeJS.Timeout | null = null

  const followServers = (): void => {
    const current = [...parts.servers()]
    if (current.join(' ') === servers.join(' ')) return
    servers = current
    resolver = resolverFor(servers)
    for (const entry of entries.values()) entry.due = clock.elapsed()
  }

  const report = (): void => {
    if (reporting) clearTimeout(reporting)
    reporting = null
    if (!isChanged) return
    isChanged = false
    parts.onAddresses(new Map([...entries].map(([id, entry]) => [id, entry.addresses])))
  }

  const wake = (): void => {
    if (isStopped) return
    followServers()
    for (const entry of entries.values()) {
      if (asking >= maxAtOnce) break
      if (!entry.isAsking && entry.due <= clock.elapsed()) void ask(entry)
    }
    if (asking === 0) report()
    else if (isChanged) reporting ??= setTimeout(report, gatherMilliseconds).unref()
    const next = Math.min(...[...entries.values()].filter((entry) => !entry.isAsking).map((entry) => entry.due))
    if (waking) clearTimeout(waking)
    waking = Number.isFinite(next) ? setTimeout(wake, Math.max(0, next - clock.elapsed()) * 1000 + 1).unref() : null
  }

  const ask = async (entry: Entry): Promise<void> => {
    asking++
    entry.isAsking = true
    const asked = resolver
    try {
      take(entry, await asked.resolve4(entry.name, { ttl: true }))
    } catch (error) {
      miss(entry, error as NodeJS.ErrnoException)
    }
    if (asked !== resolver) entry.due = clock.elapsed()
    entry.isAsking = false
    asking--
    wake()
  }

  const take = (entry: Entry, records: readonly { readonly address: string; readonly ttl: number }[]): void => {
    const now = clock.elapsed()
    const lasts = Math.min(...records.map((record) => record.ttl))
    setAddresses(entry, sorted(records.map((record) => record.address)))
    entry.resolvedAt = Math.floor(clock.now().getTime() / 1000)
    entry.error = null
    entry.expires = now + limits.keepSeconds
    entry.due = now + Math.min(Math.max(lasts, limits.shortestSeconds), limits.longestSeconds)
  }

  const miss = (entry: Entry, error: NodeJS.ErrnoException): void => {
    const now = clock.elapsed()
    const reason = resolverWords[error.code ?? ''] ?? `DNS failed: ${error.code ?? 'unknown'}.`
    if (now >= entry.expires) setAddresses(entry, [])
    const isKept = entry.addresses.length > 0
    entry.error = isKept ? `${reason} The addresses of the last answer stay in use.` : reason
    entry.due = now + limits.shortestSeconds
  }

  const setAddresses = (entry: Entry, addresses: readonly string[]): void => {
    if (addresses.join(' ') === entry.addresses.join(' ')) return
    entry.addresses = addresses
    isChanged = true
  }

  return {
    update: (domains) => {
      const wanted = new Map(domains.map((domain) => [domain.id, domain.value]))
      for (const [id, entry] of entries) {
        if (wanted.get(id) === entry.name) continue
        entries.delete(id)
        isChanged = true
      }
      for (const [id, name] of wanted) if (!entries.has(id)) entries.set(id, newEntry(name, clock.elapsed()))
      wake()
    },
    status: () =>
      new Map(
        [...entries].map(([id, { addresses, resolvedAt, error }]) => [id, { addresses, resolvedAt, error }] as const),
      ),
    stop: () => {
      isStopped = true
      if (waking) clearTimeout(waking)
      if (reporting) clearTimeout(reporting)
      resolver.cancel()
    },
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
