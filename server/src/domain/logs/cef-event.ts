// What a collector that reads CEF learns about a record beside its message (docs/behaviour/logs.md 5): the id, name and severity of
// the event, and addresses, users and actions under the keys of the CEF dictionary. Values are plain here; forwarded-line.ts escapes.

import { noNumber } from './kinds.ts'
import type { KeptRecord } from './record.ts'
import { storedCell } from './show.ts'

export interface CefEvent {
  /** The same for all events of the same sort: what rules of a collector are about. */
  readonly id: string
  readonly name: string
  /** 0 to 10. */
  readonly severity: number
  readonly extension: readonly (readonly [key: string, value: string])[]
}

/** By the priority of syslog, from emergency to debug. */
const severities = [10, 9, 8, 7, 5, 4, 2, 0] as const

/** Characters of a value, as the dictionary has it for addresses of pages: none pushes the others out of the line. */
const maxValue = 1_023

type Describe = (record: KeptRecord) => CefEvent

/** Kinds without columns of their own have only a message. */
const describeOther: Describe = (record) => ({ id: '0', name: 'syslog', severity: severityOf(record), extension: [] })

const severityOf = ({ priority }: KeptRecord): number => severities[priority] ?? 0

const text = (record: KeptRecord, column: string): string => {
  const value = storedCell(record, column)
  return value === noNumber ? '' : String(value)
}

/** Columns by their keys; what is empty is left out. */
const columns = (record: KeptRecord, keys: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(keys).map(([key, column]) => [key, text(record, column)])

/** Of a column of seconds, as the dictionary has times. */
const milliseconds = (record: KeptRecord, column: string): string => {
  const seconds = text(record, column)
  return seconds === '' ? '' : `${seconds}000`
}

/** A custom field, which has its meaning beside it. */
const labelled = (key: string, label: string, value: string): [string, string][] =>
  value === ''
    ? []
    : [
        [key, value],
        [`${key}Label`, label],
      ]

const ends = { src: 'source_ip', spt: 'source_port', dst: 'destination_ip', dpt: 'destination_port', proto: 'protocol' }

const refusals = new Set(['drop', 'reject', 'deny', 'denied', 'blocked'])

const describers: Readonly<Partial<Record<KeptRecord['kind'], Describe>>> = {
  firewall: (record) => {
    const action = text(record, 'action')
    return {
      id: action === '' ? 'firewall' : `firewall:${action}`,
      name: `Firewall ${action}`.trim(),
      severity: refusals.has(action) ? 4 : severityOf(record),
      extension: [
        ...columns(record, {
          ...ends,
          act: 'action',
          suser: 'src_user_login',
          duser: 'dst_user_login',
          deviceInboundInterface: 'in_interface',
          deviceOutboundInterface: 'out_interface',
          sourceTranslatedAddress: 'snat_ip',
          destinationTranslatedAddress: 'dnat_ip',
          destinationTranslatedPort: 'dnat_port',
        }),
        ...labelled('cs1', 'table', text(record, 'table')),
        ...labelled('cs2', 'rule', text(record, 'rule_id')),
      ],
    }
  },
  web: (record) => {
    const result = text(record, 'result')
    return {
      id: `web:${result}`,
      name: `Web request ${result}`,
      severity: text(record, 'virus') !== '' ? 8 : refusals.has(result) ? 4 : severityOf(record),
      extension: [
        ...columns(record, {
          src: 'source_ip',
          dst: 'destination_ip',
          suser: 'user_login',
          act: 'result',
          reason: 'reason',
          requestMethod: 'method',
          dhost: 'host',
          app: 'scheme',
          request: 'url',
          out: 'bytes_sent',
          in: 'bytes_received',
          requestClientApplication: 'user_agent',
          requestContext: 'referer',
          cat: 'categories',
        }),
        ...labelled('cn1', 'status', text(record, 'status')),
        ...labelled('cs2', 'rule', text(record, 'rule_id')),
        ...labelled('cs3', 'virus', text(record, 'virus')),
      ],
    }
  },
  security: (record) => {
    const isIps = record.fields.module === 'ips'
    return {
      id: isIps ? `${text(record, 'gid') || '1'}:${text(record, 'sid')}` : `application:${text(record, 'application')}`,
      name: (isIps && text(record, 'signature')) || `Application ${text(record, 'application')}`,
      severity:
        ({ 1: 9, 2: 6, 3: 3 } as Readonly<Record<string, number>>)[text(record, 'severity')] ?? severityOf(record),
      extension: [
        ...columns(record, {
          ...ends,
          act: 'result',
          suser: 'src_user_login',
          duser: 'dst_user_login',
          cat: 'category',
          app: 'app_protocol',
          ...(isIps ? {} : { deviceInboundInterface: 'in_interface' }),
          dhost: 'host',
          request: 'url',
          requestClientApplication: 'user_agent',
        }),
        ...labelled('cs1', 'table', text(record, 'table')),
        ...labelled('cs2', 'rule', text(record, 'rule_id')),
        ...labelled('cs4', 'profile', text(record, 'profile')),
      ],
    }
  },
  authentication: (record) => {
    const isPortal = text(record, 'journal') === 'yes'
    return {
      id: isPortal ? `portal-session:${text(record, 'ended') === '' ? 'begin' : 'end'}` : 'user-session',
      name: isPortal ? 'Session of a user at the portal' : 'Session of a user',
      severity: severityOf(record),
      extension: [
        ...columns(record, { src: 'ip', suser: 'login', suid: 'user_id', externalId: 'session' }),
        ['start', milliseconds(record, 'started')],
        ['end', milliseconds(record, 'ended')],
      ],
    }
  },
  administration: (record) => ({
    id: `administrator:${text(record, 'event')}`,
    name: `Administrator ${text(record, 'event')}`,
    severity: severityOf(record),
    extension: columns(record, { src: 'address', suser: 'who', act: 'what', outcome: 'result' }),
  }),
}

export function cefEvent(record: KeptRecord): CefEvent {
  const event = (describers[record.kind] ?? describeOther)(record)
  const extension = event.extension.filter(([, value]) => value !== '')
  return { ...event, extension: extension.map(([key, value]) => [key, value.slice(0, maxValue).toWellFormed()]) }
}
