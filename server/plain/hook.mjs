// Loaded before anything else by every process and worker of ours (--import): runs the plain JavaScript that make.mjs made of
// a TypeScript file, so that the runtime never loads its type stripper, which would stay in memory (decision 52).

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { endMark, findStore, nameOf } from './store.mjs'

const store = findStore()

/** The copy of exactly this text; undefined when there is none, or the power failed before all of it was on the disk. */
function readCopy(url) {
  try {
    const copy = readFileSync(`${store}/${nameOf(hash('sha256', readFileSync(new URL(url))))}`, 'utf8')
    return copy.endsWith(endMark) ? copy : undefined
  } catch {
    return undefined
  }
}

if (store !== null)
  registerHooks({
    load(url, context, nextLoad) {
      const source = url.startsWith('file:') && url.endsWith('.ts') ? readCopy(url) : undefined
      return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
    },
  })
