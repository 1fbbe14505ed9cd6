// How clients reach the web proxy, what it records, and what happens while the filter cannot decide.

import { proxySettings, proxyStatus } from '@gateway/server/contract/web-proxy'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: proxyStatus,
  sections: [
    section({
      endpoints: proxySettings,
      groups: [
        { title: msg('Direct proxy'), fields: ['direct_enabled', 'direct_port'] },
        { title: msg('Log and failures'), fields: ['logging_enabled', 'on_failure'] },
      ],
      fields: {
        direct_enabled: { label: msg('Clients may use the gateway as their proxy') },
        direct_port: { label: msg('Port of the direct proxy') },
        logging_enabled: { label: msg('Record web requests') },
        on_failure: {
          label: msg('While the filter cannot decide'),
          options: { block: msg('Block web traffic'), pass: msg('Pass it without filtering') },
        },
      },
    }),
  ],
})
