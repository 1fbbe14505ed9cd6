// Runs applyd in a separate process that can be killed: applies plan A, then plan B, and dies at the failpoint named
// on the command line. With `fail` plan B fails its probe first, so that the steps of the revert are reached.

import { createApplyd, type FailpointName } from '../applyd.ts'
import { benchOptions, benchTables, fullPlan } from './harness.ts'

const [root = '', nftCommand = '', port = '', name = '', how = ''] = process.argv.slice(2)
let isArmed = false

const applyd = await createApplyd({
  ...benchOptions(`${root}/state`, benchTables(root, JSON.parse(nftCommand), Number(port))),
  failpoint: (at: FailpointName) => {
    if (isArmed && at === name) process.kill(process.pid, 'SIGKILL')
    if (isArmed && how === 'fail' && at === 'probed') throw new Error('made to fail')
  },
})
await applyd.verbs.apply({ plan: fullPlan(1, 'a', Number(port), 'well-a') })
isArmed = true
await applyd.verbs.apply({ plan: fullPlan(2, 'b', Number(port), 'well-b') })
await applyd.close()
