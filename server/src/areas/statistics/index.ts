// The usage-statistics area. Disabled at first; this release collects and sends nothing.

import { defineArea } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { Enabled } from '../../core/contract/fields.ts'
import { single } from '../../core/model/slots.ts'
import { statisticsSettings } from './contract.ts'

const settings = single('statistics.settings', Enabled, { enabled: false })

export const statistics = defineArea({
  name: 'statistics',
  slots: [settings],
  routes: settingsRoutes(statisticsSettings, settings),
})
