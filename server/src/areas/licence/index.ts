// The licence area: registration of the gateway and the modules that are available.

import { defineArea } from '../../core/area/handle.ts'
import { licence, updateType } from './config.ts'
import { routes } from './routes.ts'

export const licenceArea = defineArea({ name: 'licence', slots: [licence, updateType], routes })
