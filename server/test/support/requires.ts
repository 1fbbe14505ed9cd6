// What tests need of the machine. `npm test` as root installs every program that a test uses, so there a missing one is a
// fault of the set-up and fails the file. Elsewhere the test is skipped and says why; none passes without its check.

import { existsSync } from 'node:fs'

const isComplete = process.getuid?.() === 0 && process.env.PORTCULLIS_SKIP_NETNS !== '1'

/** For `skip`: false when all of them are there. */
export function lacking(...programs: readonly string[]): string | false {
  const missing = programs.filter((path) => !existsSync(path))
  return missing.length === 0 ? false : unlessComplete(`not installed: ${missing.join(', ')}`)
}

/** A reason to skip a test, where everything need not be there. */
export function unlessComplete(reason: string): string {
  if (isComplete) throw new Error(`This test has to run as root, but cannot: ${reason}.`)
  return reason
}
