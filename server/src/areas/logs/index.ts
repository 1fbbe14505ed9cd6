// The area of logs: the system journal, how long its records are kept, and its forwarding. The records are written elsewhere: by
// the audit trail, by the reader of the firewall log and by the services themselves.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { routes } from './routes.ts'
import { remoteSyslogSettings, remoteSyslogTlsSettings } from './settings.ts'

export const logs = defineArea({
  name: 'logs',
  slots,
  settings: [remoteSyslogSettings, remoteSyslogTlsSettings],
  routes,
})
