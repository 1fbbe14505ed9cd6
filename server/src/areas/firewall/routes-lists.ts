// Endpoints of hardware filtering, access control lists and exceptions: lists whose items have ids that tell nothing.

import { randomUUID } from 'node:crypto'
import type { Endpoint } from '../../contract/endpoint.ts'
import { removeItem } from '../../contract/list-edits.ts'
import { type Item, read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import * as stored from './config.ts'
import { accessLists, accessOrder, accessState, bypassList } from './contract-access-lists.ts'
import { destinationRules, hardwareSettings, macRules, pairRules, sourceRules } from './contract-hardware.ts'
import { addTo, type CheckedList, removeAccessList, replaceBindings, updateIn } from './edits.ts'
import { accessListProblems, bypassProblems, macRuleProblems } from './verify-lists.ts'

interface ListEndpoints {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
  readonly remove: Endpoint
}

type StringItem = Item & { readonly id: string }

const defaults = { enabled: true, comment: '' }

const pathId = (params: Readonly<Record<string, string>>): string => Object.values(params)[0] ?? ''

export function listRoutes<T extends StringItem>(
  endpoints: ListEndpoints,
  list: CheckedList<T>,
  missing: object = defaults,
): Route[] {
  const { slot } = list
  return [
    handle(endpoints.list, ({ config }) => read(config, slot) as never, { slot }),
    handle(
      endpoints.create,
      async ({ body, change }) => {
        const id = randomUUID()
        await change((config) => addTo(config, list, { ...missing, ...(body as object), id } as T))
        return { id } as never
      },
      { slot },
    ),
    handle(
      endpoints.update,
      ({ params, body, change }) => change((config) => updateIn(config, list, pathId(params), body as object)) as never,
      { slot },
    ),
    handle(
      endpoints.remove,
      ({ params, change }) => change((config) => removeItem(config, slot, pathId(params), list.item)) as never,
      { slot },
    ),
  ]
}

const nothing = () => []
const item = 'hardware rule'
const sources = { slot: stored.sourceRules, item, problemsOf: nothing }
const destinations = { slot: stored.destinationRules, item, problemsOf: nothing }
const pairs = { slot: stored.pairRules, item, problemsOf: nothing }

/** The published form: the id stands in the body. */
function updateByBody<T extends StringItem>(endpoint: Endpoint, list: CheckedList<T>): Route {
  const handler = ({ body, change }: Parameters<Route['handler']>[0]) => {
    const { id, ...patch } = body as { readonly id: string }
    return change((config) => updateIn(config, list, id, patch))
  }
  return handle(endpoint, handler as never, { slot: list.slot })
}

const hardwareRoutes: readonly Route[] = [
  ...settingsRoutes(hardwareSettings, stored.hardwareSettings),
  ...listRoutes(macRules, { slot: stored.macRules, item, problemsOf: (_, rule) => macRuleProblems(rule) }),
  ...listRoutes(sourceRules, sources),
  updateByBody(sourceRules.updateByBody, sources),
  ...listRoutes(destinationRules, destinations).filter(({ endpoint }) => endpoint !== destinationRules.create),
  handle(
    destinationRules.create,
    async ({ body, change }) => {
      const id = randomUUID()
      const { source_ip, ...rest } = { ...defaults, ...body, id }
      await change((config) =>
        source_ip === undefined ? addTo(config, destinations, rest) : addTo(config, pairs, { ...rest, source_ip }),
      )
      return { id }
    },
    { slot: stored.destinationRules },
  ),
  updateByBody(destinationRules.updateByBody, destinations),
  ...listRoutes(pairRules, pairs),
]

const accessRoutes: readonly Route[] = [
  ...listRoutes(
    accessLists,
    {
      slot: stored.accessLists,
      item: 'access control list',
      problemsOf: (_, list) => accessListProblems(list),
    },
    {},
  ).filter(({ endpoint }) => endpoint !== accessLists.remove),
  handle(accessLists.remove, ({ params, change }) => change((config) => removeAccessList(config, pathId(params))), {
    slot: stored.accessLists,
  }),
  handle(accessOrder.show, ({ config }) => read(config, stored.accessOrder), { slot: stored.accessOrder }),
  handle(accessOrder.update, ({ body, change }) => change((config) => replaceBindings(config, body)), {
    slot: stored.accessOrder,
  }),
  ...settingsRoutes(accessState, stored.accessState),
]

export const listRoutesOfAllKinds: readonly Route[] = [
  ...hardwareRoutes,
  ...accessRoutes,
  ...listRoutes(bypassList, { slot: stored.bypassList, item: 'exception from inspection', problemsOf: bypassProblems }),
]
