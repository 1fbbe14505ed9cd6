// The status of the forwarding: what is set, and what comes of it.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../contract/slots.ts'
import { remoteSyslog, remoteSyslogState } from './config.ts'

export function remoteSyslogItems(config: Config): StatusItem[] {
  const { host, port } = read(config, remoteSyslog)
  const isOff = !read(config, remoteSyslogState).enabled
  const msg = isOff
    ? []
    : [
        ...(host === null || port === null ? ['Neither address nor port of the collector may be missing.'] : []),
        'Stored; forwarding is not part of this release yet, so nothing is sent.',
      ]
  return [{ name: 'remote-syslog', status: 'inactive', msg }]
}
