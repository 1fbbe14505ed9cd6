// Endpoints of application control.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { inspectionService } from '../inspection/service.ts'
import { applicationRules, applicationStatus } from './contract.ts'
import { ruleList } from './lists.ts'
import { applicationStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  ...listRoutes(applicationRules, ruleList),
  handle(applicationStatus, async ({ services }) => {
    const machine = await services.observe()
    return applicationStatusItems(machine, services.of(inspectionService).state(machine.observation))
  }),
]
