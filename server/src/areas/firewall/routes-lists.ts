// Endpoints of hardware filtering, access control lists and exceptions: lists whose items have ids that tell nothing.

import { randomUUID } from 'node:crypto'
import type { Endpoint } from '../../contract/endpoint.ts'
import { handle, type Route } from '../../http/handle.ts'
import { collectionRoutes, settingsRoutes } from '../../http/routes.ts'
import { addTo, type ItemList, updateIn } from '../../model/item-list.ts'
import { type Item, read } from '../../model/slots.ts'
import * as stored from './config.ts'
import { type AccessList, accessLists, accessOrder, accessState, bypassList } from './contract-access-lists.ts'
import {
  destinationRules,
  hardwareSettings,
  type MacRule,
  macRules,
  pairRules,
  sourceRules,
} from './contract-hardware.ts'
import { removeAccessList, replaceBindings } from './edits.ts'
import { accessListProblems, bypassProblems, macRuleProblems } from './verify-lists.ts'

const defaults = { enabled: true, comment: '' }
const item = 'hardware rule'
const macs: ItemList<MacRule> = {
  slot: stored.macRules,
  item,
  defaults,
  problemsOf: (_, rule) => macRuleProblems(rule),
}
const sources = { slot: stored.sourceRules, item, defaults }
const destinations = { slot: stored.destinationRules, item, defaults }
const pairs = { slot: stored.pairRules, item, defaults }

/** The published form: the id stands in the body. */
function updateByBody<T extends Item>(endpoint: Endpoint, list: ItemList<T>): Route {
  const handler = ({ body, change }: Parameters<Route['handler']>[0]) => {
    const { id, ...patch } = body as { readonly id: string }
    return change((config) => updateIn(config, list, id, patch))
  }
  return handle(endpoint, handler as never, { slot: list.slot })
}

const { create: createDestination, ...otherDestinationRules } = destinationRules

const hardwareRoutes: readonly Route[] = [
  ...settingsRoutes(hardwareSettings, stored.hardwareSettings),
  ...collectionRoutes(macRules, macs),
  ...collectionRoutes(sourceRules, sources),
  updateByBody(sourceRules.updateByBody, sources),
  ...collectionRoutes(otherDestinationRules, destinations),
  handle(
    createDestination,
    async ({ body, change }) => {
      const id = randomUUID()
      // With a source it is a rule for pairs.
      const list: ItemList<Item> = body.source_ip === undefined ? destinations : pairs
      await change((config) => addTo(config, list, id, body))
      return { id }
    },
    { slot: stored.destinationRules },
  ),
  updateByBody(destinationRules.updateByBody, destinations),
  ...collectionRoutes(pairRules, pairs),
]

const { remove: removeList, ...otherAccessLists } = accessLists
const access: ItemList<AccessList> = {
  slot: stored.accessLists,
  item: 'access control list',
  problemsOf: (_, list) => accessListProblems(list),
}

const accessRoutes: readonly Route[] = [
  ...collectionRoutes(otherAccessLists, access),
  handle(removeList, ({ params, change }) => change((config) => removeAccessList(config, params.acl_id ?? '')), {
    slot: stored.accessLists,
  }),
  handle(accessOrder.show, ({ config }) => read(config, stored.accessOrder), { slot: stored.accessOrder }),
  handle(accessOrder.update, ({ body, change }) => change((config) => replaceBindings(config, body)), {
    slot: stored.accessOrder,
  }),
  ...settingsRoutes(accessState, stored.accessState),
]

const bypasses = { slot: stored.bypassList, item: 'exception from inspection', defaults, problemsOf: bypassProblems }

export const listRoutesOfAllKinds: readonly Route[] = [
  ...hardwareRoutes,
  ...accessRoutes,
  ...collectionRoutes(bypassList, bypasses),
]
