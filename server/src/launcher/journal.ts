// Whether the output of this process goes to the journal of systemd, where a password would be kept and widely readable.

import { fstatSync } from 'node:fs'

/** systemd names device and inode of the stream it connected; a program that redirected its output has another one. */
export function isJournal(env: NodeJS.ProcessEnv = process.env, descriptor = 1): boolean {
  const { dev, ino } = fstatSync(descriptor)
  return env.JOURNAL_STREAM === `${dev}:${ino}`
}
