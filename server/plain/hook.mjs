// Loaded before anything else by every process and worker of ours (--import): runs the bundle of a program, or the plain JavaScript
// that make.mjs made of a TypeScript file, so that the runtime never loads its type stripper, which would stay in memory
// (decisions 52 and 118).

import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { entryName, findBundle, programs, sumOf } from './bundles.mjs'
import { endMark, files, findStore, nameOf } from './store.mjs'
import { nameSources } from './traces.mjs'

const store = findStore()
const root = new URL('../../', import.meta.url).href

/** A debugger stops at lines of the sources. */
const isInspected = process.execArgv.some((option) => option.startsWith('--inspect'))
/** A bundle finds the files of the program from where it lies itself, so it has to lie in this very program. */
const isOwnStore = store !== null && files.realpathSync(store) === store
const bundled = new Set(isOwnStore && !isInspected ? programs : [])

/** The copy of exactly this text; undefined when there is none, or the power failed before all of it was on the disk. */
function readCopy(url) {
  try {
    const copy = files.readFileSync(`${store}/${nameOf(sumOf(files.readFileSync(new URL(url))))}`, 'utf8')
    return copy.endsWith(endMark) ? copy : undefined
  } catch {
    return undefined
  }
}

/** A module that runs the bundle instead of the program; undefined when there is none of these very sources. */
function readBundle(url) {
  const program = url.startsWith(root) ? url.slice(root.length) : ''
  const bundle = bundled.has(program) ? findBundle(store, program) : null
  if (bundle === null) return undefined
  const folder = pathToFileURL(`${store}/${bundle.folder}/`).href
  nameSources(folder, root)
  return `import ${JSON.stringify(`${folder}${entryName}`)}`
}

if (store !== null)
  registerHooks({
    load(url, context, nextLoad) {
      const source = url.startsWith('file:') && url.endsWith('.ts') ? (readBundle(url) ?? readCopy(url)) : undefined
      return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
    },
  })
