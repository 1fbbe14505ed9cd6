// cut_connections of a change: what the change refuses is cut once it is made, and a dry run lists it. The change stays
// whatever happens here, so a failure is a warning in the answer, a line in the log and an audit record, never an error.

import type { FastifyReply } from 'fastify'
import type { Context, Identity } from '../../core/area/handle.ts'
import type { ChangeResult, DryRun, DryRunOutcome, PolicyChange } from '../../core/config/change.ts'
import type { ConfigEngine } from '../../core/config/engine.ts'
import type { Log } from '../../core/log.ts'
import { say } from '../../shared/said.ts'
import { type ListedConnections, type LiveConnections, noConnections, stateAt } from './live-connections.ts'

export interface CutParts {
  readonly connections: LiveConnections
  readonly engine: ConfigEngine
  readonly log: Log
}

export const countHeader = 'x-cut-connections'
export const warningHeader = 'x-cut-connections-warning'

const notCut = say`Connections could not be cut. The log of the gateway has the reason.`
const notJudged = say`The tracked connections could not be judged. The log of the gateway has the reason.`

export interface CutCall {
  readonly identity: Identity | null
  readonly requestId: string
  readonly reply: FastifyReply
  readonly audit: Context['audit']
}

/** The work goes on when the client has gone: the change is made. */
export async function cutAfter(parts: CutParts, done: ChangeResult<unknown>, call: CutCall): Promise<void> {
  const { reply, audit, requestId, identity } = call
  let count = 0
  let warning: string | null = null
  const change = changeOf(parts, done)
  if (change) {
    const asking = { identity, signal: new AbortController().signal }
    try {
      warning = await parts.connections.cut(change, asking, (ended) => {
        count += ended
      })
    } catch (error) {
      warning = notCut
      parts.log('error', 'connections were not cut after a change', { error, request_id: requestId })
    }
    const words = [`Connections that revision ${done.revision} refuses were cut: ${count}.`, warning]
    audit(words.filter((text) => text !== null).join(' '))
  }
  void reply.header(countHeader, String(count))
  if (warning !== null) void reply.header(warningHeader, warning)
}

/** Null when the change is not about packets. */
function changeOf(
  { connections, engine }: CutParts,
  { revision, reverted }: ChangeResult<unknown>,
): PolicyChange | null {
  if (revision === null) return null
  const isAbout = reverted !== null || [...connections.slots].some((slot) => engine.slotRevision(slot) >= revision)
  return isAbout ? { before: stateAt(reverted ?? revision - 1), after: stateAt(revision) } : null
}

/** The report of a dry run with the connections that the change would cut. */
export async function withConnections(
  { connections, log }: Pick<CutParts, 'connections' | 'log'>,
  { change, ...report }: DryRunOutcome,
  call: Pick<CutCall, 'identity' | 'requestId'> & { readonly signal: AbortSignal },
): Promise<DryRun & ListedConnections> {
  if (!change || !isConcerned(connections, change)) return { ...report, ...noConnections }
  try {
    return { ...report, ...(await connections.list(change, call)) }
  } catch (error) {
    log('warning', 'connections were not judged in a dry run', { error, request_id: call.requestId })
    return { ...report, ...noConnections, connections_note: notJudged }
  }
}

const isConcerned = ({ slots }: LiveConnections, { before, after }: PolicyChange): boolean =>
  before.revision !== after.revision || after.changes.some(({ slot }) => slots.has(slot))
