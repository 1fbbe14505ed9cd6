// Where plain copies of our TypeScript lie: beside the runtime itself, each under the hash of the text it was made of. So an
// edited file never runs from an old copy, and a process that can write here could as well replace the runtime.

import { lstatSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const storePath = fileURLToPath(new URL('../../node_modules/.portcullis-plain', import.meta.url))

/** A file that lost its end to a power failure does not have it. */
export const endMark = '\n// end of the plain copy\n'

export const nameOf = (sourceHash) => `${sourceHash}.js`

/** Null when there is no store, or accounts other than root and the owner of the program could write into it. */
export function findStore() {
  const folder = lstatSync(storePath, { throwIfNoEntry: false })
  if (!folder?.isDirectory() || (folder.mode & 0o022) !== 0) return null
  const isTrusted = folder.uid === 0 || folder.uid === lstatSync(fileURLToPath(import.meta.url)).uid
  return isTrusted ? storePath : null
}
