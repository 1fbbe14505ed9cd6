// Runs applyd in a separate process that can be killed: applies a plan, counts packets, tries another plan, settles or
// undoes it, and dies at the failpoint named on the command line.

import { spawnSync } from 'node:child_process'
import { Applyd } from '../applyd.ts'
import type { FailpointName } from '../context.ts'
import { attemptPlan, countPackets } from './attempt-plans.ts'
import { benchNft, benchOptions, benchTables } from './harness.ts'

const [root = '', namespace = '', way = '', port = '', name = ''] = process.argv.slice(2)
const spec = benchNft(namespace, way === 'program' ? 'program' : 'library')
let isArmed = false

const applyd = await Applyd.start({
  ...benchOptions(`${root}/state`, benchTables(root, spec, Number(port))),
  failpoint: (at: FailpointName) => {
    if (isArmed && at === name) process.kill(process.pid, 'SIGKILL')
  },
})
await applyd.verbs.apply({ plan: attemptPlan(1, 'a') })
countPackets((...args) => spawnSync(spec.command[0] ?? '', [...spec.command.slice(1), ...args]))
isArmed = true
await applyd.verbs.attempt({ plan: attemptPlan(2, 'b') })
if (name.startsWith('undo.')) await applyd.verbs.undo({ revision: 2 })
else await applyd.verbs.settle({ revision: 2 })
await applyd.close()
