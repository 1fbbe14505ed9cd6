// gw status: asks every status endpoint of the contract and shows one table, below what it says of the authorization of users.

import { type AuthorizationSettings, authorizationSettings } from '../../../areas/authorization/contract.ts'
import type { Endpoint } from '../../../core/contract/endpoint.ts'
import type { StatusItem } from '../../../core/contract/fields.ts'
import { isStatusEndpoint } from '../../../core/contract/openapi.ts'
import { verbatim } from '../../../shared/said.ts'
import { type Api, withApi } from '../client/api.ts'
import type { Run } from '../command.ts'
import { contracts } from '../contract/contracts.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { showTable } from '../output/table.ts'
import { type Colour, paint, type Terminal } from '../output/terminal.ts'
import { showJson, wrapText } from '../output/text.ts'

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
  const isJson = invocation.has('json')
  const { items, authorization } = await withApi(context, async (api) => {
    const answers = await Promise.all(statusEndpoints.map(({ area, endpoint }) => readStatus(api, area, endpoint)))
    return { items: answers.flat(), authorization: isJson ? null : await readAuthorization(api) }
  })
  if (isJson) terminal.out(`${showJson(items, 2)}\n`)
  else {
    terminal.out(showAuthorization(authorization, items, terminal))
    terminal.out(showTable(tableOfItems(items), terminal))
  }
  return items.some(({ status }) => status === 'failed') ? exitCodes.refused : exitCodes.done
}

/** An area whose status cannot be read is shown as failed; the others are still shown. */
async function readStatus(api: Api, area: string, endpoint: Endpoint): Promise<AreaStatus[]> {
  try {
    const items = (await api.ask(endpoint)) as readonly StatusItem[]
    return items.map((item) => ({ area, ...item }))
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.refused) throw error
    return [{ area, name: endpoint.path, status: 'failed', msg: [verbatim(error.message)] }]
  }
}

/** Null for those who may not see it; the table shows why. */
async function readAuthorization(api: Api): Promise<AuthorizationSettings | null> {
  try {
    return await api.ask(authorizationSettings.show)
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.refused) throw error
    return null
  }
}

/** Anyone who looks must see first that every host gets out. */
function showAuthorization(
  settings: AuthorizationSettings | null,
  items: readonly AreaStatus[],
  terminal: Pick<Terminal, 'columns' | 'hasColour'>,
): string {
  if (settings === null) return ''
  const sessions = items.find(({ area, name }) => area === 'authorization' && name === 'sessions')?.msg.join(' ') ?? ''
  const [text, colour]: [string, Colour] = settings.allow_internet_to_everyone
    ? [
        `Authorization is NOT ENFORCED: every host of a local network may reach the internet. ${sessions} ` +
          'When users and rules are ready: gw patch /auth/settings allow_internet_to_everyone=false',
        'yellow',
      ]
    : [`Authorization is enforced: only known users and hosts may reach the internet. ${sessions}`, 'green']
  const lines = terminal.columns === null ? [text] : wrapText(text, terminal.columns)
  return `${lines.map((line) => paint(terminal, colour, line)).join('\n')}\n\n`
}

export const tableOfItems = (items: readonly AreaStatus[]) => ({
  columns: ['area', 'name', 'status', 'message'],
  rows: items.map(({ area, name, status, msg }) => [
    area,
    name,
    { text: status, colour: statusColours[status] },
    msg.join(' '),
  ]),
  wrapLast: true,
})
