// Records of the audit trail, the firewall log and the service logs as records of the system journal, and how long each is
// kept.

import type { Cell } from '../../contract/table-query.ts'
import { printStamp } from '../../contract/table-query.ts'
import { engines } from '../../engines/index.ts'
import { logSources } from '../../engines/views.ts'
import { describeRecord } from '../firewall-log/public.ts'
import type { LogRecord } from './contract.ts'

/** As a row of a query; the same fields. */
export type LogRow = LogRecord & Readonly<Record<string, Cell>>

/** Seconds the gateway's clock is ahead of UTC at a moment. */
export type OffsetAt = (unixSeconds: number) => number

export interface WrittenRecord {
  readonly sequence: number
  readonly time: string
  readonly event: string
  readonly who: string
  readonly address: string
  readonly what: string
  readonly result: string
  readonly message: string
}

type KeptRecord = Parameters<typeof describeRecord>[0] & { readonly sequence: number }

export interface ServiceLine {
  /** `gatewayd`, `applyd` ... */
  readonly program: string
  /** Its position in its file; unique together with the program. */
  readonly position: number
  /** Unix milliseconds. */
  readonly time: number
  readonly level: string
  readonly message: string
}

/** Days (docs/behaviour/logs.md 3). Units with other periods are not part of this release. */
const keptDays = 90
const auditKeptDays = 365

/** The oldest date_time of a source that is kept. */
export function keptSince(source: string, nowSeconds: number, offsetAt: OffsetAt): number {
  const days = source === auditSource ? auditKeptDays : keptDays
  const seconds = nowSeconds - days * 86_400
  return printStamp(seconds + offsetAt(seconds))
}

/** Characters; a query looks through every message. */
const maxMessage = 4_000

export const auditSource = 'audit'
export const firewallSource = 'nflog'
export const unitSource = 'unit'

const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warning: 4, notice: 5, info: 6, debug: 7 }
const [warning, information] = [4, 6]

export const fromAudit = (record: WrittenRecord, brand: string, offsetAt: OffsetAt): LogRow =>
  row(`${auditSource}.${record.sequence}`, Date.parse(record.time), offsetAt, {
    // Earlier versions wrote `done`.
    priority: record.result === 'ok' || record.result === 'done' ? information : warning,
    message: `${record.event} ${record.who || '-'} from ${record.address}: ${record.what}: ${record.result}. ${record.message}`,
    syslog_id: `${brand}-audit-backend`,
    unit: `${brand}-audit-backend`,
  })

export const fromFirewallLog = (record: KeptRecord, brand: string, offsetAt: OffsetAt): LogRow =>
  row(`${firewallSource}.${record.sequence}`, record.time, offsetAt, {
    priority: record.lost > 0 ? warning : information,
    message: describeRecord(record),
    syslog_id: `${brand}-nflog`,
    unit: `${brand}-nflog`,
  })

export const fromService = (line: ServiceLine, brand: string, offsetAt: OffsetAt): LogRow =>
  row(`${line.program}.${line.position}`, line.time, offsetAt, {
    priority: priorities[line.level] ?? information,
    message: line.message,
    ...namesOf(line.program, brand),
  })

export interface UnitLine {
  readonly number: number
  /** Unix milliseconds. */
  readonly time: number
  readonly level: string
  /** As in `web-authd`, without the name of the product. */
  readonly unit: string
  readonly message: string
}

/** The guard against guessing is known by this name, whatever the product is called. */
const plainUnits: readonly string[] = ['fail2ban']

export function fromUnit(line: UnitLine, brand: string, offsetAt: OffsetAt): LogRow {
  const unit = plainUnits.includes(line.unit) ? line.unit : `${brand}-${line.unit}`
  return row(`${unitSource}.${line.number}`, line.time, offsetAt, {
    priority: priorities[line.level] ?? information,
    message: line.message,
    syslog_id: unit,
    unit,
  })
}

const engineLogs = new Map(logSources(engines).map((source) => [source.name, source]))

/** Engines have their own names in the system log (docs/behaviour/logs.md 4). */
function namesOf(program: string, brand: string): Pick<LogRecord, 'syslog_id' | 'unit'> {
  const { syslogId = program, unit = '{brand}-{program}' } = engineLogs.get(program) ?? {}
  return { syslog_id: syslogId, unit: unit.replace('{brand}', brand).replace('{program}', program) }
}

function row(
  id: string,
  milliseconds: number,
  offsetAt: OffsetAt,
  rest: Pick<LogRecord, 'priority' | 'message' | 'syslog_id' | 'unit'>,
): LogRow {
  const seconds = Math.floor(milliseconds / 1000)
  return {
    id,
    date_time: printStamp(seconds + offsetAt(seconds)),
    microseconds: Math.floor((milliseconds - seconds * 1000) * 1000),
    ...rest,
    message: rest.message.slice(0, maxMessage),
  }
}
