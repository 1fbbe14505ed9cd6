// `npm run budget`: counts what each operation costs and compares it with numbers.json. With --write lower numbers are taken
// over, and higher ones when a reason is given: --reason "why".

import { parseArgs } from 'node:util'
import { describe, findExcess, findUnknown, type Numbers, readNumbers, updateNumbers, writeNumbers } from './numbers.ts'
import { countEverything } from './run.ts'
import { printComparison } from './table.ts'

function readArguments(): { readonly writes: boolean; readonly reason: string | null } {
  const { values } = parseArgs({ options: { write: { type: 'boolean' }, reason: { type: 'string' } } })
  const reason = values.reason?.trim() ?? null
  if (reason === '') throw new Error('The reason is empty.')
  if (reason !== null && !values.write) throw new Error('A reason is for --write.')
  return { writes: values.write ?? false, reason }
}

async function run(): Promise<number> {
  const { writes, reason } = readArguments()
  const numbers = readNumbers()
  const { gateway, found, left } = await countEverything(numbers)
  await gateway.lab.stop()
  const next: Numbers = writes
    ? updateNumbers(numbers, found, { reason, date: new Date().toISOString().slice(0, 10) })
    : numbers
  if (writes) writeNumbers(next)
  console.log(printComparison(next, found))
  for (const sentence of left) console.log(sentence)
  const faults = [...findExcess(next, found).map(describe), ...findUnknown(next, found)]
  for (const sentence of faults) console.error(sentence)
  return faults.length === 0 ? 0 : 1
}

try {
  process.exit(await run())
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
