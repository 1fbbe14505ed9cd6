// What gatewayd and applyd use together. At the first start nothing of the programs is in the compile cache yet.

import { join } from 'node:path'
import { benchFolder } from '../folder.ts'
import { type Memory, settledMemory } from '../memory.ts'
import { aimed, grouped, plain, type Row } from '../table.ts'
import { addAndDelete } from './changes.ts'
import { startOn, stateWith } from './gateway.ts'

const limits = [
  { rules: 0, megabytes: 130 },
  { rules: 10_000, megabytes: 180 },
] as const

const smallRequests = 200

export async function benchMemory(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { rules, megabytes } of limits) {
    const stateDir = await stateWith(rules)
    const env = { NODE_COMPILE_CACHE: join(benchFolder(), 'compile') }
    for (const start of ['first start', 'second start']) {
      const { proportional, resident } = await measureStart(stateDir, rules, env)
      const what = `memory of gatewayd and applyd, ${grouped(rules)} rules, ${start}`
      const row = { ...plain(what, `${proportional.toFixed(0)} MB Pss`), raw: `${resident.toFixed(0)} MB Rss` }
      rows.push(aimed(row, `below ${megabytes} MB Pss`, proportional < megabytes))
    }
  }
  return rows
}

/** After some use: a process that has only started has not loaded everything yet. */
async function measureStart(stateDir: string, rules: number, env: Readonly<Record<string, string>>): Promise<Memory> {
  await using gateway = await startOn(stateDir, rules, { env })
  for (let count = 0; count < smallRequests; count++) await gateway.call('GET', '/firewall/settings')
  if (rules > 0) for (let count = 0; count < 5; count++) await addAndDelete(gateway)
  const { gatewayd, applyd } = gateway.lab.pids()
  return await settledMemory([gatewayd, applyd])
}
