// The area of local administrators: who may sign in here, and with which role.

import { defineArea } from '../../core/area/handle.ts'
import { administrators } from './config.ts'
import { administratorList } from './lists.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const administratorsArea = defineArea({
  name: 'administrators',
  slots: [administrators],
  lists: [administratorList],
  rights: [administrators],
  verify,
  routes,
})
