// What gatewayd and applyd use together, at three moments: when the gateway says that it is ready, right after ordinary use,
// and once it is quiet. At the first start nothing of the programs is in the compile cache yet.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { benchFolder } from '../folder.ts'
import { type Memory, memoryOf } from '../memory.ts'
import { aimed, grouped, plain, type Row } from '../table.ts'
import { addAndDelete } from './changes.ts'
import { startOn, stateWith } from './gateway.ts'

const limits = [
  { rules: 0, megabytes: 130 },
  { rules: 10_000, megabytes: 180 },
] as const

const smallRequests = 200
const changes = 5
/** Both processes have given back by then what they do not need. */
const quietMs = 15_000

export async function benchMemory(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { rules, megabytes } of limits) {
    const stateDir = await stateWith(rules)
    const env = { NODE_COMPILE_CACHE: join(benchFolder(), 'compile') }
    for (const start of ['first start', 'second start'])
      for (const [moment, { proportional, resident }] of await measureStart(stateDir, rules, env)) {
        const what = `memory of gatewayd and applyd, ${grouped(rules)} rules, ${start}, ${moment}`
        const row = { ...plain(what, `${proportional.toFixed(0)} MB Pss`), raw: `${resident.toFixed(0)} MB Rss` }
        rows.push(aimed(row, `below ${megabytes} MB Pss`, proportional < megabytes))
      }
  }
  return rows
}

type Moments = (readonly [moment: string, used: Memory])[]

/** A process that has only started has not loaded everything yet, so it is used as well. */
async function measureStart(stateDir: string, rules: number, env: Readonly<Record<string, string>>): Promise<Moments> {
  await using gateway = await startOn(stateDir, rules, { env })
  const { gatewayd, applyd } = gateway.lab.pids()
  const moments: Moments = []
  const note = (moment: string): void => {
    moments.push([moment, memoryOf([gatewayd, applyd])])
  }
  note('ready')
  for (let count = 0; count < smallRequests; count++) await gateway.call('GET', '/firewall/settings')
  if (rules > 0) for (let count = 0; count < changes; count++) await addAndDelete(gateway)
  note('after use')
  await pause(quietMs)
  note('quiet')
  return moments
}
