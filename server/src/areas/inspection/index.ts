// Deep inspection as a whole: the engine under intrusion prevention and application control, what it does now, and what happens
// while it does not run.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { failureList } from './lists.ts'
import { readSlots, render } from './render.ts'
import { routes } from './routes.ts'

export const inspectionArea = defineArea({
  name: 'inspection',
  slots,
  lists: [failureList],
  reads: readSlots,
  render,
  routes,
  apply: 'background',
})
