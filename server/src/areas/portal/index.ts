// The portal area: where users sign in to reach external networks, and see their own sessions. The pages are made by a
// separate process (server/src/portald).

import { defineArea } from '../../core/area/handle.ts'
import { settings as authorizationSettings } from '../authorization/public.ts'
import { connections } from '../network/public.ts'
import { portalSettings, settings } from './config.ts'
import { providerSettings, providers, secondFactorList, secondFactors } from './lists-second-factors.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { signInRoutes } from './routes-sign-in.ts'

export const portalArea = defineArea({
  name: 'portal',
  slots: [settings, secondFactors, providers],
  lists: [secondFactorList],
  settings: [portalSettings, providerSettings],
  reads: [authorizationSettings, connections],
  render,
  routes: [...routes, ...signInRoutes],
})
