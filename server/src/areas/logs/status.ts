// The status of log forwarding: what is set, and whether anything is sent.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../model/slots.ts'
import { remoteSyslog, remoteSyslogState } from './config.ts'

export function remoteSyslogItems(config: Config, brand: string): StatusItem[] {
  const { host, port } = read(config, remoteSyslog)
  const isOff = !read(config, remoteSyslogState).enabled
  const msg = isOff
    ? ['Forwarding is switched off.']
    : [
        ...(host === null || port === null ? ['The address or the port of the collector is missing.'] : []),
        'Stored; forwarding is not part of this release yet, so nothing is sent.',
      ]
  return [{ name: `${brand}-logs-backend`, status: 'inactive', msg }]
}
