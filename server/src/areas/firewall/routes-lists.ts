// Endpoints of hardware filtering, access control lists and exceptions.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, newId, settingsRoutes } from '../../core/area/routes.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { addTo, updateIn } from '../../core/model/lists.ts'
import type { Item } from '../../core/model/slots.ts'
import * as stored from './config.ts'
import { accessLists, accessOrder, accessState, bypassList } from './contract-access-lists.ts'
import { destinationRules, hardwareSettings, macRules, pairRules, sourceRules } from './contract-hardware.ts'
import { accessBindings, accessList, destinationList, exceptionList, macList, pairList, sourceList } from './lists.ts'

/** The published form: the id is in the body. */
const updateByBody = <T extends Item>(endpoint: Endpoint, list: ListDeclaration<T>): Route =>
  handle<Endpoint>(
    endpoint,
    ({ body, change }) => {
      const { id, ...patch } = body as { readonly id: string }
      return change((config) => updateIn(config, list, id, patch))
    },
    { slot: list.slot },
  )

const { create: createDestination, ...otherDestinationRules } = destinationRules

const hardwareRoutes: readonly Route[] = [
  ...settingsRoutes(hardwareSettings, stored.hardwareSettings),
  ...listRoutes(macRules, macList),
  ...listRoutes(sourceRules, sourceList),
  updateByBody(sourceRules.updateByBody, sourceList),
  ...listRoutes(otherDestinationRules, destinationList),
  handle(
    createDestination,
    ({ body, change }) =>
      change((config, tools) => {
        // With a source it is a rule for pairs.
        const list: ListDeclaration = body.source_ip === undefined ? destinationList : pairList
        const [id] = newId(list, tools)
        return [addTo(config, list, id, body), { id: String(id) }] as const
      }),
    { slot: stored.destinationRules },
  ),
  updateByBody(destinationRules.updateByBody, destinationList),
  ...listRoutes(pairRules, pairList),
]

export const listRoutesOfAllKinds: readonly Route[] = [
  ...hardwareRoutes,
  ...listRoutes(accessLists, accessList),
  ...settingsRoutes(accessOrder, accessBindings),
  ...settingsRoutes(accessState, stored.accessState),
  ...listRoutes(bypassList, exceptionList),
]
