// The backup area: settings of the automatic backups, the backups themselves and their restoration.

import { defineArea } from '../../http/handle.ts'
import { settings } from './config.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const backup = defineArea({ name: 'backup', slots: [settings], verify, routes })
