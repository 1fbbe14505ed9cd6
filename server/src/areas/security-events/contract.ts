// The journal of security events, its reports, and what can be done about one event (docs/behaviour/security-events.md).
// Additions of ours: the interface names the journal and has no calls for it.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, nullable, oneOf, strictObject } from '../../core/contract/fields.ts'
import {
  bytes,
  journalBuckets,
  journalColumns,
  journalTail,
  mostSteps,
  reportFields,
  stepStart,
  timelineQuery,
  topLimit,
  topReply,
  word,
} from '../../core/contract/log-reports.ts'
import { Type } from '../../core/contract/schema.ts'
import { journalQuery, journalReply } from '../../core/contract/table-query.ts'

const number = (description: string) => Type.Integer({ description })

export const modules = ['ips', 'application'] as const
export const results = ['blocked', 'allowed'] as const
/** 1 critical, 2 important, 3 warning, 4 not classified, 255 not recognised. */
export const severities = [1, 2, 3, 4, 255] as const

const eventFields = {
  id: word(),
  date_time: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss in the gateway’s zone.' }),
  module: oneOf(modules, 'ips: a signature of intrusion prevention. application: application control.'),
  result: oneOf(results, 'allowed: it was only reported.'),
  severity: number('1 critical, 2 important, 3 warning, 4 not classified, 255 not recognised.'),
  signature_id: number('Of the signature; of application control the number of the rule of the engine.'),
  signature: word('Name of the signature, or the application.'),
  classtype: word('Group of the signature; empty: none.'),
  mitre_tactic_id: word('Such as TA0001; empty: none.'),
  application: word('Id of the application that was denied; empty for a signature.'),
  app_protocol: word('Protocol of the application layer as the engine recognised it; empty: not recognised.'),
  protocol: word('Such as TCP.'),
  src_ip: word('Who opened the connection.'),
  src_port: number('0: none.'),
  dst_ip: word('Behind DNAT.'),
  dst_port: number('0: none.'),
  src_user_id: word('Such as user.id.5; empty without a user.'),
  src_user_login: word(),
  src_user_name: word(),
  dst_user_id: word(),
  dst_user_login: word(),
  dst_user_name: word(),
  src_location_name: word(),
  src_location_code: word(),
  dst_location_name: word(),
  dst_location_code: word(),
  in_interface: word('Device by which the connection came; empty: not known.'),
  src_zone: word('Zone of that interface, or its name.'),
  dst_zone: word('Where the connection went, likewise; empty for the gateway itself.'),
  profile_id: word('Profile of intrusion prevention or application control whose rule it was; empty: not known.'),
  profile: word('Its name at that time.'),
  table: oneOf(['fwd', 'inp', 'absent'], 'Of the firewall rule that had the connection inspected; absent: not known.'),
  rule_id: number('The firewall rule that had the connection inspected; 0: not known.'),
  host: word('Name that the client asked for: HTTP, TLS or DNS; empty: none.'),
  url: word(),
  user_agent: word(),
  ja3: word(),
  ja4: word(),
  flow_id: word('Number of the connection in the engine; events of one connection share it.'),
  packets_to_server: number('Of the connection until then.'),
  packets_to_client: number('Of the connection until then.'),
  bytes_to_server: bytes('Of the connection until then.'),
  bytes_to_client: bytes('Of the connection until then.'),
}

export const SecurityEvent = strictObject(eventFields)
export type SecurityEvent = Static<typeof SecurityEvent>

export const eventColumnNames = Object.keys(SecurityEvent.properties) as (keyof SecurityEvent)[]
export const eventColumns = journalColumns(SecurityEvent.properties)

const journal = journalQuery(eventColumnNames).properties

export const eventJournal = endpoint({
  method: 'GET',
  path: '/security_events/journal',
  access: 'reports',
  summary: 'Query the security events',
  description:
    'Events of intrusion prevention and application control, newest first unless sorted otherwise. CSV without a limit has ' +
    'all events that match, up to 10,000 when it is sorted.',
  query: journalQuery(eventColumnNames),
  reply: journalReply(SecurityEvent),
  alsoReplies: ['text/csv'],
})

export const eventTail = journalTail('/security_events/journal/tail', 'Follow the security events', journal)

export const eventBuckets = journalBuckets('/security_events/journal/buckets', 'Count security events by time', journal)

const period = reportFields(journal)

const amounts = {
  events: Type.Integer({ description: 'Number of events.' }),
  blocked: Type.Integer({ description: 'Of these, how many were blocked.' }),
}

export const topKinds = [
  'signatures',
  'profiles',
  'sources',
  'destinations',
  'classtypes',
  'tactics',
  'countries',
  'rules',
  'applications',
  'results',
  'severities',
] as const
export type TopKind = (typeof topKinds)[number]

export const EventTop = topReply(
  strictObject({
    value: word(
      'Sid, id of a profile or application, address, group, tactic, country code, rule such as fwd.3; empty: none.',
    ),
    title: word(
      'Name of the signature, profile, application, group, tactic or country as it is now; empty: not known.',
    ),
    ...amounts,
  }),
  strictObject(amounts),
)

export const eventTop = endpoint({
  method: 'GET',
  path: '/security_events/top',
  access: 'reports',
  summary: 'Show the top signatures, profiles or hosts of security events',
  description: 'Countries are those of the sources.',
  query: strictObject({ kind: oneOf(topKinds, 'What is counted.'), limit: topLimit, ...period }),
  reply: EventTop,
})

export const EventTimeline = Type.Array(
  strictObject({
    from: stepStart,
    events: Type.Integer(),
    blocked: Type.Integer(),
    allowed: Type.Integer(),
    critical: Type.Integer({ description: 'Events of severity 1.' }),
    important: Type.Integer({ description: 'Events of severity 2.' }),
    warning: Type.Integer({ description: 'Events of severity 3.' }),
    unclassified: Type.Integer({ description: 'Events of severity 4.' }),
    unrecognised: Type.Integer({ description: 'Events of severity 255.' }),
  }),
)

export const eventTimeline = endpoint({
  method: 'GET',
  path: '/security_events/timeline',
  access: 'reports',
  summary: 'Show security events by hour or day',
  description: `Hours and days of the gateway's clock, those without events included; at most ${mostSteps}.`,
  query: timelineQuery(period),
  reply: EventTimeline,
})

const one = '/security_events/journal/:event_id'

export const EventDetails = strictObject({
  event: SecurityEvent,
  category: word('Of the signature, in words; empty: none.'),
  action: oneOf(
    ['alert', 'drop', 'rejectsrc', 'rejectdst', 'rejectboth', 'pass'],
    'What the profile does with this signature.',
  ),
  revision: number('Of the signature at that time; 0: not known.'),
  flow_start: Type.Integer({
    'x-time': 'unix',
    description: 'Unix seconds at which the connection began; 0: not known.',
  }),
  payload: word('Beginning of what was sent, other characters than printable ones as dots; empty: none.'),
  packet: word('The packet, or its beginning, in Base64; empty: none.'),
  signature_text: word('Text of the signature as it is now; empty: it is gone, or this is an application.'),
  firewall_rule: nullable(
    strictObject({
      table: oneOf(['forward', 'input']),
      id: Type.Integer(),
      comment: word(),
      exists: Type.Boolean({ description: 'False: it was removed since.' }),
    }),
  ),
  exceptions: Type.Array(oneOf(['signature', 'address']), {
    description: 'Kinds of exceptions that can be made of it.',
  }),
  no_exception: word('Why no exception of the signature can be made; empty: it can.'),
})
export type EventDetails = Static<typeof EventDetails>

export const showEvent = endpoint({
  method: 'GET',
  path: one,
  access: 'reports',
  summary: 'Show a security event with its payload, firewall rule and signature',
  reply: EventDetails,
})

export const captureType = 'application/vnd.tcpdump.pcap'

export const eventCapture = endpoint({
  method: 'GET',
  path: `${one}/capture`,
  access: 'reports',
  summary: 'Download the packets of a security event',
  description:
    'A pcap file: the packets of the connection around the event, as far as they are still kept; otherwise the packet of the ' +
    'event alone.',
  reply: Type.String(),
  alsoReplies: [captureType],
})

export const exceptionKinds = ['signature', 'address'] as const
export const exceptionSides = ['both', 'source', 'destination'] as const

export const ExceptionFields = strictObject({
  kind: oneOf(
    exceptionKinds,
    'signature: the profile lets the traffic of this signature between these hosts pass. address: the host is not inspected at all.',
  ),
  side: Type.Optional(
    oneOf(
      exceptionSides,
      'For which hosts: connections from the source to the destination, or all of one of them. both when absent; an address ' +
        'exception is about one host, the source when absent.',
    ),
  ),
  comment: Type.Optional(Comment),
})
export type ExceptionFields = Static<typeof ExceptionFields>

export const addException = endpoint({
  method: 'POST',
  path: `${one}/exception`,
  access: 'configure',
  summary: 'Make an exception of a security event',
  description:
    'kind signature adds a custom signature with the action pass for these hosts and puts it on top of the profile of the ' +
    'event, in one change. kind address adds the host to the exceptions of inspection (/ips/bypass).',
  body: ExceptionFields,
  reply: strictObject({
    kind: oneOf(exceptionKinds),
    sid: nullable(Type.Integer({ description: 'Of the custom signature.' })),
    profile_id: nullable(Type.String()),
    profile_rule_id: nullable(Type.Integer()),
    bypass_id: nullable(Type.String()),
  }),
  errors: ['conflict', 'not_found'],
})
