// What is stored about logs: how long records are kept, and where the system journal is forwarded to. At first no collector is
// set and nothing is sent.

import { Enabled } from '../../core/contract/fields.ts'
import { type Config, read, single } from '../../core/model/slots.ts'
import { logKindNames, logKinds } from '../../domain/logs/kinds.ts'
import type { LogLimits } from '../../domain/logs/store.ts'
import { LogRetention, mostDays, RemoteSyslog, RemoteSyslogTls } from './contract.ts'

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

export const logRetention = single('logs.retention', LogRetention, {
  system_days: logKinds.system.days,
  brief_days: logKinds.brief.days,
  firewall_days: logKinds.firewall.days,
  authentication_days: logKinds.authentication.days,
  administration_days: logKinds.administration.days,
  security_days: logKinds.security.days,
  web_days: logKinds.web.days,
  vpn_days: logKinds.vpn.days,
  mail_days: logKinds.mail.days,
  max_size_mb: null,
})

export const slots = [remoteSyslog, remoteSyslogState, remoteSyslogTls, logRetention]

const megabyte = 1024 * 1024
/** docs/behaviour/logs.md 3 */
const mostBytes = 15 * 1024 * megabyte
const shareOfDisk = 8

/** Of a store that is opened before the configuration is read: it must not remove what that keeps. */
export const noLogLimits: LogLimits = {
  days: Object.fromEntries(logKindNames.map((kind) => [kind, mostDays])),
  maxBytes: Number.MAX_SAFE_INTEGER,
}

/** `diskBytes`: the size of the file system; null where it is not watched. */
export function logLimitsOf(config: Config, diskBytes: number | null): LogLimits {
  const set = read(config, logRetention)
  const share = diskBytes === null ? mostBytes : Math.min(mostBytes, Math.floor(diskBytes / shareOfDisk))
  return {
    days: {
      system: set.system_days,
      brief: set.brief_days,
      firewall: set.firewall_days,
      authentication: set.authentication_days,
      administration: set.administration_days,
      security: set.security_days,
      web: set.web_days,
      vpn: set.vpn_days,
      mail: set.mail_days,
    },
    maxBytes: set.max_size_mb === null ? share : set.max_size_mb * megabyte,
  }
}
