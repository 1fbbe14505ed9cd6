// The area of logs: the system journal, and where it is forwarded to. What the journal holds is written elsewhere: by the
// journal of administrators, by the reader of the firewall log and by the services themselves.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const logs = defineArea({ name: 'logs', slots, verify, routes })
