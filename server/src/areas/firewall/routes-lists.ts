// Endpoints of hardware filtering, access control lists and exceptions: lists whose items have ids that tell nothing.

import { randomUUID } from 'node:crypto'
import type { Endpoint } from '../../contract/endpoint.ts'
import { handle, type Route } from '../../http/handle.ts'
import { listRoutes, settingsRoutes } from '../../http/routes.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { addTo, updateIn } from '../../model/lists.ts'
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
const noun = 'hardware rule'
const ids = { kind: 'uuid' } as const
const macs: ListDeclaration<MacRule> = {
  slot: stored.macRules,
  noun,
  ids,
  defaults,
  problemsOf: (_, rule) => macRuleProblems(rule),
}
const sources = { slot: stored.sourceRules, noun, ids, defaults }
const destinations = { slot: stored.destinationRules, noun, ids, defaults }
const pairs = { slot: stored.pairRules, noun, ids, defaults }

/** The published form: the id stands in the body. */
function updateByBody<T extends Item>(endpoint: Endpoint, list: ListDeclaration<T>): Route {
  const handler = ({ body, change }: Parameters<Route['handler']>[0]) => {
    const { id, ...patch } = body as { readonly id: string }
    return change((config) => updateIn(config, list, id, patch))
  }
  return handle(endpoint, handler as never, { slot: list.slot })
}

const { create: createDestination, ...otherDestinationRules } = destinationRules

const hardwareRoutes: readonly Route[] = [
  ...settingsRoutes(hardwareSettings, stored.hardwareSettings),
  ...listRoutes(macRules, macs),
  ...listRoutes(sourceRules, sources),
  updateByBody(sourceRules.updateByBody, sources),
  ...listRoutes(otherDestinationRules, destinations),
  handle(
    createDestination,
    async ({ body, change }) => {
      const id = randomUUID()
      // With a source it is a rule for pairs.
      const list: ListDeclaration<Item> = body.source_ip === undefined ? destinations : pairs
      await change((config) => addTo(config, list, id, body))
      return { id }
    },
    { slot: stored.destinationRules },
  ),
  updateByBody(destinationRules.updateByBody, destinations),
  ...listRoutes(pairRules, pairs),
]

const { remove: removeList, ...otherAccessLists } = accessLists
const access: ListDeclaration<AccessList> = {
  slot: stored.accessLists,
  noun: 'access control list',
  ids: { kind: 'uuid' },
  problemsOf: (_, list) => accessListProblems(list),
}

const accessRoutes: readonly Route[] = [
  ...listRoutes(otherAccessLists, access),
  handle(removeList, ({ params, change }) => change((config) => removeAccessList(config, params.acl_id ?? '')), {
    slot: stored.accessLists,
  }),
  handle(accessOrder.show, ({ config }) => read(config, stored.accessOrder), { slot: stored.accessOrder }),
  handle(accessOrder.update, ({ body, change }) => change((config) => replaceBindings(config, body)), {
    slot: stored.accessOrder,
  }),
  ...settingsRoutes(accessState, stored.accessState),
]

const bypasses = {
  slot: stored.bypassList,
  ids: { kind: 'uuid' } as const,
  noun: 'exception from inspection',
  defaults,
  problemsOf: bypassProblems,
}

export const listRoutesOfAllKinds: readonly Route[] = [
  ...hardwareRoutes,
  ...accessRoutes,
  ...listRoutes(bypassList, bypasses),
]
