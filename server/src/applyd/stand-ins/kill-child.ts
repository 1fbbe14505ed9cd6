// Runs applyd in a separate process that can be killed: applies plan A, then plan B, and dies at the failpoint named
// on the command line. With `fail` plan B fails its probe first, so that the steps of the revert are reached. Otherwise
// another thread sends the signal: a number of microseconds after the failpoint, or with `fork` as soon as there is a new
// child, which it suspends first. The child is then often not yet another program.

import { Worker } from 'node:worker_threads'
import { Applyd } from '../applyd.ts'
import type { FailpointName } from '../context.ts'
import { benchNft, benchOptions, benchTables, fullPlan, unit } from './harness.ts'

const [root = '', namespace = '', port = '', name = '', how = ''] = process.argv.slice(2)
let isArmed = false

const killer = `
  const { parentPort, workerData: { cell, how, path } } = require('node:worker_threads')
  const { readFileSync, writeFileSync } = require('node:fs')
  const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ')
  parentPort.postMessage('ready')
  Atomics.wait(cell, 0, 0)
  if (how === 'fork') {
    const known = new Set(children())
    Atomics.store(cell, 0, 2)
    let child
    do child = children().find((pid) => !known.has(pid))
    while (!child)
    process.kill(Number(child), 'SIGSTOP')
    writeFileSync(path, child)
  } else {
    const end = performance.now() + Number(how) / 1000
    while (performance.now() < end);
  }
  process.kill(process.pid, 'SIGKILL')
`
const cell = new Int32Array(new SharedArrayBuffer(4))
const isLater = /^(\d+|fork)$/.test(how)
if (isLater) {
  const worker = new Worker(killer, { eval: true, workerData: { cell, how, path: `${root}/child` } })
  await new Promise((resolve) => worker.once('message', resolve))
}

function die(): void {
  if (!isLater) process.kill(process.pid, 'SIGKILL')
  Atomics.store(cell, 0, 1)
  Atomics.notify(cell, 0)
  if (how === 'fork') while (Atomics.load(cell, 0) !== 2);
}

const applyd = await Applyd.start({
  ...benchOptions(`${root}/state`, benchTables(root, benchNft(namespace, 'library'), Number(port))),
  failpoint: (at: FailpointName) => {
    if (isArmed && at === name) die()
    if (isArmed && how === 'fail' && at === 'probed') throw new Error('made to fail')
  },
})
await applyd.verbs.apply({ plan: fullPlan(1, 'a', Number(port), 'well-a') })
isArmed = true
const { artifacts } = fullPlan(2, isLater ? 'a' : 'b', Number(port), isLater ? 'well-a' : 'well-b')
// Only one unit starts, of which any number can run at once.
await applyd.verbs.apply({
  plan: { revision: 2, artifacts: isLater ? [...artifacts, unit('stand-for.lan0')] : artifacts },
})
await applyd.close()
