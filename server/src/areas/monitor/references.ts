// Interfaces whose traffic is exported must stay.

import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { flowSettings } from './config.ts'

export const references = (config: Config): Reference[] =>
  read(config, flowSettings).exported_interfaces.map((id) => ({
    id,
    object: flowSettings.key,
    field: 'exported_interfaces',
    title: 'Flow export settings',
  }))
