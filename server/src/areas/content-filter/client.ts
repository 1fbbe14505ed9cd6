// Who asks in a question about a web request: the user that was named, or the one whose session is at the address. Pure.

import type { Problem } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import type { FilterUser } from '../../domain/web-filter/model.ts'
import { parseAddress, parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { userId } from '../users/public.ts'
import type { ExplainedRequest } from './contract-database.ts'
import { filterUser, placesOfUsers } from './people.ts'

/** What is asked of the sessions of users (areas/authorization/runs). */
export interface KnownSession {
  readonly userId: string
  /** An address, or a network. */
  readonly address: string
  readonly state: 'connected' | 'over_limit'
}

export interface KnownSessions {
  ofUser(userId: string): readonly KnownSession[]
  at(address: string): KnownSession | undefined
}

export interface AskingClient {
  /** Empty where it is not known: then no address of a rule matches. */
  readonly source: string
  readonly user: FilterUser | null
  readonly problems: readonly Problem[]
}

export function findClient(
  config: Config,
  sessions: KnownSessions,
  { source, user: asked }: Pick<ExplainedRequest, 'source' | 'user'>,
): AskingClient {
  const problems: Problem[] = []
  const isAddress = source === undefined || parseAddress(source) !== null
  if (!isAddress) problems.push({ field: 'source', message: say`Must be an IPv4 address.` })
  if (source === undefined && asked === undefined)
    problems.push({ field: 'source', message: say`Send the address of a client, a user or both.` })
  const id = asked === undefined ? userAt(config, sessions, isAddress ? source : undefined) : idOf(asked)
  const user = id === undefined ? null : filterUser(config, id)
  if (asked !== undefined && user === null) problems.push({ field: 'user', message: say`There is no user ${id}.` })
  const place = source ?? (id === undefined ? '' : placeOf(sessions.ofUser(id)))
  return { source: place, user, problems }
}

const idOf = (asked: string | number): string => (`${asked}`.startsWith('user.') ? `${asked}` : userId(asked))

/** By a session; without one by the authorization rule of the host or of the smallest network around it. */
function userAt(config: Config, sessions: KnownSessions, source: string | undefined): string | undefined {
  const address = source === undefined ? null : parseAddress(source)
  if (source === undefined || address === null) return undefined
  const session = sessions.at(source)
  if (session?.state === 'connected') return session.userId
  let best: { readonly prefix: number; readonly id: string } | null = null
  for (const [place, id] of placesOfUsers(config, [])) {
    const network = parseNetwork(place.includes('/') ? place : `${place}/32`)
    if (network === null || address < network.low || address > network.high) continue
    if (best === null || network.prefix > best.prefix) best = { prefix: network.prefix, id }
  }
  return best?.id
}

/** A connected session before one that waits; of a network its first host. */
function placeOf(own: readonly KnownSession[]): string {
  const session = own.find(({ state }) => state === 'connected') ?? own[0]
  const network = session?.address.includes('/') ? parseNetwork(session.address) : null
  if (network) return printAddress(network.high > network.low ? network.low + 1 : network.low)
  return session?.address ?? ''
}
