// The backup area: settings of automatic backups, the backups themselves and restoring them.

import { defineArea } from '../../core/area/handle.ts'
import { settings } from './config.ts'
import { routes } from './routes.ts'
import { backupSettings } from './settings.ts'

export const backup = defineArea({ name: 'backup', slots: [settings], settings: [backupSettings], routes })
