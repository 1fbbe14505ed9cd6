// Live connections that a change of the configuration refuses: the question for a worker, its answer, and where users are, in a
// form that is quickly sent. Pure.

import type { Preview } from '../../core/config/change.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Facts, TrackedEnds } from '../../core/plan/facts.ts'
import { createJudge, type Place, type RefusedConnection } from '../../domain/policy/refused-connections.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { findUser, groupPath } from '../users/public.ts'
import type { KnownSession, KnownSessions } from './people.ts'
import { policyOf } from './resolve.ts'

/** Sessions as lines `address user group state mac`, and the groups above each group. */
export interface UserPlaces {
  readonly lines: string
  readonly paths: Readonly<Record<string, readonly string[]>>
}

export interface ConnectionsQuestion {
  /** A revision, and what would be changed in it. */
  readonly before: Preview
  readonly after: Preview
  /** Unix seconds. */
  readonly now: number
  readonly users: UserPlaces
  /** Lines as in /proc/net/nf_conntrack. */
  readonly table: string
  /** How many are listed at most. */
  readonly limit: number
}

const sessionsAtOnce = 100

/** Yields between its steps: there may be twenty thousand sessions. */
export function* findPlaces(config: Config, sessions: Pick<KnownSessions, 'list'>): Generator<void, UserPlaces> {
  const paths: Record<string, readonly string[]> = {}
  const lines: string[] = []
  for (const session of sessions.list()) {
    const group = findUser(config, session.userId)?.parent_id
    if (group === undefined) continue
    paths[group] ??= groupPath(config, group)
    lines.push([session.address, session.userId, group, session.state, session.mac ?? ''].join(' '))
    if (lines.length % sessionsAtOnce === 0) yield
  }
  return { lines: lines.join('\n'), paths }
}

export interface Refused {
  readonly total: number
  readonly withoutPorts: number
  readonly listed: readonly RefusedConnection[]
}

export function answerConnections(
  before: Config,
  after: Config,
  facts: Facts,
  { now: time, users, table, limit }: Pick<ConnectionsQuestion, 'now' | 'users' | 'table' | 'limit'>,
  parse: (line: string) => TrackedEnds | null,
): Refused {
  const judge = createJudge({
    facts,
    time,
    before: policyOf(before, facts),
    after: policyOf(after, facts),
    placeOf: readPlaces(users).at,
  })
  const listed: RefusedConnection[] = []
  let [total, withoutPorts] = [0, 0]
  for (let at = 0; at < table.length; ) {
    const end = table.indexOf('\n', at)
    const line = table.slice(at, end < 0 ? table.length : end)
    at += line.length + 1
    const connection = parse(line)
    const refused = connection && judge(connection)
    if (!refused) continue
    if (refused.connection.sourcePort === null) withoutPorts++
    else if (total++ < limit) listed.push(refused)
  }
  return { total, withoutPorts, listed }
}

interface ReadPlaces {
  readonly hosts: ReadonlyMap<number, Place>
  /** A host by its own session before the network that it is in. */
  at(address: number): Place | undefined
}

export function readPlaces({ lines, paths }: UserPlaces): ReadPlaces {
  const hosts = new Map<number, Place>()
  const networks: { readonly low: number; readonly high: number; readonly place: Place }[] = []
  for (const line of lines === '' ? [] : lines.split('\n')) {
    const [address = '', user = '', group = '', state, mac] = line.split(' ')
    const isSuspended = state === ('over_limit' satisfies KnownSession['state'])
    const place: Place = { members: [user, ...(paths[group] ?? [])], isSuspended, mac: mac || null }
    const host = parseAddress(address)
    const network = host === null ? parseNetwork(address) : null
    if (host !== null) hosts.set(host, place)
    else if (network !== null) networks.push({ low: network.low, high: network.high, place })
  }
  networks.sort((a, b) => a.high - a.low - (b.high - b.low))
  return {
    hosts,
    at: (address) => hosts.get(address) ?? networks.find(({ low, high }) => low <= address && address <= high)?.place,
  }
}
