// gw health: all checks in one table, those that need attention first.

import { type HealthCheck, showHealth } from '../../../areas/health/contract.ts'
import { withApi } from '../client/api.ts'
import type { Run } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { showTable } from '../output/table.ts'
import type { Colour } from '../output/terminal.ts'
import { showJson } from '../output/text.ts'

const colours: Readonly<Record<HealthCheck['state'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'red',
  unknown: 'dim',
}
const order: readonly HealthCheck['state'][] = ['failed', 'warning', 'unknown', 'ok']

export const healthCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const health = await withApi(context, (api) => api.ask(showHealth))
  if (invocation.has('json')) terminal.out(`${showJson(health, 2)}\n`)
  else if (health.checks.length === 0) terminal.note('Nothing was checked yet: the gateway has just started.\n')
  else {
    const checks = health.checks.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
    const rows = checks.map(({ id, state, since, message, advice }) => [
      id,
      { text: state, colour: colours[state] },
      new Date(since * 1000).toISOString().slice(0, 19).replace('T', ' '),
      `${message} ${advice}`.trim(),
    ])
    terminal.out(showTable({ columns: ['check', 'state', 'since (utc)', 'message'], rows, wrapLast: true }, terminal))
  }
  return health.state === 'failed' ? exitCodes.refused : exitCodes.done
}
