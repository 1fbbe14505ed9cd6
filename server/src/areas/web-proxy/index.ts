// The web proxy area: how clients reach the Squid side of the web filter, what it leaves alone, and the authority it signs
// with. It renders the proxy and the decision process.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { antivirusSettings, authoritySettings, exclusionList, proxySettings } from './lists.ts'
import { readSlots, render } from './render.ts'
import { routes } from './routes.ts'
import { antivirusRoutes } from './routes-antivirus.ts'
import { explainRoutes } from './routes-explain.ts'

export const webProxy = defineArea({
  name: 'web-proxy',
  slots,
  lists: [exclusionList],
  settings: [proxySettings, antivirusSettings, authoritySettings],
  reads: readSlots,
  render,
  routes: [...routes, ...antivirusRoutes, ...explainRoutes],
})
