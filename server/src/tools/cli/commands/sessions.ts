// gw sessions: who is signed in, since when and from where.

import { endSession, listSessions } from '../../../areas/sign-in/contract.ts'
import { withApi } from '../client/api.ts'
import type { Run } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { showTable } from '../output/table.ts'
import { showJson } from '../output/text.ts'
import { showStamp } from '../output/time.ts'

export const listSessionsCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const sessions = await withApi(context, (api) => api.ask(listSessions))
  if (invocation.has('json')) terminal.out(`${showJson(sessions, 2)}\n`)
  else {
    const columns = ['id', 'login', 'role', 'address', 'since (utc)', 'kind']
    const rows = sessions.map((session) => [
      session.id,
      session.login,
      session.role_name,
      session.ip,
      showStamp(session.login_timestamp),
      session.auth_type,
    ])
    terminal.out(showTable({ columns, rows }, terminal))
    terminal.note(`End one with: gw delete ${endSession.path.replace(':session_id', '<id>')}\n`)
  }
  return exitCodes.done
}
