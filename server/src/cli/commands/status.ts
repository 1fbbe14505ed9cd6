// gw status: asks every status endpoint of the contract and shows one table.

import type { Endpoint } from '../../contract/endpoint.ts'
import type { StatusItem } from '../../contract/fields.ts'
import { isStatusEndpoint } from '../../contract/openapi.ts'
import { type Api, withApi } from '../client/api.ts'
import type { Run } from '../command.ts'
import { contracts } from '../contract/contracts.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { showTable } from '../output/table.ts'
import type { Colour } from '../output/terminal.ts'
import { showJson } from '../output/text.ts'

export interface AreaStatus extends StatusItem {
  readonly area: string
}

export const statusColours: Readonly<Record<StatusItem['status'], Colour>> = {
  active: 'green',
  activating: 'yellow',
  deactivating: 'yellow',
  reloading: 'yellow',
  failed: 'red',
  inactive: 'dim',
}

const statusEndpoints = contracts.flatMap(({ name, endpoints }) =>
  endpoints.filter(isStatusEndpoint).map((endpoint) => ({ area: name, endpoint })),
)

export const statusCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const items = await withApi(context, async (api) =>
    (await Promise.all(statusEndpoints.map(({ area, endpoint }) => readStatus(api, area, endpoint)))).flat(),
  )
  if (invocation.has('json')) terminal.out(`${showJson(items, 2)}\n`)
  else terminal.out(showTable(tableOfItems(items), terminal))
  return items.some(({ status }) => status === 'failed') ? exitCodes.refused : exitCodes.done
}

/** An area whose status cannot be read is shown as failed; the others are still shown. */
async function readStatus(api: Api, area: string, endpoint: Endpoint): Promise<AreaStatus[]> {
  try {
    const items = (await api.ask(endpoint)) as readonly StatusItem[]
    return items.map((item) => ({ area, ...item }))
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.refused) throw error
    return [{ area, name: endpoint.path, status: 'failed', msg: [error.message] }]
  }
}

export const tableOfItems = (items: readonly AreaStatus[]) => ({
  columns: ['area', 'name', 'status', 'message'],
  rows: items.map(({ area, name, status, msg }) => [
    area,
    name,
    { text: status, colour: statusColours[status] },
    msg.join('; '),
  ]),
  wrapLast: true,
})
