// A bundle is a program of ours with everything that it imports, in a few files instead of a thousand: most of a start was finding,
// reading and linking modules (decision 118). It lies in the store of plain copies, in a folder of its own, and a list beside it says
// of which sources it was made. It runs only while every one of them is still the same.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { files } from './store.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Programs and threads with more than a handful of modules, by path below the program's folder. */
export const programs = [
  'server/src/tools/launcher/main.ts',
  'server/src/tools/cli/main.ts',
  'server/src/applyd/main.ts',
  'server/src/applyd/kernel/worker.ts',
  'server/src/gatewayd/main.ts',
  'server/src/gatewayd/threads/log-writer.ts',
  'server/src/gatewayd/threads/log-worker.ts',
  'server/src/gatewayd/threads/log-forwarder.ts',
  'server/src/gatewayd/threads/reader.ts',
  'server/src/gatewayd/http/body-worker.ts',
  'server/src/areas/inspection/runs/compile-worker.ts',
  'server/src/areas/intrusion-prevention/runs/archive-worker.ts',
  'server/src/domain/web-filter/categories/build-worker.ts',
  'server/src/exporters/connection-cutter.ts',
  'server/src/exporters/flow-exporter.ts',
  'server/src/exporters/traffic-classifier.ts',
  'server/src/filterd/main.ts',
  'server/src/filterd/compile-worker.ts',
  'server/src/portald/main.ts',
]

export const listName = (program) => `${program.replaceAll('/', '+')}.list`

/** The file of a bundle in which the program begins. */
export const entryName = 'entry.mjs'

/** The folder that the list of a program names, of whichever sources it was made; null when there is none. */
export function bundleOf(store, program) {
  try {
    return JSON.parse(files.readFileSync(join(store, listName(program)), 'utf8')).folder
  } catch {
    return null
  }
}

/** The list of a bundle whose sources are all as they were when it was made; null when there is none. */
export function findBundle(store, program) {
  try {
    const list = JSON.parse(files.readFileSync(join(store, listName(program)), 'utf8'))
    const isThere = files.existsSync(join(store, list.folder, entryName))
    return isThere && list.sources.every(isUnchanged) ? list : null
  } catch {
    return null
  }
}

/**
 * The time of the last change of a file cannot be set by anyone, other than that of its content. A file that was only copied,
 * unpacked or touched has another one, so its text decides.
 */
function isUnchanged({ path, sum, changed, size }) {
  const file = files.statSync(join(root, path), { throwIfNoEntry: false })
  if (file === undefined) return false
  return (file.ctimeMs === changed && file.size === size) || sumOf(files.readFileSync(join(root, path))) === sum
}

/** Most processes never need it, and loading it takes time. */
export const sumOf = (content) => process.getBuiltinModule('node:crypto').hash('sha256', content)
