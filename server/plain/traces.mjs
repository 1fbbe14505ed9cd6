// Stack traces of a bundle name the files and lines of the sources. Beside each file of a bundle lies a table with the source of each of
// its lines; a few bytes of it are read when a stack is printed, and nothing of it stays in memory.

import { fileURLToPath } from 'node:url'
import { files } from './store.mjs'

/** Number of a source in the list of names, then its line, four bytes each; names are counted from one, zero stands for none. */
export const recordBytes = 8

export const tableName = (file) => `${file}.lines`
export const namesName = (file) => `${file}.sources`

/** From now on, for the bundle in this folder; `root` is where the program lies. Both are addresses that end with a slash. */
export function nameSources(folder, root) {
  const print = Error.prepareStackTrace
  Error.prepareStackTrace = (error, frames) =>
    frames
      .filter((frame) => frame.getFileName()?.startsWith(folder))
      .reduce((text, frame) => nameSource(text, frame, root), print(error, frames))
}

/** The column is that of the bundle, and says nothing of the source. */
function nameSource(text, frame, root) {
  const [file, line] = [frame.getFileName(), frame.getLineNumber()]
  const source = findSource(fileURLToPath(file), line)
  return source === null ? text : text.replace(`${file}:${line}:${frame.getColumnNumber()}`, () => `${root}${source}`)
}

/** `server/src/areas/dns/status.ts:12`; null for what the bundler itself wrote, and where the table is gone. */
function findSource(file, line) {
  try {
    const record = readRecord(tableName(file), (line - 1) * recordBytes)
    const name = JSON.parse(files.readFileSync(namesName(file), 'utf8'))[record.readUInt32LE(0) - 1]
    return name === undefined ? null : `${name}:${record.readUInt32LE(4)}`
  } catch {
    return null
  }
}

function readRecord(path, at) {
  const record = Buffer.alloc(recordBytes)
  const descriptor = files.openSync(path)
  try {
    files.readSync(descriptor, record, 0, recordBytes, at)
    return record
  } finally {
    files.closeSync(descriptor)
  }
}
