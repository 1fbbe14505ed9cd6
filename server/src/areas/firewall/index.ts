// The firewall area: rules of five tables, hardware filtering, access lists and rule tests, compiled into nftables.

import { defineArea } from '../../core/area/handle.ts'
import { authorizationRules, settings as authorizationSettings } from '../authorization/public.ts'
import { discoverySettings } from '../device-discovery/public.ts'
import { settings as dnsSettings } from '../dns/public.ts'
import { applicationDetection } from '../monitor/public.ts'
import { groups, users } from '../users/public.ts'
import { webStageSlots } from '../web-proxy/public.ts'
import { channelSlots } from './channels.ts'
import { slots } from './config.ts'
import { limitSettings } from './limits.ts'
import { accessBindings, lists } from './lists.ts'
import { render } from './render.ts'
import { inspectionSlots } from './resolve-inspection.ts'
import { foreignSlots } from './resolve-rules.ts'
import { routes } from './routes.ts'
import { serviceSlots } from './services.ts'
import { verify } from './verify.ts'

export const firewall = defineArea({
  name: 'firewall',
  slots,
  lists,
  settings: [accessBindings, limitSettings],
  reads: [
    ...foreignSlots,
    ...serviceSlots,
    dnsSettings,
    authorizationRules,
    authorizationSettings,
    users,
    groups,
    discoverySettings,
    applicationDetection,
    ...webStageSlots,
    ...channelSlots.filter((slot) => !(slots as readonly object[]).includes(slot)),
    ...inspectionSlots,
  ],
  verify,
  render,
  routes,
})
