// Reads what the flow exporter reports about itself. The file belongs to another account, so only its form is trusted: it is
// small, not a link, and every field is checked.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FlowReport } from '../../../core/plan/facts.ts'

const numbers = ['at', 'flows', 'packets', 'failedPackets', 'lostConnections', 'open'] as const
/** More than it ever has. */
const maxBytes = 1024

/** Null when there is none. */
export async function readFlowReport(path: string): Promise<FlowReport | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
      return parseFlowReport(buffer.toString('latin1', 0, bytesRead))
    } finally {
      await file.close()
    }
  } catch {
    // It is written while the exporter runs; without it the status shows the state of the unit only.
    return null
  }
}

export function parseFlowReport(text: string): FlowReport | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const report = value as Readonly<Record<string, unknown>>
  const isWhole = numbers.every((name) => Number.isSafeInteger(report[name]) && Number(report[name]) >= 0)
  if (!isWhole || typeof report.fault !== 'string' || !/^[A-Z]{0,20}$/.test(report.fault)) return null
  const counts = Object.fromEntries(numbers.map((name) => [name, report[name]]))
  return { ...(counts as Omit<FlowReport, 'fault'>), fault: report.fault }
}
