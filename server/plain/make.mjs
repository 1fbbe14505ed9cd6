// Makes plain JavaScript of the TypeScript files named on standard input. Types become spaces, so that every line and column
// of a stack trace is that of the source. Run by scripts/lib/plain.mjs, on the pinned runtime.

import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { endMark, nameOf, storePath } from './store.mjs'

// Every account of the gateway reads the copies.
process.umask(0o022)

for (const path of readFileSync(0, 'utf8').split('\0').filter(Boolean)) {
  const source = readFileSync(path, 'utf8')
  const copy = strip(source)
  if (copy === null) continue
  const name = nameOf(hash('sha256', source))
  const draft = join(storePath, `${name}.${process.pid}`)
  writeFileSync(draft, `${copy}${endMark}`, { mode: 0o644 })
  renameSync(draft, join(storePath, name))
}

/** Null for what cannot be stripped: the one who runs it sees the fault, with its line. */
function strip(source) {
  try {
    return stripTypeScriptTypes(source)
  } catch {
    return null
  }
}
