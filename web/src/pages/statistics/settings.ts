// Whether anonymous numbers about the use of the gateway are gathered.

import { statisticsSettings } from '@gateway/server/contract/statistics'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: statisticsSettings,
  fields: { enabled: { label: msg('Gather anonymous statistics') } },
})
