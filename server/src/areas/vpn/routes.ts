// Endpoints of the VPN servers.

import type { Endpoint } from '../../contract/endpoint.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Placement, removeItem } from '../../contract/list-edits.ts'
import { type Item, read } from '../../contract/slots.ts'
import { handle, type Route, rawReply } from '../../http/handle.ts'
import { accessRulesOf, factorsInUse, vpnsInUse } from './access.ts'
import { pushedRoutes as storedRoutes, settings as storedSettings } from './config.ts'
import {
  accessOverview,
  accessRules,
  leaseRules,
  powershell,
  pushedRoutes,
  vpnSettings,
  vpnStatus,
} from './contract.ts'
import {
  accessList,
  addRule,
  leaseList,
  type RuleList,
  replaceRoutes,
  stepRule,
  updateRule,
  updateSettings,
} from './edits.ts'
import { isSstpAvailable, scriptFileName, sstpScript } from './script.ts'
import { vpnStatusOf } from './status.ts'

interface RuleEndpoints {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
  readonly remove: Endpoint
  readonly position: typeof accessRules.position
}

function ruleRoutes<T extends Item, F extends object>(endpoints: RuleEndpoints, rules: RuleList<T, F>): Route[] {
  const { slot, item } = rules
  return [
    handle(endpoints.list, ({ config }) => read(config, slot) as never, { slot }),
    handle(
      endpoints.create,
      ({ body, query, change }) =>
        change((config, tools) => {
          const id = tools.nextId(slot)
          return [addRule(config, rules, id, body as F, query as Placement), { id }] as const
        }) as never,
      { slot },
    ),
    handle(
      endpoints.update,
      ({ params, body, change }) =>
        change((config) => updateRule(config, rules, params.rule_id ?? '', body as F)) as never,
      { slot },
    ),
    handle(
      endpoints.remove,
      ({ params, change }) => change((config) => removeItem(config, slot, params.rule_id ?? '', item)) as never,
      { slot },
    ),
    handle(
      endpoints.position,
      ({ params, body, change }) =>
        change((config) => stepRule(config, rules, params.rule_id ?? '', body.direction)) as never,
      { slot },
    ),
  ]
}

export const routes: readonly Route[] = [
  handle(vpnStatus, ({ config, services }) => vpnStatusOf(config, services.hostName)),
  handle(vpnSettings.show, ({ config }) => read(config, storedSettings), { slot: storedSettings }),
  handle(vpnSettings.update, ({ body, change }) => change((config) => updateSettings(config, body)), {
    slot: storedSettings,
  }),
  handle(powershell.status, ({ config }) => ({ sstp_available: isSstpAvailable(read(config, storedSettings)) })),
  handle(powershell.sstp, ({ config, setHeader }) => {
    const { sstp, dns_suffix } = read(config, storedSettings)
    if (!sstp.enabled || sstp.domain === null) {
      throw new GatewayError('conflict', 'There is no script until SSTP is switched on and its domain is set.')
    }
    setHeader('content-disposition', `attachment; filename="${scriptFileName(sstp.domain)}"`)
    const { mode } = read(config, storedRoutes)
    const script = sstpScript({ domain: sstp.domain, port: sstp.port, dnsSuffix: dns_suffix, mode })
    return rawReply('application/octet-stream', Buffer.from(script))
  }),
  ...ruleRoutes(accessRules, accessList),
  ...ruleRoutes(leaseRules, leaseList),
  handle(accessOverview.vpns, ({ config }) => vpnsInUse(config)),
  handle(accessOverview.factors, ({ config }) => factorsInUse(config)),
  handle(accessOverview.ofUser, ({ params, config }) => accessRulesOf(config, params.user_id ?? '')),
  handle(pushedRoutes.show, ({ config }) => read(config, storedRoutes), { slot: storedRoutes }),
  handle(pushedRoutes.replace, ({ body, change }) => change((config) => replaceRoutes(config, body)), {
    slot: storedRoutes,
  }),
]
