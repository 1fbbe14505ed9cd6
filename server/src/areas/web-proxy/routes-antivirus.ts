// The switch and the status of the web antivirus.

import { handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { antivirusState, antivirusStatus } from './contract.ts'
import { antivirusSettings } from './lists.ts'
import { antivirusItems } from './status-antivirus.ts'

export const antivirusRoutes: readonly Route[] = [
  ...settingsRoutes(antivirusState, antivirusSettings),
  handle(antivirusStatus, async ({ config, services }) => antivirusItems(config, await services.observe())),
]
