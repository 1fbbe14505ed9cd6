// Log forwarding to a collector: where to, how, and whether it works.

import { remoteSyslog, remoteSyslogState, remoteSyslogStatus, remoteSyslogTls } from '@gateway/server/contract/logs'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: remoteSyslogStatus,
  lead: msg('Every record goes to one collector as it is written.'),
  sections: [
    section({
      title: msg('State'),
      endpoints: remoteSyslogState,
      fields: { enabled: { label: msg('Forward logs') } },
    }),
    section({
      title: msg('Collector'),
      endpoints: remoteSyslog,
      fields: {
        host: { label: msg('Address'), placeholder: '192.168.0.10' },
        protocol: { options: { tcp: msg('TCP: nothing is lost'), udp: msg('UDP') } },
        format: { options: { syslog: msg('Syslog'), cef: msg('CEF') } },
      },
    }),
    section({
      title: msg('Encryption'),
      text: msg('Only with TCP.'),
      endpoints: remoteSyslogTls,
      fields: {
        enabled: { label: msg('Encrypt with TLS') },
        ca_certificate: { label: msg('Authorities'), widget: 'code' },
      },
    }),
  ],
})
