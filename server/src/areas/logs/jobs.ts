// The sources of the system journal, for the table that collects them.

import type { Services } from '../../http/handle.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import {
  auditSource,
  firewallSource,
  fromAudit,
  fromFirewallLog,
  fromService,
  fromUnit,
  keptSince,
  type LogRow,
  type OffsetAt,
  type UnitLine,
  unitSource,
} from './records.ts'

interface Numbered {
  readonly number: number
  readonly row: LogRow
}

interface News {
  readonly rows: readonly Numbered[]
  readonly keptFrom: number
  readonly isFullReload: boolean
  readonly isMore?: boolean
}

interface Source {
  readonly name: string
  readonly news: (last: number | null, limit: number) => Promise<News> | News
}

interface Parts extends Pick<Services, 'brand' | 'clock' | 'facts' | 'audit' | 'firewallLog' | 'serviceLogs'> {
  /** What gatewayd writes under the name of a unit. */
  readonly unitLines: { pageAfter(number: number, limit: number): readonly UnitLine[] }
}

/** What the table of the system journal needs to know about its sources. */
export function gatheredLogs(parts: Parts) {
  const { brand, clock, facts, audit, firewallLog, unitLines, serviceLogs } = parts
  let clockOf = { zone: '', offsetAt: clockOffsets('UTC') }
  const offsetAt: OffsetAt = (seconds) => {
    const zone = facts().timeZone
    if (zone !== clockOf.zone) clockOf = { zone, offsetAt: clockOffsets(zone) }
    return clockOf.offsetAt(seconds)
  }
  const auditTrail: Source = {
    name: auditSource,
    news: (last, limit) => {
      const isFullReload = last !== null && last > audit.head.sequence
      const { records, isMore } = audit.pageAfter(isFullReload ? 0 : (last ?? 0), limit)
      const rows = records.map((one) => ({ number: one.sequence, row: fromAudit(one, brand, offsetAt) }))
      return { rows, keptFrom: audit.first, isFullReload, isMore }
    },
  }
  const firewall: Source = {
    name: firewallSource,
    news: async (last, limit) => {
      await firewallLog.refresh()
      const records = firewallLog.pageAfter(last ?? 0, limit)
      const rows = records.map((one) => ({ number: one.sequence, row: fromFirewallLog(one, brand, offsetAt) }))
      return { rows, keptFrom: firewallLog.oldest, isFullReload: false }
    },
  }
  const units: Source = {
    name: unitSource,
    news: (last, limit) => {
      const lines = unitLines.pageAfter(last ?? 0, limit)
      const rows = lines.map((line) => ({ number: line.number, row: fromUnit(line, brand, offsetAt) }))
      // Lines that the table no longer has stay in the journal for as long as it keeps lines.
      return { rows, keptFrom: 0, isFullReload: false }
    },
  }
  const serviceSource = (reader: NonNullable<typeof serviceLogs>, program: string): Source => ({
    name: program,
    news: async (last) => {
      const { lines, keptFrom, isFullReload } = await reader.readNews(program, last === null)
      // The first line is at position 0, and numbers begin with 1.
      const rows = lines.map((line) => ({ number: line.position + 1, row: fromService(line, brand, offsetAt) }))
      return { rows, keptFrom: keptFrom + 1, isFullReload }
    },
  })
  const services = serviceLogs ? serviceLogs.programs.map((program) => serviceSource(serviceLogs, program)) : []
  return {
    // With other programs too: rows of one that has another name now would never be removed.
    kind: () => [brand, facts().timeZone, ...(serviceLogs?.programs ?? [])].join(' '),
    sources: [auditTrail, firewall, units, ...services],
    keptSince: (source: string) => keptSince(source, Math.floor(clock.now().getTime() / 1000), offsetAt),
  }
}
