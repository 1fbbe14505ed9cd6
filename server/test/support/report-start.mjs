// Loaded into a process under test by --import, and so into each of its workers: says again and again which files and which modules of
// the runtime a thread has loaded, in a file of the folder that the address of this module names.

import { renameSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('folder')
const path = join(folder, String(threadId))
const files = []
let number = 0

registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(url)
    return next(url, context)
  },
})

function report() {
  const text = JSON.stringify({ number: ++number, program: process.argv[1], files, runtime: process.moduleLoadList })
  writeFileSync(`${path}.draft`, text)
  renameSync(`${path}.draft`, path)
}

setInterval(report, 100).unref()
