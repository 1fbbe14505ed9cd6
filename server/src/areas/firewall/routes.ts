// Firewall endpoints: settings, state and status here, the rest in the files beside this one.

import { handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { limitOrigins } from '../../domain/policy/connection-limits.ts'
import { conflictsService } from '../health/service.ts'
import { setUpNetwork } from '../network/contract.ts'
import { connections } from '../network/public.ts'
import { domainsService } from '../objects/service.ts'
import { setUpBehindFirewall } from './adopt.ts'
import { settings, state } from './config.ts'
import { firewallSettings, firewallState, firewallStatus } from './contract.ts'
import { connectionLimits, showConnectionLimits } from './contract-limits.ts'
import { lastRun } from './jobs.ts'
import { limitSettings, limitsInForce, totalInForce } from './limits.ts'
import { policyOf } from './resolve.ts'
import { checkRoutes } from './routes-checks.ts'
import { explainRoutes } from './routes-explain.ts'
import { listRoutesOfAllKinds } from './routes-lists.ts'
import { ruleRoutesOfAllTables } from './routes-rules.ts'
import { connectionGuardService, hitCountersService } from './service.ts'
import { firewallStatusItems } from './status.ts'
import { findUnresolved } from './unresolved.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(firewallSettings, settings),
  ...settingsRoutes(firewallState, state),
  ...settingsRoutes(connectionLimits, limitSettings),
  handle(showConnectionLimits, async ({ config, services }) => {
    const { localHost, outsideHost } = limitsInForce(config, services.facts())
    const guard = services.of(connectionGuardService)
    const hitCounters = services.of(hitCountersService)
    const { tracked, size } = guard?.table() ?? { tracked: 0, size: 0 }
    const hits = await hitCounters.current()
    const refused = (origin: string): number => hits.get(origin)?.packets ?? 0
    return {
      tracked,
      table_size: size,
      local_host: localHost,
      outside_host: outsideHost,
      forwarded: totalInForce(config, size),
      is_full: guard?.isFull() ?? false,
      refused_local: refused(limitOrigins.local),
      refused_outside: refused(limitOrigins.outside),
      refused_dns: refused(limitOrigins.dns) + refused(limitOrigins.dnsPackets),
      refused_full: refused(limitOrigins.full),
      hosts: [...((await guard?.hosts().catch(() => [])) ?? [])],
    }
  }),
  handle(firewallStatus, async ({ config, services }) => {
    const machine = await services.observe()
    const facts = services.facts()
    const policy = policyOf(config, facts)
    const { externalDevices, hardware } = policy
    return firewallStatusItems({
      ...machine,
      config,
      externalDevices,
      routedDevices: facts.externalInterfaces,
      hasHardwareFilter: hardware !== null,
      testsFault: lastRun(services).fault,
      conflicts: services.of(conflictsService).list(),
      unresolved: findUnresolved(config, policy, services.of(domainsService)?.status() ?? new Map()),
    })
  }),
  // Here and not in the area of the network, because it also opens a port.
  handle(setUpNetwork, ({ body, change }) => change((config, tools) => setUpBehindFirewall(config, body, tools)), {
    slot: connections,
  }),
  ...ruleRoutesOfAllTables,
  ...listRoutesOfAllKinds,
  ...checkRoutes,
  ...explainRoutes,
]
