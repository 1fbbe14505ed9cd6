// The usage-statistics area. Disabled at first; this release collects and sends nothing.

import { Enabled } from '../../contract/fields.ts'
import { defineArea } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { single } from '../../model/slots.ts'
import { statisticsSettings } from './contract.ts'

const settings = single('statistics.settings', Enabled, { enabled: false })

export const statistics = defineArea({
  name: 'statistics',
  slots: [settings],
  routes: settingsRoutes(statisticsSettings, settings),
})
