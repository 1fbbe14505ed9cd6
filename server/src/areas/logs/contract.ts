// Queries of the system journal and its forwarding to a collector (docs/behaviour/logs.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint, eventStreamType } from '../../core/contract/endpoint.ts'
import { Enabled, named, nullable, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { bucketFields, bucketsDescription, LogBucket, maxBuckets } from '../../core/contract/log-reports.ts'
import { Type } from '../../core/contract/schema.ts'
import { type Column, journalQuery, journalReply } from '../../core/contract/table-query.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'
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
export const RemoteSyslogTls = named(
  'LogForwardingTls',
  strictObject({
    enabled: Type.Boolean({ description: 'Encrypt the connection; only with TCP.' }),
    ca_certificate: {
      ...nullable(
        Type.String({
          minLength: 1,
          maxLength: 48 * 1024,
          'x-lines': true,
          pattern: '-----BEGIN CERTIFICATE-----',
          examples: ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
          'x-fault': 'Must be certificates in PEM format.',
          description:
            'Certificates (PEM) of the authorities that the collector is verified by; null: those of the system.',
        }),
      ),
      examples: [null],
    },
    server_name: nullable(
      Type.String({
        minLength: 1,
        maxLength: 253,
        pattern: `^${domainPattern}$`,
        'x-fault': 'Must be a domain name, such as collector.example.com.',
        description: 'Name that the certificate of the collector must be for; null: its address.',
        examples: ['collector.example.com'],
      }),
    ),
  }),
)
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
  date_time: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss in the time zone of the gateway.' }),
  microseconds: Type.Integer({ 'x-unit': 'microseconds', minimum: 0, maximum: 999_999 }),
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

const journal = journalQuery(logColumnNames).properties

/** `<kind>.<number>`; numbers rise in the order in which records came. */
const RecordId = Type.String({
  pattern: '^([a-z]{1,20}\\.)?\\d{1,15}$',
  'x-fault': 'Must be the id of a record.',
})

export const listLogs = endpoint({
  method: 'GET',
  path: '/logs_backend/logs',
  access: 'reports',
  summary: 'Query the system journal',
  description:
    'Newest first unless sorted otherwise. Parameters other than numbers and words are JSON. CSV without a limit has all ' +
    'records that match, up to 10,000 of them when it is sorted; more are refused.',
  query: strictObject({
    ...journal,
    last_reboot_only: Type.Optional(Type.Boolean({ description: 'Only records written since the last boot.' })),
    after: Type.Optional(
      Type.Unsafe<string>({
        ...RecordId,
        description:
          'Only records that came after the one with this id, oldest first: the last of them is where the next query goes ' +
          'on. Cannot be combined with sort, offset or CSV.',
      }),
    ),
  }),
  reply: journalReply(LogRecord),
  alsoReplies: ['text/csv'],
})

export const tailLogs = endpoint({
  method: 'GET',
  path: '/logs_backend/logs/tail',
  access: 'reports',
  summary: 'Follow the system journal',
  description:
    'Server-sent events: `records` has a list of new records, oldest first, `lost` the number of records that were not ' +
    'looked at because the client takes them too slowly. The id of an event, or `after`, is where the stream goes on.',
  query: strictObject({
    search: journal.search,
    filter: journal.filter,
    after: Type.Optional(
      Type.Unsafe<string>({ ...RecordId, description: 'Begin after the record with this id; now when absent.' }),
    ),
  }),
  reply: Type.String(),
  alsoReplies: [eventStreamType],
})

export { LogBucket, maxBuckets }

export const bucketColumns = ['priority', 'unit', 'syslog_id'] as const satisfies readonly (keyof LogRecord)[]

export const logBuckets = endpoint({
  method: 'GET',
  path: '/logs_backend/logs/buckets',
  access: 'reports',
  summary: 'Count records of the system journal by time',
  description: bucketsDescription,
  query: strictObject({
    ...bucketFields(journal),
    by: Type.Optional(oneOf(bucketColumns, 'Count each value of this column separately.')),
  }),
  reply: Type.Array(LogBucket),
})

export const mostDays = 3_650

const Days = Type.Integer({ minimum: 1, maximum: mostDays, 'x-unit': 'days' })

export const LogRetention = strictObject({
  system_days: Days,
  brief_days: Days,
  firewall_days: Days,
  authentication_days: Days,
  administration_days: Days,
  security_days: Days,
  web_days: Days,
  vpn_days: Days,
  mail_days: Days,
  max_size_mb: nullable(
    Type.Integer({
      minimum: 64,
      maximum: 1_048_576,
      'x-unit': 'megabytes',
      description: 'Megabytes of all records together; null: an eighth of the disk, at most 15,360.',
    }),
  ),
})
export type LogRetention = Static<typeof LogRetention>

export const logRetention = settingsEndpoints({
  path: '/logs_backend/retention',
  title: 'retention of logs',
  schema: LogRetention,
  change: 'configure',
})

export const LogUsage = strictObject({
  bytes: Type.Integer({ 'x-unit': 'bytes', description: 'Of all records on the disk.' }),
  max_bytes: Type.Integer({ 'x-unit': 'bytes' }),
  lost: Type.Integer({ description: 'Records that were not kept since the start.' }),
  kinds: Type.Array(
    strictObject({
      kind: Type.String(),
      title: Type.String(),
      days: Type.Integer({ 'x-unit': 'days', description: 'How long its records are kept.' }),
      records: Type.Integer(),
      bytes: Type.Integer({ 'x-unit': 'bytes' }),
      oldest: nullable(
        Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the oldest record; null without records.' }),
      ),
    }),
  ),
})
export type LogUsage = Static<typeof LogUsage>

export const logUsage = endpoint({
  method: 'GET',
  path: '/logs_backend/usage',
  access: 'view',
  summary: 'Show how many records of each kind are kept, and their room on the disk',
  reply: LogUsage,
})

export const logStatus = endpoint({
  method: 'GET',
  path: '/logs_backend/status',
  access: 'view',
  summary: 'Show the status of the log store',
  reply: Type.Array(StatusItem),
})
