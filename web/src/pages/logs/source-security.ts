// The security events as a source of the explorer. The gateway filters, searches and follows them.

import { eventBuckets, eventJournal, eventTail } from '@gateway/server/contract/security-events'
import { valueWord } from '../../contract/words.ts'
import { printBytes } from '../../util/amount.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { countedBy } from './buckets.ts'
import type { CellValue, LogLine } from './lines.ts'
import type { LogSource } from './source.ts'
import { toldJournal } from './source-told.ts'

const searched = [
  'signature',
  'classtype',
  'src_ip',
  'dst_ip',
  'src_user_login',
  'host',
  'url',
  'profile',
  'user_agent',
]

const severities: Readonly<Record<string, string>> = {
  1: msg('Critical'),
  2: msg('Important'),
  3: msg('Warning'),
  4: msg('Unclassified'),
  255: msg('Unrecognised'),
}

export const severityWord = (value: CellValue): string => t(severities[String(value)] ?? String(value))

export const toneOfSeverity = (value: CellValue): 'bad' | 'warn' | null =>
  Number(value) === 1 ? 'bad' : Number(value) === 2 || Number(value) === 3 ? 'warn' : null

export const moduleWords: Readonly<Record<string, string>> = {
  ips: msg('Intrusion prevention'),
  application: msg('Application control'),
}

const isNone = new Set(['src_port', 'dst_port', 'rule_id'])

function wordOf(column: string, value: CellValue): string {
  const text = String(value ?? '')
  if (column === 'severity') return severityWord(value)
  if (column === 'module') return t(moduleWords[text] ?? text)
  if (column === 'result') return t(valueWord(value))
  if (column.startsWith('bytes_')) return printBytes(Number(value ?? 0), currentLanguage())
  return isNone.has(column) && text === '0' ? '' : text
}

export const securitySource: LogSource = {
  id: 'security',
  title: msg('Security events'),
  lead: msg('What intrusion prevention and application control found in the traffic.'),
  columns: [
    { id: 'time', title: msg('Time'), width: 104 },
    { id: 'severity', title: msg('Severity'), width: 104 },
    { id: 'result', title: msg('Result'), width: 108 },
    { id: 'signature', title: msg('Signature'), width: 'rest' },
    { id: 'source', title: msg('From'), width: 116, parts: ['src_ip'], isMono: true },
    { id: 'destination', title: msg('To'), width: 132, parts: ['dst_ip', 'dst_port'], isMono: true },
    { id: 'profile', title: msg('Profile'), width: 88 },
    { id: 'rule', title: msg('Rule'), width: 64, parts: ['rule_id'] },
    { id: 'src_user_login', title: msg('User'), width: 80 },
    { id: 'src_location_code', title: msg('Country'), width: 72 },
  ],
  facets: [
    { column: 'severity', title: msg('Severity') },
    { column: 'result', title: msg('Result') },
    { column: 'module', title: msg('Found by') },
    { column: 'signature', title: msg('Signature') },
    { column: 'signature_id', title: msg('SID') },
    { column: 'classtype', title: msg('Group') },
    { column: 'mitre_tactic_id', title: msg('Tactic') },
    { column: 'application', title: msg('Application') },
    { column: 'src_ip', title: msg('From') },
    { column: 'dst_ip', title: msg('To') },
    { column: 'src_location_code', title: msg('Country') },
    { column: 'profile_id', title: msg('Profile') },
    { column: 'rule_id', title: msg('Rule') },
    { column: 'flow_id', title: msg('Connection') },
  ],
  addresses: ['src_ip', 'dst_ip'],
  toneOf: ({ cells: { severity, result } }, column) => {
    if (column === 'severity') return toneOfSeverity(severity ?? null)
    return column === 'result' ? (result === 'blocked' ? 'bad' : 'warn') : null
  },
  wordOf,
  buckets: countedBy(eventBuckets, searched),
  ...toldJournal({ journal: eventJournal, tail: eventTail, searched }),
  views: [
    { title: msg('Blocked today'), search: { from: '-1d', result: 'blocked' } },
    { title: msg('Critical, only reported'), search: { from: '-7d', severity: '1', result: 'allowed' } },
    { title: msg('Denied applications'), search: { from: '-1d', module: 'application' } },
  ],
  empty: {
    title: msg('Nothing was found in this time'),
    text: msg('Traffic is inspected where a firewall rule that accepts it names a profile.'),
  },
  ruleOf: ({ cells: { table, rule_id } }) =>
    Number(rule_id) > 0 ? { table: String(table), id: String(rule_id) } : null,
  packetOf: ({ cells }: LogLine) => ({
    protocol: String(cells.protocol ?? ''),
    source: String(cells.src_ip ?? ''),
    destination: String(cells.dst_ip ?? ''),
    port: Number(cells.dst_port) > 0 ? Number(cells.dst_port) : null,
    device: String(cells.in_interface ?? ''),
  }),
}
