// Which of the four lists of the hardware filter is used.

import { hardwareSettings } from '@gateway/server/contract/firewall'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: hardwareSettings,
  confirmWithin: 90,
  lead: msg('One of four lists is used at a time. What it names is dropped as it arrives, before all other rules.'),
  fields: {
    mode: {
      label: msg('The list that is used'),
      options: {
        mac: msg('by MAC address'),
        'src-ip': msg('by source'),
        'dst-ip': msg('by destination'),
        'src-and-dst-ip': msg('by source and destination'),
      },
    },
  },
})
