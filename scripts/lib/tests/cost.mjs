// What a test file costs: the processor time of its process and of everything that it started. A loop of fixed work beside it says how
// slow the machine is, so that a busy or slow one breaks no budget.

import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const costsVariable = 'PORTCULLIS_TEST_COSTS'

/** Of the fixed work on the reference machine (2 cores of an Intel Xeon at 2.8 GHz, idle). */
const referenceMs = 1
/** Linux counts processor time in hundredths of a second for everyone who reads it. */
const tickMs = 10

/** Of this process and of those below it, with those that they have waited for: what still runs is paid for too, such as a browser. */
function readCpuMs(pid = 'self') {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field is the name in brackets, and may hold anything. Fields 14 to 17 are the times.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0)
  return childrenOf(pid).reduce((sum, child) => sum + readCpuMs(child), own)
}

function childrenOf(pid) {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  return threads.flatMap((thread) => readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
}

/** What ended just now has no file any more, and who waited for it has its time. */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return ''
    throw error
  }
}

/** Begins to count for a file; what it returns reports what the file cost since then. */
export function beginCost(file) {
  const folder = process.env[costsVariable]
  if (folder === undefined) return () => {}
  const begun = { slowness: measureSlowness(), cpuMs: readCpuMs() }
  return () => {
    const cpuMs = readCpuMs() - begun.cpuMs
    // At both ends: what slows a machine down comes and goes.
    const slowness = (begun.slowness + measureSlowness()) / 2
    appendFileSync(join(folder, 'costs.jsonl'), `${JSON.stringify({ file, cpuMs, slowness })}\n`)
  }
}

/** How many times longer than on the reference machine the fixed work takes. The best of a few tries: others only ever take time. */
function measureSlowness() {
  const tries = Array.from({ length: 10 }, () => {
    const begun = process.cpuUsage()
    doFixedWork()
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / 1000
  })
  return Math.min(...tries) / referenceMs
}

function doFixedWork() {
  for (let round = 0; round < 10; round++) {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id + round}`, isOn: id % 2 === 0 }))
    JSON.parse(JSON.stringify(rows))
  }
}
