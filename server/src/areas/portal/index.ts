// The portal area: where users sign in to reach external networks, and see their own sessions. The pages are made by a
// separate process (server/src/portal).

import { defineArea } from '../../http/handle.ts'
import { settings as authorizationSettings } from '../authorization/public.ts'
import { connections } from '../network/public.ts'
import { portalSettings, settings } from './config.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const portalArea = defineArea({
  name: 'portal',
  slots: [settings],
  settings: [portalSettings],
  reads: [authorizationSettings, connections],
  render,
  routes,
})
