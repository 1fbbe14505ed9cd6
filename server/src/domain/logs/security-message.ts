// An event of intrusion prevention as the message that collectors get (docs/behaviour/logs.md 5): the same values as pairs of a key
// and a value, or under the keys of CEF. Text from packets can neither end a value nor begin a key.

import { noNumber } from './kinds.ts'
import type { KeptRecord } from './record.ts'
import { storedCell } from './show.ts'

/** Events of application control have the documented message themselves. */
export const isAlert = (record: KeptRecord): boolean => record.kind === 'security' && record.fields.module === 'ips'

/** ISO 8601 with an offset, of Unix microseconds. */
type Clock = (time: number) => string

type Values = Readonly<Record<string, string>>

/**
 * By the names of the documented message, in its order; empty: none. The engine says nothing of the end of a connection, its age and
 * its TCP flags when it writes an event, because the connection is still open then.
 */
function valuesOf(record: KeptRecord, sensor: string, clock: Clock): Values {
  const text = (column: string): string => String(storedCell(record, column))
  const number = (column: string): string => {
    const value = Number(storedCell(record, column))
    return value === noNumber ? '' : String(value)
  }
  const start = Number(storedCell(record, 'flow_start'))
  const end = (side: 'src' | 'dst', address: string, port: string, name: 'src' | 'dest'): Values => ({
    [`${name}_ip`]: text(address),
    [`${name}_ip_type`]: isLocal(text(address)) ? 'local' : 'external',
    [`${name}_port`]: number(port),
    [`${name}_country`]: text(`${side}_location_name`),
    [`${name}_country_code`]: text(`${side}_location_code`),
    [`${name}_session_uuid`]: text(`${side}_session`),
    [`${name}_user_id`]: text(`${side}_user_id`).replace('user.id.', '') || '-1',
    [`${name}_user_name`]: text(`${side}_user_name`),
  })
  return {
    flow_id: text('flow_id'),
    in_iface: text('in_interface'),
    sensor_name: sensor,
    event_type: 'alert',
    ...end('src', 'source_ip', 'source_port', 'src'),
    ...end('dst', 'destination_ip', 'destination_port', 'dest'),
    proto: text('protocol'),
    'alert.signature_id': number('sid'),
    'alert.signature': text('signature'),
    'alert.category': text('category'),
    'alert.severity': forwardedSeverity(Number(storedCell(record, 'severity'))),
    'alert.gid': number('gid'),
    'alert.action': text('result'),
    'http.hostname': text('host'),
    'http.url': text('url'),
    'http.http_user_agent': text('user_agent'),
    'flow.pkts_toserver': number('packets_to_server'),
    'flow.pkts_toclient': number('packets_to_client'),
    'flow.bytes_toserver': number('bytes_to_server'),
    'flow.bytes_toclient': number('bytes_to_client'),
    'flow.start': start === noNumber ? '' : clock(start),
    ...Object.fromEntries(['end', 'age', 'state', 'reason'].map((name) => [`flow.${name}`, ''])),
    'flow.alerted': 'true',
    ...Object.fromEntries(tcpNames.map((name) => [`tcp.${name}`, ''])),
  }
}

const flagNames = ['cwr', 'ecn', 'urg', 'ack', 'psh', 'rst', 'syn', 'fin'] as const
const tcpNames = ['tcp_flags', 'tcp_flags_ts', 'tcp_flags_tc', ...flagNames, 'state'] as const

/** What is not one of three levels is not recognised by collectors. */
const forwardedSeverity = (severity: number): string => (severity >= 1 && severity <= 3 ? String(severity) : '256')

const localForm =
  /^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|::1$)/i

const isLocal = (address: string): boolean => localForm.test(address)

/** A comma would begin the next pair. */
const pairValue = (text: string): string => text.replaceAll(',', '%2C')

export const securityMessage = (record: KeptRecord, sensor: string, clock: Clock): string =>
  Object.entries(valuesOf(record, sensor, clock))
    .map(([key, value]) => `${key}:${pairValue(value)}`)
    .join(',')

/** Keys of CEF by the names of the message. */
const cefKeys: Readonly<Record<string, string>> = {
  in_iface: 'DeviceInboundInterface',
  sensor_name: 'DeviceProcessName',
  src_ip: 'SourceAddress',
  src_port: 'SourcePort',
  src_country: 'SourceCountry',
  src_user_id: 'SourceUserID',
  src_user_name: 'SourceUserName',
  dest_ip: 'DestinationAddress',
  dest_port: 'DestinationPort',
  dest_country: 'DestinationCountry',
  dest_user_id: 'DestinationUserID',
  dest_user_name: 'DestinationUserName',
  proto: 'TransportProtocol',
  'alert.signature_id': 'DeviceEventClassID',
  'alert.signature': 'Message',
  'alert.category': 'DeviceEventCategory',
  'alert.severity': 'Severity',
  'http.hostname': 'DestinationHostName',
  'http.url': 'RequestUrl',
  'http.http_user_agent': 'RequestClientApplication',
  'flow.bytes_toserver': 'BytesIn',
  'flow.bytes_toclient': 'BytesOut',
  'flow.start': 'StartTime',
  'flow.end': 'EndTime',
}

/** Those without a key of their own, each under a custom one with its name as the label. */
const customStrings: Readonly<Record<string, number>> = {
  flow_id: 1,
  src_ip_type: 2,
  src_country_code: 3,
  src_session_uuid: 4,
  event_type: 5,
  dest_ip_type: 6,
  dest_country_code: 7,
  dest_session_uuid: 8,
  'alert.action': 9,
  'flow.state': 10,
  'flow.reason': 11,
  'flow.alerted': 12,
  'tcp.tcp_flags': 13,
  'tcp.tcp_flags_ts': 14,
  'tcp.tcp_flags_tc': 15,
  'tcp.state': 16,
}
const customNumbers: Readonly<Record<string, number>> = {
  'alert.gid': 1,
  'flow.pkts_toserver': 2,
  'flow.pkts_toclient': 3,
  'flow.age': 4,
  ...Object.fromEntries(flagNames.map((name, index) => [`tcp.${name}`, index + 5])),
}

/** Values without one are left out, and with them their labels. */
export function securityExtension(
  record: KeptRecord,
  sensor: string,
  clock: Clock,
): readonly (readonly [key: string, value: string])[] {
  return Object.entries(valuesOf(record, sensor, clock)).flatMap(([name, value]): [string, string][] => {
    if (value === '') return []
    const [text, number] = [customStrings[name], customNumbers[name]]
    if (text !== undefined)
      return [
        [`DeviceCustomString${text}`, value],
        [`DeviceCustomString${text}Label`, name],
      ]
    if (number !== undefined)
      return [
        [`FlexNumber${number}`, value],
        [`FlexNumber${number}Label`, name],
      ]
    const key = cefKeys[name]
    return key === undefined ? [] : [[key, value]]
  })
}
