// Queries of the system journal and its forwarding to a collector (docs/behaviour/logs.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../contract/collections.ts'
import { endpoint } from '../../contract/endpoint.ts'
import { Enabled, nullable, oneOf, StatusItem, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { type Column, journalQuery, journalReply } from '../../contract/table-query.ts'
import { addressPattern } from '../../net/ipv4.ts'
import { domainPattern } from '../dns/contract.ts'

export const RemoteSyslog = strictObject({
  host: nullable(
    Type.String({
      pattern: `^${addressPattern}$`,
      'x-fault': 'Must be the IPv4 address of the collector, such as 192.168.0.10.',
      description: 'Address of the collector; null when it is not set.',
    }),
  ),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
  protocol: oneOf(['tcp', 'udp']),
  format: oneOf(['syslog', 'cef']),
})
export type RemoteSyslog = Static<typeof RemoteSyslog>

export const remoteSyslog = settingsEndpoints({
  path: '/logs_backend/remote_syslog',
  title: 'log forwarding settings',
  schema: RemoteSyslog,
  change: 'configure',
})

/** Beside the settings of the collector, whose form is fixed (docs/decisions/0064-log-forwarding.md). */
export const RemoteSyslogTls = strictObject({
  enabled: Type.Boolean({ description: 'Encrypt the connection; only with TCP.' }),
  ca_certificate: nullable(
    Type.String({
      minLength: 1,
      maxLength: 48 * 1024,
      description:
        'Certificates (PEM) of the authorities that the collector is verified by; null: those of the system.',
    }),
  ),
  server_name: nullable(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: `^${domainPattern}$`,
      'x-fault': 'Must be a domain name, such as collector.example.com.',
      description: 'Name that the certificate of the collector must be for; null: its address.',
    }),
  ),
})
export type RemoteSyslogTls = Static<typeof RemoteSyslogTls>

export const remoteSyslogTls = settingsEndpoints({
  path: '/logs_backend/remote_syslog/tls',
  title: 'TLS settings of log forwarding',
  schema: RemoteSyslogTls,
  change: 'configure',
})

export const remoteSyslogState = settingsEndpoints({
  path: '/logs_backend/remote_syslog/state',
  title: 'state of log forwarding',
  schema: Enabled,
  change: 'configure',
})

export const remoteSyslogStatus = endpoint({
  method: 'GET',
  path: '/logs_backend/remote_syslog/status',
  access: 'view',
  summary: 'Show the status of log forwarding',
  reply: Type.Array(StatusItem),
})

export const LogRecord = strictObject({
  id: Type.String(),
  date_time: Type.Integer({ description: 'YYYYMMDDhhmmss in the time zone of the gateway.' }),
  microseconds: Type.Integer({ minimum: 0, maximum: 999_999 }),
  priority: Type.Integer({ minimum: 0, maximum: 7, description: '0 emergency ... 3 error, 4 warning, 6 information.' }),
  message: Type.String(),
  syslog_id: Type.String({ description: 'Name of the program.' }),
  unit: Type.String({ description: 'Service that wrote the message.' }),
})
export type LogRecord = Static<typeof LogRecord>

export const logColumnNames = [
  'id',
  'date_time',
  'microseconds',
  'priority',
  'message',
  'syslog_id',
  'unit',
] as const satisfies readonly (keyof LogRecord)[]

const numbers: Readonly<Record<string, Column['type']>> = {
  date_time: 'UInt64',
  microseconds: 'UInt32',
  priority: 'UInt8',
}

export const logColumns: readonly Column[] = logColumnNames.map((name) => ({ name, type: numbers[name] ?? 'String' }))

export const listLogs = endpoint({
  method: 'GET',
  path: '/logs_backend/logs',
  access: 'reports',
  summary: 'Query the system journal',
  description: 'Newest first unless sorted otherwise. Parameters other than numbers and words are JSON.',
  query: strictObject({
    ...journalQuery(logColumnNames).properties,
    last_reboot_only: Type.Optional(Type.Boolean({ description: 'Only records written since the last boot.' })),
  }),
  reply: journalReply(LogRecord),
  alsoReplies: ['text/csv'],
})
