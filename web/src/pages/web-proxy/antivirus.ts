// Whether what clients download is checked for viruses.

import { antivirusState, antivirusStatus } from '@gateway/server/contract/web-proxy'
import { read, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: antivirusStatus,
  lead: msg('Checks downloads in plain HTTP and in decrypted traffic.'),
  sections: [
    section({ endpoints: antivirusState, fields: { enabled: { label: msg('Check downloads for viruses') } } }),
  ],
  reads: [
    read({
      endpoint: antivirusStatus,
      title: msg('What its parts say'),
      everyMs: 5_000,
      columns: [
        { id: 'name', width: 220 },
        { id: 'status', width: 140 },
        { id: 'msg', width: 'rest', title: msg('What it says') },
      ],
    }),
  ],
})
