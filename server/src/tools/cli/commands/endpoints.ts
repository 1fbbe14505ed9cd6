// gw endpoints: everything the API offers, or what has a word in its path or summary.

import type { Run } from '../command.ts'
import { contracts } from '../contract/contracts.ts'
import { byMethod } from '../contract/paths.ts'
import { exitCodes, refused } from '../failure.ts'
import { showTable } from '../output/table.ts'
import { showJson } from '../output/text.ts'

export const listEndpointsCommand: Run = async (invocation, { terminal }) => {
  const [word = ''] = invocation.operands
  const found = contracts
    .flatMap(({ name, endpoints }) => endpoints.map((endpoint) => ({ area: name, endpoint })))
    .filter(({ area, endpoint }) =>
      [area, endpoint.method, endpoint.path, endpoint.summary].join(' ').toLowerCase().includes(word.toLowerCase()),
    )
    .sort((a, b) => compare(a.endpoint.path, b.endpoint.path) || byMethod(a.endpoint, b.endpoint))
  if (found.length === 0) throw refused(`No endpoint contains "${word}" in its path or summary.`)
  if (invocation.has('json')) {
    const listed = found.map(({ area, endpoint: { method, path, access, summary } }) => ({
      area,
      method,
      path,
      access,
      summary,
    }))
    terminal.out(`${showJson(listed, 2)}\n`)
  } else {
    const columns = ['method', 'path', 'access', 'summary']
    const rows = found.map(({ endpoint: { method, path, access, summary } }) => [method, path, access, summary])
    terminal.out(showTable({ columns, rows, wrapLast: true }, terminal))
  }
  return exitCodes.done
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
