// Joining domains. The progress of a join is state of the machine, so it is kept here and not in the configuration: a
// reverted revision must not say that a join is running.

import type { Services } from '../../core/area/handle.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'
import type { Domain } from './config.ts'
import type { AldDomain } from './contract.ts'

export type Join = Pick<AldDomain, 'status' | 'error'>

const noJoin = say`Stored; joining a directory is not part of this release yet, so the gateway is not a member of the domain.`
const notJoined: Join = { status: 'error', error: noJoin }

/** By the id of the domain; per gateway in this process, of which there is one outside of tests. */
const joins = new WeakMap<Services['engine'], Map<string, Join>>()

export const joinOf = ({ engine }: Pick<Services, 'engine'>, { id }: Domain): Join =>
  joins.get(engine)?.get(id) ?? notJoined

/** Returns at once; `joinOf` shows the progress. */
export function startJoin(services: Services, domain: Domain, join: () => Promise<void>): void {
  const known = joins.get(services.engine) ?? new Map<string, Join>()
  joins.set(services.engine, known)
  known.set(domain.id, { status: 'init', error: '' })
  join().then(
    () => known.set(domain.id, { status: 'completed', error: '' }),
    (error: Error) => {
      known.set(domain.id, { status: 'error', error: error.message })
      services.audit.noteOwn(`Join of the domain ${domain.name}`, 'failed', error.message)
    },
  )
}

/** The only join this release has: it contacts no server and uses no account. */
export const joinDirectory = async (): Promise<void> => {
  throw new GatewayError('unavailable', noJoin)
}

export function refuseWhileJoining(services: Services, domain: Domain): void {
  if (joinOf(services, domain).status === 'init')
    throw new GatewayError(
      'conflict',
      say`The domain ${domain.name} is being joined. Try again when the join has ended.`,
    )
}
