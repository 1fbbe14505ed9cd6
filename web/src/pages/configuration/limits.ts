// How much of the history is kept.

import { configurationStatus, historyLimits } from '@gateway/server/contract/configuration'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: configurationStatus,
  lead: msg('What a lower limit removes does not come back.'),
  endpoints: historyLimits,
  fields: {
    max_revisions: { label: msg('Revisions'), unit: msg('revisions') },
    max_megabytes: { label: msg('Size'), unit: msg('MiB') },
  },
})
