// Endpoints of the six tables of console rules.

import { invalid } from '../../contract/error.ts'
import { moveItem, type Placement, removeItem } from '../../contract/list-edits.ts'
import { read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { filterDefaults } from '../firewall/config.ts'
import * as stored from './config.ts'
import * as contract from './contract.ts'
import type { ContentRule } from './contract-content.ts'
import { readGroups } from './contract-tables.ts'
import { addRule, type RuleTable, replaceRule, updateRule } from './edits.ts'
import { contentProblems, firewallProblems } from './verify.ts'

type TableEndpoints = typeof contract.contentBefore | typeof contract.forwardBefore

function tableRoutes<T extends stored.GroupedRule>(endpoints: TableEndpoints, table: RuleTable<T>): Route[] {
  const { slot, item } = table
  return [
    handle(
      endpoints.list,
      ({ config, query }) => {
        const wanted = readGroups(query.groups)
        const rules = read(config, slot)
        return (wanted.length === 0 ? rules : rules.filter((rule) => wanted.includes(rule.parent_id))) as never
      },
      { slot },
    ),
    handle(
      endpoints.create,
      ({ body, query, change }) =>
        change((config, tools) => {
          const id = tools.nextId(slot)
          return [addRule(config, table, id, body, query as Placement), { id }] as const
        }),
      { slot },
    ),
    handle(
      endpoints.update,
      ({ params, body, change }) => change((config) => updateRule(config, table, params.rule_id ?? '', body)),
      { slot },
    ),
    handle(
      endpoints.move,
      ({ body, change }) => {
        const { id, ...placement } = body.params
        return change((config) => moveItem(config, slot, id, placement as Placement, item))
      },
      { slot },
    ),
    handle(
      endpoints.remove,
      ({ params, change }) => change((config) => removeItem(config, slot, params.rule_id ?? '', item)),
      { slot },
    ),
  ]
}

const contentDefaults: Omit<ContentRule, 'id' | 'name' | 'access'> = {
  parent_id: stored.root.id,
  comment: '',
  aliases: ['any'],
  categories: [],
  http_methods: [],
  content_types: [],
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
}

function contentRoutes(endpoints: typeof contract.contentBefore, slot: typeof stored.contentBefore): Route[] {
  const item = 'content filter rule'
  return [
    ...tableRoutes(endpoints, { slot, item, defaults: contentDefaults, problemsOf: contentProblems }),
    handle(
      endpoints.removeByBody,
      ({ body, change }) => {
        const id = body.params?.id ?? body.id
        if (id === undefined) throw invalid('id', 'This field is missing.')
        return change((config) => removeItem(config, slot, id, item))
      },
      { slot },
    ),
  ]
}

function firewallRoutes(endpoints: typeof contract.forwardBefore, slot: typeof stored.forwardBefore): Route[] {
  const table = { slot, item: 'firewall rule', defaults: filterDefaults, problemsOf: firewallProblems }
  return [
    ...tableRoutes(endpoints, table),
    handle(
      endpoints.replace,
      ({ params, body, change }) => change((config) => replaceRule(config, table, params.rule_id ?? '', body)),
      { slot },
    ),
  ]
}

export const ruleRoutes: readonly Route[] = [
  ...contentRoutes(contract.contentBefore, stored.contentBefore),
  ...contentRoutes(contract.contentAfter, stored.contentAfter),
  ...firewallRoutes(contract.forwardBefore, stored.forwardBefore),
  ...firewallRoutes(contract.forwardAfter, stored.forwardAfter),
  ...firewallRoutes(contract.inputBefore, stored.inputBefore),
  ...firewallRoutes(contract.inputAfter, stored.inputAfter),
]
