// Endpoints of the VPN servers.

import { handle, type Route } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { GatewayError } from '../../core/contract/error.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { writeSettings } from '../../core/model/lists.ts'
import { type Item, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
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
import { stepRule, updateVpnSettings } from './edits.ts'
import { accessList, leaseList, routesDeclared } from './lists.ts'
import { isSstpAvailable, scriptFileName, sstpScript } from './script.ts'
import { vpnStatusOf } from './status.ts'

type RuleEndpoints = typeof accessRules | typeof leaseRules

function ruleRoutes<T extends Item>({ position, ...others }: RuleEndpoints, rules: ListDeclaration<T>): Route[] {
  return [
    ...listRoutes(others, rules),
    handle(
      position,
      ({ params, body, change }) => change((config) => stepRule(config, rules, params.rule_id, body.direction)),
      { slot: rules.slot },
    ),
  ]
}

export const routes: readonly Route[] = [
  handle(vpnStatus, ({ config, services }) => vpnStatusOf(config, services.hostName)),
  handle(vpnSettings.show, ({ config }) => read(config, storedSettings), { slot: storedSettings }),
  handle(vpnSettings.update, ({ body, change }) => change((config) => updateVpnSettings(config, body)), {
    slot: storedSettings,
  }),
  handle(powershell.status, ({ config }) => ({ sstp_available: isSstpAvailable(read(config, storedSettings)) })),
  handle(powershell.sstp, ({ config, setHeader }) => {
    const { sstp, dns_suffix } = read(config, storedSettings)
    if (!sstp.enabled || sstp.domain === null) {
      throw new GatewayError('conflict', say`The script is not available. Enable SSTP and set its domain first.`)
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
  handle(accessOverview.ofUser, ({ params, config }) => accessRulesOf(config, params.user_id)),
  handle(pushedRoutes.show, ({ config }) => read(config, storedRoutes), { slot: storedRoutes }),
  handle(pushedRoutes.replace, ({ body, change }) => change((config) => writeSettings(config, routesDeclared, body)), {
    slot: storedRoutes,
  }),
]
