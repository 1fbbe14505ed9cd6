// The web traffic journal and its reports. The web proxy writes the requests, and the thread of the log reads them.

import { defineArea } from '../../core/area/handle.ts'
import { routes } from './routes.ts'

export const webLog = defineArea({ name: 'web-log', slots: [], routes })
