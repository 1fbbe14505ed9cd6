// The area of the portal of users: its settings, signing in there, and who is signed in.

import { defineArea } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { portalSettings, settings } from './config.ts'
import * as contract from './contract.ts'
import { providerSettings, providers, secondFactorList, secondFactors } from './lists-second-factors.ts'
import { signInRoutes } from './routes-sign-in.ts'

export const portal = defineArea({
  name: 'portal',
  slots: [settings, secondFactors, providers],
  lists: [secondFactorList],
  settings: [portalSettings, providerSettings],
  routes: [...settingsRoutes(contract.portalSettings, portalSettings), ...signInRoutes],
})
