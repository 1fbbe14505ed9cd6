// The area of mail: relay and mailboxes, rules for addresses, filtering and the queue. This release has no mail engine, so
// nothing is rendered.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { allowedList, deniedList, forwardingList, generalSettings, trustedNetworkSettings } from './lists.ts'
import { routes } from './routes.ts'

export const mail = defineArea({
  name: 'mail',
  slots,
  lists: [forwardingList, allowedList, deniedList],
  settings: [generalSettings, trustedNetworkSettings],
  routes,
})
