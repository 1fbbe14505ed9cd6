// Which test files share a process. A process of the gateway's tests takes a second of processor time before its first test, and
// several hundred files would each pay it. A file that needs a process of its own says so in its first lines, with the reason:
// `// Own process: it counts the threads.` What starts gateways and engines beside it always has one.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ownProcess = /^\/\/ Own process: \S/m
/** Far enough for the comment that opens a file. */
const headLength = 2000
/** Files of one process. More would save little, and the last process would run alone at the end. */
const mostTogether = 24

const batch = pathToFileURL(join(import.meta.dirname, 'batch.mjs')).href

/** Paths for the runner: files with a process of their own as they are, and one written file for each shared process. */
export function makeEntries(files, folder) {
  const entries = []
  const open = new Map()
  for (const file of files) {
    if (!sharesProcess(file)) {
      entries.push({ files: [file] })
      continue
    }
    const kind = kindOf(file)
    const entry = open.get(kind)
    if (entry !== undefined && entry.files.length < mostTogether) entry.files.push(file)
    else {
      const begun = { files: [file] }
      open.set(kind, begun)
      entries.push(begun)
    }
  }
  return entries.map(({ files: together }, index) =>
    together.length === 1 ? together[0] : writeBatch(join(folder, `shared-${index}.mjs`), together),
  )
}

export function sharesProcess(file) {
  return !file.endsWith('.e2e.ts') && !ownProcess.test(readFileSync(file, 'utf8').slice(0, headLength))
}

/** Those that load much the same modules: the areas of the server, the pages, the tests over a whole gateway. */
function kindOf(file) {
  return dirname(file).split('/').slice(0, 3).join('/')
}

function writeBatch(path, files) {
  const urls = files.map((file) => [file, pathToFileURL(resolve(file)).href])
  writeFileSync(path, `import { runTogether } from '${batch}'\n\nrunTogether(${JSON.stringify(urls, null, 2)})\n`)
  return path
}
