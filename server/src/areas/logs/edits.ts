// What can be done to the forwarding: change where the journal goes.

import { invalid } from '../../contract/error.ts'
import { updateSingle } from '../../model/list-edits.ts'
import { type Config, read } from '../../model/slots.ts'
import { remoteSyslog } from './config.ts'
import type { RemoteSyslog } from './contract.ts'
import { hostProblems } from './verify.ts'

export function updateRemoteSyslog(config: Config, patch: Partial<RemoteSyslog>): Config {
  const next = updateSingle(config, remoteSyslog, patch)
  const [fault] = hostProblems(read(next, remoteSyslog).host)
  if (fault) throw invalid(fault.field, fault.message)
  return next
}
