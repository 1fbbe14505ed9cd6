// What log forwarding should do, as the configuration says.

import type { Services } from '../../core/area/handle.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { version } from '../../shared/version.ts'
import { remoteSyslog, remoteSyslogState, remoteSyslogTls } from './config.ts'

/** The collector and the form of lines; null when nothing is forwarded. */
export function forwardingTarget(
  config: Config,
  { brand, hostName, facts }: Pick<Services, 'brand' | 'hostName' | 'facts'>,
) {
  const { host, port, protocol, format } = read(config, remoteSyslog)
  if (!read(config, remoteSyslogState).enabled || host === null || port === null) return null
  const { enabled, ca_certificate: caCertificate, server_name: serverName } = read(config, remoteSyslogTls)
  const tls = enabled && protocol === 'tcp' ? { caCertificate, serverName } : null
  return { host, port, protocol, format, tls, scope: { hostName, timeZone: facts().timeZone, brand, version } }
}
