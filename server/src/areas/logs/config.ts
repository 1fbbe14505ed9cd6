// What is stored about logs: where the system journal is forwarded to. At first no collector is set and nothing is sent.

import { Enabled } from '../../contract/fields.ts'
import { single } from '../../model/slots.ts'
import { RemoteSyslog, RemoteSyslogTls } from './contract.ts'

export const remoteSyslog = single('logs.remote_syslog', RemoteSyslog, {
  host: null,
  port: null,
  protocol: 'tcp',
  format: 'syslog',
})

export const remoteSyslogState = single('logs.remote_syslog_state', Enabled, { enabled: false })

export const remoteSyslogTls = single('logs.remote_syslog_tls', RemoteSyslogTls, {
  enabled: false,
  ca_certificate: null,
  server_name: null,
})

export const slots = [remoteSyslog, remoteSyslogState, remoteSyslogTls]
