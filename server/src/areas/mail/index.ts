// The area of mail: relay and mailboxes, rules for addresses, filtering and the queue. Its engine comes later, so nothing is
// rendered.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const mail = defineArea({ name: 'mail', slots, verify, routes })
