// Firewall endpoints: settings, state and status here, the rest in the files beside this one.

import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { setUpNetwork } from '../network/contract.ts'
import { connections } from '../network/public.ts'
import { setUpBehindFirewall } from './adopt.ts'
import { settings, state } from './config.ts'
import { firewallSettings, firewallState, firewallStatus } from './contract.ts'
import { lastRun } from './jobs.ts'
import { policyOf } from './resolve.ts'
import { checkRoutes } from './routes-checks.ts'
import { explainRoutes } from './routes-explain.ts'
import { listRoutesOfAllKinds } from './routes-lists.ts'
import { ruleRoutesOfAllTables } from './routes-rules.ts'
import { firewallStatusItems } from './status.ts'
import { findUnresolved } from './unresolved.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(firewallSettings, settings),
  ...settingsRoutes(firewallState, state),
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
      conflicts: services.conflicts.list(),
      unresolved: findUnresolved(config, policy, services.domains?.status() ?? new Map()),
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
