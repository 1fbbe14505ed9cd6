// gw logs: records of the system journal, and with --follow those that come.

import { type LogRecord, listLogs, tailLogs } from '../../../areas/logs/contract.ts'
import { type Api, withApi } from '../client/api.ts'
import { type Invocation, type Run, readNumber } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { readLimit } from '../limit.ts'
import { type Colour, paint, type Terminal } from '../output/terminal.ts'
import { escapeText, showJson } from '../output/text.ts'
import { showStamp } from '../output/time.ts'

const mostSerious = 7

export const logsCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const isFollowing = invocation.has('follow')
  const query = queryOf(invocation)
  const limit = { limit: isFollowing ? '10' : '100', ...readLimit(invocation, listLogs) }
  const show = (record: LogRecord): void =>
    terminal.out(invocation.has('json') ? `${showJson(record)}\n` : `${lineOf(record, terminal)}\n`)
  await withApi(context, async (api) => {
    // Asked for first: what comes after it and is not shown now is part of what follows.
    const { data: newest } = isFollowing ? await api.ask(listLogs, { query: { limit: '1' } }) : { data: [] }
    const { data } = await api.ask(listLogs, { query: { ...query, ...limit } })
    for (const record of data.toReversed()) show(record)
    const [last] = (data.length > 0 ? data : newest).toSorted((a, b) => placeOf(b) - placeOf(a))
    if (isFollowing) await follow(api, query, last?.id, show, terminal)
  })
  return exitCodes.done
}

/** Records come in this order, whatever their times are. */
const placeOf = ({ id }: LogRecord): number => Number(id.split('.').at(-1))

function queryOf(invocation: Invocation): Record<string, string> {
  const [text] = invocation.operands
  const [unit, priority] = [invocation.value('unit'), invocation.value('priority')]
  const items = [
    ...(unit === undefined ? [] : [{ column_name: 'unit', operator: 'equals', value: [unit] }]),
    ...(priority === undefined
      ? []
      : [
          {
            column_name: 'priority',
            operator: 'less_equal',
            value: [readNumber(priority, '--priority', 0, mostSerious)],
          },
        ]),
  ]
  return {
    ...(text === undefined ? {} : { search: JSON.stringify([{ text, columns: ['message'] }]) }),
    ...(items.length === 0 ? {} : { filter: JSON.stringify([{ items }]) }),
  }
}

/** A stream that ends is opened again where it was; ends when the gateway refuses it or cannot be reached. */
async function follow(
  api: Api,
  query: Readonly<Record<string, string>>,
  newest: string | undefined,
  show: (record: LogRecord) => void,
  terminal: Terminal,
): Promise<never> {
  let last: string | null = null
  for (;;) {
    const events = api.follow(tailLogs, {
      query: { ...query, ...(newest === undefined ? {} : { after: newest }) },
      headers: last === null ? {} : { 'last-event-id': last },
    })
    for await (const { event, id, data } of events) {
      if (id !== '') last = id
      if (event === 'records') for (const record of JSON.parse(data) as readonly LogRecord[]) show(record)
      if (event === 'lost')
        terminal.note(`${Number((JSON.parse(data) as { records: number }).records)} records were left out.\n`)
    }
  }
}

const colourOf = (priority: number): Colour | undefined =>
  priority <= 3 ? 'red' : priority === 4 ? 'yellow' : undefined

function lineOf({ date_time, priority, unit, message }: LogRecord, terminal: Terminal): string {
  const text = paint(terminal, colourOf(priority), escapeText(message))
  return `${showStamp(date_time)} ${paint(terminal, 'dim', escapeText(unit))} ${text}`
}
