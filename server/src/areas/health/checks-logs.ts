// The log, judged: whether records are kept, and whether the collector and the log server take them. Pure.

import type { Finding } from '../../core/contract/health.ts'
import type { LogServerReport, StoreState } from '../../domain/logs/store.ts'
import { type Said, type SaidText, say } from '../../shared/said.ts'

export function logFindings({ fault, notice, lost }: StoreState): Finding[] {
  const [id, title] = ['log', say`Log`]
  const losses = lost > 0 ? say`Records that were lost since the start: ${lost}.` : ''
  if (fault !== null)
    return [{ id, title, state: 'failed', message: [fault, losses], advice: say`Look at the disk of the gateway.` }]
  if (notice !== undefined) return [{ id, title, state: 'warning', message: [notice, losses], advice: '' }]
  return [{ id, title, state: 'ok', message: [say`Records are kept.`, losses], advice: '' }]
}

export interface Forwarded {
  readonly isConnected: boolean
  readonly fault: SaidText | null
  readonly waiting: number
  readonly lost: number
}

/** Null while nothing is forwarded: then there is nothing to judge. */
export function forwardingFindings(report: Forwarded | null): Finding[] {
  if (!report) return []
  const { isConnected, fault, waiting, lost } = report
  const [id, title] = ['forwarding', say`Log forwarding`]
  const rest = [waitingWords(waiting), lostWords(lost)]
  if (fault !== null)
    return [
      {
        id,
        title,
        state: 'failed',
        message: [fault, ...rest],
        advice: say`Check the collector and the connection to it.`,
      },
    ]
  const message = [isConnected ? say`The collector takes records.` : say`The collector is being connected.`, ...rest]
  return [{ id, title, state: 'ok', message, advice: '' }]
}

/** Undefined without a log server. */
export function logServerFindings(report: LogServerReport | undefined): Finding[] {
  if (!report) return []
  const { fault, waiting, lost } = report
  const [id, title] = ['log-server', say`Log server`]
  const rest = [waitingWords(waiting), lostWords(lost)]
  if (fault !== null)
    return [
      {
        id,
        title,
        state: 'failed',
        message: [fault, ...rest],
        advice: say`Check the log server and the connection to it.`,
      },
    ]
  return [{ id, title, state: 'ok', message: [say`The log server takes records.`, ...rest], advice: '' }]
}

const waitingWords = (waiting: number): Said => (waiting > 0 ? say`Records that wait: ${waiting}.` : '')
const lostWords = (lost: number): Said =>
  lost > 0 ? say`Records removed from the log before they could be sent: ${lost}.` : ''
