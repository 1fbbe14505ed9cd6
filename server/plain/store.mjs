// Where plain copies of our TypeScript lie: beside the runtime itself, each under the hash of the text it was made of. So an
// edited file never runs from an old copy, and a process that can write here could as well replace the runtime.

import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** An import of it would load half of the runtime (make-bundles.mjs). The set-up runs on a Node that cannot be asked in this way. */
export const files = process.getBuiltinModule?.('node:fs') ?? createRequire(import.meta.url)('node:fs')

export const storePath = fileURLToPath(new URL('../../node_modules/.portcullis-plain', import.meta.url))

/** A file that lost its end to a power failure does not have it. */
export const endMark = '\n// end of the plain copy\n'

export const nameOf = (sourceHash) => `${sourceHash}.js`

/** Null when there is no store, or accounts other than root and the owner of the program could write into it. */
export function findStore() {
  const folder = files.lstatSync(storePath, { throwIfNoEntry: false })
  if (!folder?.isDirectory() || (folder.mode & 0o022) !== 0) return null
  const isTrusted = folder.uid === 0 || folder.uid === files.lstatSync(fileURLToPath(import.meta.url)).uid
  return isTrusted ? storePath : null
}
