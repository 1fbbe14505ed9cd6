// Endpoints of objects: the same five lines for every kind, and the views over all of them.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, perItem } from '../../core/area/routes.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { notFound } from '../../core/contract/error.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { perState, read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { say } from '../../shared/said.ts'
import { connections, tunnels } from '../network/public.ts'
import { fixedGroups, groups, users } from '../users/public.ts'
import { ipAddressLists, kindOfSlot, objectKinds, objectSlots, type StoredList, type StoredObject } from './config.ts'
import * as contract from './contract.ts'
import { changeValues } from './edits.ts'
import { countryObjects, fixedObjects, interfaceObjects, isKnownObject, personObject, showObject } from './known.ts'
import { objectLists, valueLists } from './lists.ts'
import { countriesService, domainsService } from './service.ts'
import { showCountries, showDomains } from './status.ts'

interface ObjectEndpoints {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
  readonly remove: Endpoint
}

type ListEndpoints = typeof contract.ipAddressListEndpoints

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

const routesOf = (list: ListDeclaration<StoredObject>): Route[] =>
  listRoutes(endpointsByPrefix[kindOfSlot(list.slot).prefix] ?? {}, list, { shown: perItem(showObject) })

function valuesRouteOf(list: ListDeclaration<StoredList>): Route {
  const { slot } = list
  const { values } = endpointsByPrefix[kindOfSlot(slot).prefix] as ListEndpoints
  const maxValues = slot.key === ipAddressLists.key ? contract.maxAddresses : contract.maxMembers
  return handle(
    values,
    ({ params, body, change }) =>
      change((config) => changeValues(config, list, params.object_id ?? '', body, maxValues)),
    { slot },
  )
}

export const routes: readonly Route[] = [
  ...objectLists.flatMap(routesOf),
  ...valueLists.map(valuesRouteOf),
  handle(contract.listAll, ({ config }) => everyObject(config), { isKept: true }),
  handle(contract.whereUsed, ({ params, config, services }) => {
    const id = params.object_id
    if (!isKnownObject(config, id)) throw notFound(say`object with the id ${id.slice(0, 80)}`)
    return services.referencesTo(config, id).map(({ object, field, title }) => ({ object, field, title }))
  }),
  handle(contract.useCounts, async ({ config, services }) => {
    const slices = createSlices()
    const counts: { id: string; uses: number }[] = []
    for (const { id } of objectSlots.flatMap((slot) => read(config, slot))) {
      const uses = services.referencesTo(config, id).length
      if (uses > 0) counts.push({ id, uses })
      await slices()
    }
    return counts
  }),
  handle(contract.domainsState, ({ config, services }) =>
    showDomains(services.of(domainsService), config, services.facts().addressBook),
  ),
  handle(contract.geoipState, ({ services }) => showCountries(services.of(countriesService))),
]
