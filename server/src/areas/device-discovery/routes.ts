// Endpoints of device discovery.

import { handle, type Route } from '../../http/handle.ts'
import { read } from '../../model/slots.ts'
import { discoverySettings as slot } from './config.ts'
import { discoverySettings as endpoints } from './contract.ts'
import { updateSettings } from './edits.ts'

export const routes: readonly Route[] = [
  handle(endpoints.show, ({ config }) => read(config, slot), { slot }),
  handle(endpoints.update, ({ body, change }) => change((config) => updateSettings(config, body)), { slot }),
]
