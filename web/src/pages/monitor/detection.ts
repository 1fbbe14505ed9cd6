// Whether the gateway looks at traffic to tell applications.

import { applicationDetection, applicationDetectionStatus } from '@gateway/server/contract/monitor'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: applicationDetectionStatus,
  lead: msg('Sessions and reports name applications while their traffic is looked at.'),
  endpoints: applicationDetection,
  title: msg('State'),
  fields: { enabled: { label: msg('Recognise applications') } },
})
