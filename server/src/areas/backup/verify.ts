// What must hold in the settings of automatic backups, whichever way they came.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { settings } from './config.ts'
import { settingsProblems } from './edits.ts'

export const verify = (config: Config): readonly Problem[] =>
  settingsProblems(read(config, settings)).map(({ field, message }) => ({
    field: `${settings.key}.${field}`,
    message,
  }))
