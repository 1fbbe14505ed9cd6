// Which test files share a process. A process of the gateway's tests takes a second of processor time before its first test, and
// several hundred files would each pay it. A file that needs a process of its own says so in its first lines, with the reason:
// `// Own process: it counts the threads.` What starts gateways and engines beside it always has one. Files that open the console in
// a browser share the browser too: there are four of each, and a file goes where least is to be done.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { budgetOf } from './costs.mjs'

const ownProcess = /^\/\/ Own process: \S/m
/** Far enough for the comment that opens a file. */
const headLength = 2000
/** Files of one process. More would save little, and the last process would run alone at the end. */
const mostTogether = 24
const browserFolder = 'web/test/e2e'
const browsers = 4
/** What the files of a browser have in common. */
const browserModule = 'web/test/support/chromium.ts'

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
    if (!open.has(kind)) open.set(kind, [])
    const entry = chooseEntry(open.get(kind), kind)
    if (entry !== undefined) entry.files.push(file)
    else {
      const begun = { files: [file], ...(kind === browserFolder ? { common: browserModule } : {}) }
      open.get(kind).push(begun)
      entries.push(begun)
    }
  }
  // A browser has its files for minutes: one that began late would be the last, with a core idle beside it.
  const hasBrowser = ({ common }) => Number(common !== undefined)
  const paths = entries
    .toSorted((one, other) => hasBrowser(other) - hasBrowser(one))
    .map(({ files: together, common }, index) =>
      together.length === 1 ? together[0] : writeBatch(join(folder, `shared-${index}.mjs`), together, common),
    )
  const isWaiting = (path) => path.endsWith('.e2e.ts')
  return mix(
    paths.filter(isWaiting),
    paths.filter((path) => !isWaiting(path)),
  )
}

/**
 * Files that start gateways and engines wait half of their time, the others never do. Each kind in its order, and both from the first to
 * the last: then a core that waits for one has another to run.
 */
function mix(some, others) {
  const placed = [some, others].flatMap((list) =>
    list.map((path, index) => ({ path, place: (index + 0.5) / list.length })),
  )
  return placed.toSorted((one, other) => one.place - other.place).map(({ path }) => path)
}

/** The process of this kind that takes one more file; none when another is to be started. */
function chooseEntry(begun, kind) {
  if (kind !== browserFolder) return begun.find(({ files }) => files.length < mostTogether)
  const length = ({ files }) => files.reduce((sum, file) => sum + budgetOf(file), 0)
  return begun.length < browsers ? undefined : begun.toSorted((one, other) => length(one) - length(other))[0]
}

export function sharesProcess(file) {
  const startsNothing = !file.endsWith('.e2e.ts') || dirname(file) === browserFolder
  return startsNothing && !ownProcess.test(readFileSync(file, 'utf8').slice(0, headLength))
}

/** Those that load much the same modules: the areas of the server, the pages, the tests over a whole gateway. */
function kindOf(file) {
  return dirname(file).split('/').slice(0, 3).join('/')
}

function writeBatch(path, files, common) {
  const urlOf = (file) => pathToFileURL(resolve(file)).href
  const given = [files.map((file) => [file, urlOf(file)]), common === undefined ? null : urlOf(common)]
  const list = given.map((one) => JSON.stringify(one, null, 2)).join(', ')
  writeFileSync(path, `import { runTogether } from '${batch}'\n\nawait runTogether(${list})\n`)
  return path
}
