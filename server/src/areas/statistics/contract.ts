// Anonymous usage statistics: whether they are enabled (docs/behaviour/statistics.md).

import { settingsEndpoints } from '../../core/contract/collections.ts'
import { Enabled } from '../../core/contract/fields.ts'

export const statisticsSettings = settingsEndpoints({
  path: '/gather_stat/settings',
  title: 'state of the anonymous usage statistics',
  schema: Enabled,
  change: 'configure',
})
