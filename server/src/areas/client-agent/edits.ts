// What can be done to the settings of the client agent. The certificate itself was judged before, in routes-certificate.ts.

import { invalid } from '../../contract/error.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { settings } from './config.ts'
import type { AgentSettings } from './contract.ts'
import { settingsProblems } from './verify.ts'

export function updateSettings(config: Config, patch: Partial<AgentSettings>): Config {
  const next = { ...read(config, settings), ...patch }
  const [problem] = settingsProblems(next)
  if (problem) throw invalid(problem.field, problem.message)
  return write(config, settings, next)
}
