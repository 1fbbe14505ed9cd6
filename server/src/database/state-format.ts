// The format of the whole state of gatewayd as one number, in a file that the package reads before it installs another version:
// a version that knows only lower numbers is refused (decision 85).

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'

/** One more for every migration of a database and every upgrade step of a slot; test/durability/state-format.test.ts asks for it. */
export const stateFormat = 1

export const formatFile = 'format'

/** Called before anything is upgraded. The number never falls: what is newer than this version is not made older by starting it. */
export function noteStateFormat(folder: string, format: number = stateFormat): void {
  const path = `${folder}/${formatFile}`
  if (readStateFormat(path) >= format) return
  const draft = `${path}.next`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, `${format}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

function readStateFormat(path: string): number {
  try {
    const text = readFileSync(path, 'utf8')
    return /^\d{1,9}\n?$/.test(text) ? Number(text) : 0
  } catch {
    return 0
  }
}
