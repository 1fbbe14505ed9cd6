// Whether the output of this process goes to the journal of systemd, where a password would be kept and widely readable.

import { fstatSync } from 'node:fs'

/**
 * systemd sets the variable where it connected a stream to the journal, which is then a socket; output that was redirected is a
 * terminal, a file or a pipe. Its number is not compared, because it can be that of the other stream.
 */
export function isJournal(env: NodeJS.ProcessEnv = process.env, descriptor = 1): boolean {
  return env.JOURNAL_STREAM !== undefined && fstatSync(descriptor).isSocket()
}
