// Anonymous usage statistics: only the switch (seed, "Administrator session and general handlers").

import { settingsEndpoints } from '../../contract/collections.ts'
import { Enabled } from '../../contract/fields.ts'

export const statisticsSettings = settingsEndpoints({
  path: '/gather_stat/settings',
  title: 'switch of the anonymous usage statistics',
  schema: Enabled,
  change: 'configure',
})
