// The endpoints of all areas, gathered from their contracts without loading the server. contracts.test.ts holds the
// list against areas/index.ts: a new area is added here too.

import * as administrators from '../areas/administrators/contract.ts'
import * as configuration from '../areas/configuration/contract.ts'
import * as firewall from '../areas/firewall/contract.ts'
import * as firewallLog from '../areas/firewall-log/contract.ts'
import * as journal from '../areas/journal/contract.ts'
import * as licence from '../areas/licence/contract.ts'
import * as network from '../areas/network/contract.ts'
import * as objects from '../areas/objects/contract.ts'
import * as signIn from '../areas/sign-in/contract.ts'
import * as statistics from '../areas/statistics/contract.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { AreaEndpoints } from '../contract/openapi.ts'

const modules: Readonly<Record<string, object>> = {
  'sign-in': signIn,
  administrators,
  configuration,
  journal,
  licence,
  statistics,
  objects,
  network,
  firewall,
  'firewall-log': firewallLog,
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isEndpoint = (value: unknown): value is Endpoint =>
  isObject(value) && 'method' in value && 'path' in value && 'access' in value && 'effect' in value

/** Contracts export endpoints alone or in groups such as `{ show, update }`; schemas beside them are passed over. */
export const endpointsIn = (module: object): Endpoint[] =>
  Object.values(module).flatMap((value) => {
    if (isEndpoint(value)) return [value]
    return isObject(value) ? Object.values(value).filter(isEndpoint) : []
  })

export const contracts: readonly AreaEndpoints[] = Object.entries(modules).map(([name, module]) => ({
  name,
  endpoints: endpointsIn(module),
}))

export const allEndpoints: readonly Endpoint[] = contracts.flatMap((area) => area.endpoints)
