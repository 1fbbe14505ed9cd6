// The licence area.

import { defineArea } from '../../http/handle.ts'
import { licence } from './config.ts'
import { routes } from './routes.ts'

export const licenceArea = defineArea({ name: 'licence', slots: [licence], routes })
