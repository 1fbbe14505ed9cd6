// Loaded into a process under test by --import, and so into each of its workers: says again and again which modules of the
// runtime a thread has loaded and how large its heap is, in a file of the folder that the address of this module names. It
// collects garbage first once there is a file with the name of the folder and `.collect`.

import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('folder')
const path = join(folder, String(threadId))
let number = 0

function report() {
  const hasStripper = process.moduleLoadList.some((name) => name.includes('internal/deps/amaro'))
  if (existsSync(`${folder}.collect`)) globalThis.gc()
  const heapMegabytes = process.memoryUsage().heapUsed / 1024 / 1024
  writeFileSync(`${path}.draft`, JSON.stringify({ number: ++number, hasStripper, heapMegabytes }))
  renameSync(`${path}.draft`, path)
}

setInterval(report, 100).unref()
