// Endpoints of objects: the same five lines for every kind, and the views over all of them.

import type { Endpoint } from '../../contract/endpoint.ts'
import { notFound } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { perItem } from '../../http/routes.ts'
import { perState, read } from '../../model/slots.ts'
import { connections, tunnels } from '../network/public.ts'
import { fixedGroups, groups, users } from '../users/public.ts'
import { type ObjectKind, objectKinds, objectSlots } from './config.ts'
import * as contract from './contract.ts'
import { addObject, type Fields, removeObject, updateObject } from './edits.ts'
import { countryObjects, fixedObjects, interfaceObjects, isKnownObject, personObject, showObject } from './known.ts'
import { showCountries, showDomains } from './status.ts'

interface ObjectEndpoints {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
  readonly remove: Endpoint
}

const endpointsByPrefix: Readonly<Record<string, ObjectEndpoints>> = {
  ip: contract.ipAddressEndpoints,
  ip_range: contract.ipRangeEndpoints,
  subnet: contract.networkEndpoints,
  domain: contract.domainEndpoints,
  port: contract.portEndpoints,
  port_range: contract.portRangeEndpoints,
  time_range: contract.timeRangeEndpoints,
  address_list: contract.addressListEndpoints,
  ip_address_list: contract.ipAddressListEndpoints,
  port_list: contract.portListEndpoints,
  time_list: contract.timeListEndpoints,
  zone: contract.zoneEndpoints,
  list_of_iplists: contract.countryListEndpoints,
}

const shown = perItem(showObject)
const fixedPeople = fixedGroups.map(personObject)
const shownGroups = perItem(personObject)
const shownUsers = perItem(personObject)

const everyObject = perState([...objectSlots, connections, tunnels, groups, users], (config) =>
  fixedObjects.concat(
    interfaceObjects(config),
    fixedPeople,
    shownGroups(read(config, groups)),
    shownUsers(read(config, users)),
    ...objectKinds.map((kind) => shown(read(config, kind.slot))),
    countryObjects,
  ),
)

function objectRoutes(kind: ObjectKind): Route[] {
  const { slot } = kind
  const { list, create, update, remove } = endpointsByPrefix[kind.prefix] as ObjectEndpoints
  return [
    handle(list, ({ config }) => shown(read(config, slot)) as never, { slot }),
    handle(
      create,
      ({ body, change }) =>
        change((config, tools) => {
          const [next, id] = addObject(config, kind, tools.nextId(slot), body as Fields)
          return [next, { id }] as const
        }) as never,
      { slot },
    ),
    handle(
      update,
      ({ params, body, change }) =>
        change((config) => updateObject(config, kind, params.object_id ?? '', body as Fields)) as never,
      { slot },
    ),
    handle(
      remove,
      ({ params, change, services }) => {
        const id = params.object_id ?? ''
        return change((config) => removeObject(config, kind, id, services.referencesTo(config, id))) as never
      },
      { slot },
    ),
  ]
}

export const routes: readonly Route[] = [
  ...objectKinds.flatMap(objectRoutes),
  handle(contract.listAll, ({ config }) => everyObject(config), { isKept: true }),
  handle(contract.whereUsed, ({ params, config, services }) => {
    const id = params.object_id ?? ''
    if (!isKnownObject(config, id)) throw notFound(`object with the id ${id.slice(0, 80)}`)
    return services.referencesTo(config, id).map(({ object, field, title }) => ({ object, field, title }))
  }),
  handle(contract.domainsState, ({ config, services }) =>
    showDomains(services.domains, config, services.facts().addressBook),
  ),
  handle(contract.geoipState, ({ services }) => showCountries(services.countries)),
]
