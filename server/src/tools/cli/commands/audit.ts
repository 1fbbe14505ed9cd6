// gw audit and gw audit verify: what happened, and whether the record of it is whole.

import { listRecords, verifyAudit } from '../../../areas/audit/contract.ts'
import { counted } from '../../../core/contract/counted.ts'
import { withApi } from '../client/api.ts'
import type { Run } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { readLimit } from '../limit.ts'
import { showTable } from '../output/table.ts'
import { escapeText, showJson } from '../output/text.ts'
import { showTime } from '../output/time.ts'

export const listAuditCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const query = readLimit(invocation, listRecords)
  const records = await withApi(context, (api) => api.ask(listRecords, { query }))
  if (invocation.has('json')) terminal.out(`${showJson(records, 2)}\n`)
  else {
    const columns = ['record', 'time (utc)', 'event', 'who', 'address', 'result', 'what', 'message']
    const rows = records.map((record) => [
      String(record.sequence),
      showTime(record.time),
      record.event,
      record.who,
      record.address,
      record.result === 'ok' ? record.result : { text: record.result, colour: 'red' as const },
      record.what,
      record.message,
    ])
    terminal.out(showTable({ columns, rows }, terminal))
  }
  return exitCodes.done
}

export const verifyAuditCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const verdict = await withApi(context, (api) => api.ask(verifyAudit))
  const { intact, records, checkpoints, first_bad: bad } = verdict
  if (invocation.has('json')) terminal.out(`${showJson(verdict, 2)}\n`)
  else if (intact)
    terminal.out(`The audit trail is intact: ${counted(records, 'record')}, ${showCheckpoints(checkpoints)}.\n`)
  else terminal.out(`The audit trail is not intact. Record ${bad?.sequence}: ${escapeText(bad?.message ?? '')}\n`)
  return intact ? exitCodes.done : exitCodes.refused
}

const showCheckpoints = (count: number | null): string =>
  count === null
    ? 'but no signed checkpoint was compared because applyd does not answer'
    : `${count} signed checkpoints`
