// The web traffic journal and its reports (docs/behaviour/web-log.md). Additions of ours: the interface names the journal and
// has no calls for it.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, strictObject } from '../../core/contract/fields.ts'
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

export const WebRecord = strictObject({
  id: Type.String(),
  date_time: Type.Integer({
    'x-time': 'stamp',
    description: 'YYYYMMDDhhmmss at which it ended, in the gateway’s zone.',
  }),
  source_ip: word('Of the client.'),
  destination_ip: word('Where the client connected to; empty for the direct proxy.'),
  user_id: word('Such as user.id.5; empty without a user.'),
  user_login: word(),
  user_name: word(),
  group: word('Group of the user at that time.'),
  method: word('CONNECT for a connection that was not decrypted.'),
  scheme: oneOf(['http', 'https']),
  host: word(),
  url: word('Without decryption only the host.'),
  categories: word('Ids of categories, each followed by a semicolon.'),
  rule_id: Type.Integer({ description: 'Rule of the content filter that decided; 0: none.' }),
  result: oneOf(['allowed', 'decrypted', 'denied', 'redirected'], 'decrypted: allowed, and was decrypted.'),
  reason: oneOf(
    ['rule', 'default', 'safe-search', 'words', 'virus', 'certificate', 'failure'],
    'certificate: the client or the gateway refused a certificate. failure: the site or the filter did not answer.',
  ),
  decrypted: oneOf(['yes', 'no']),
  status: Type.Integer({ description: 'Status of the answer; 0: none.' }),
  bytes_sent: bytes('From the client.'),
  bytes_received: bytes('To the client.'),
  duration_ms: Type.Integer({ 'x-unit': 'milliseconds' }),
  content_type: word(),
  dictionary: word('Dictionary whose words the page had; empty: none.'),
  virus: word('What the antivirus found; empty: nothing.'),
  user_agent: word(),
  via: oneOf(['transparent', 'direct'], 'direct: the client named the gateway as its proxy.'),
})
export type WebRecord = Static<typeof WebRecord>

export const webColumnNames = Object.keys(WebRecord.properties) as (keyof WebRecord)[]

export const webColumns = journalColumns(WebRecord.properties)

const journal = journalQuery(webColumnNames).properties

export const webJournal = endpoint({
  method: 'GET',
  path: '/web_traffic/journal',
  access: 'reports',
  summary: 'Query the web traffic journal',
  description:
    'Requests through the web proxy, newest first unless sorted otherwise. A filter of categories with equals finds records ' +
    'that have one of the ids. CSV without a limit has all records that match, up to 10,000 when it is sorted.',
  query: journalQuery(webColumnNames),
  reply: journalReply(WebRecord),
  alsoReplies: ['text/csv'],
})

export const webTail = journalTail('/web_traffic/journal/tail', 'Follow the web traffic journal', journal)

export const webBuckets = journalBuckets(
  '/web_traffic/journal/buckets',
  'Count records of the web traffic journal by time',
  journal,
)

const period = reportFields(journal)

export const measures = ['requests', 'bytes', 'time'] as const
export type Measure = (typeof measures)[number]

const amounts = {
  requests: Type.Integer({ description: 'Number of requests.' }),
  bytes_sent: bytes('From clients.'),
  bytes_received: bytes('To clients.'),
  duration_ms: Type.Integer({ 'x-unit': 'milliseconds', description: 'Of all requests together.' }),
}

export const topKinds = ['sites', 'users', 'categories', 'sources', 'rules', 'results'] as const
export type TopKind = (typeof topKinds)[number]

export const WebTop = topReply(
  strictObject({
    value: Type.String({ description: 'Host, login, id of a category or rule, or address; empty: without one.' }),
    ...amounts,
  }),
  strictObject(amounts),
)

export const webTop = endpoint({
  method: 'GET',
  path: '/web_traffic/top',
  access: 'reports',
  summary: 'Show the top sites, users or categories of web traffic',
  description: 'A request in several categories counts for each of them.',
  query: strictObject({
    kind: oneOf(topKinds, 'What is counted.'),
    by: Type.Optional(oneOf(measures, 'What decides the order; requests when absent.')),
    limit: topLimit,
    ...period,
  }),
  reply: WebTop,
})

export const WebTimeline = Type.Array(
  strictObject({
    from: stepStart,
    ...amounts,
    allowed: Type.Integer({ description: 'Requests that were allowed without decryption.' }),
    decrypted: Type.Integer({ description: 'Requests that were decrypted and allowed.' }),
    denied: Type.Integer(),
    redirected: Type.Integer(),
  }),
)

export const webTimeline = endpoint({
  method: 'GET',
  path: '/web_traffic/timeline',
  access: 'reports',
  summary: 'Show web traffic by hour or day',
  description: `Hours and days of the gateway's clock, those without requests included; at most ${mostSteps}.`,
  query: timelineQuery(period),
  reply: WebTimeline,
})
