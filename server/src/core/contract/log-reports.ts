// What journals of the log and their reports have in common on the wire: following one, and the period of a report.

import type { TObject, TSchema } from 'typebox'
import type { Access } from './access.ts'
import { endpoint, eventStreamType } from './endpoint.ts'
import { oneOf, strictObject } from './fields.ts'
import { Type } from './schema.ts'
import type { Column } from './table-query.ts'

export const word = (description?: string) => Type.String(description === undefined ? {} : { description })
export const bytes = (description: string) => Type.Integer({ 'x-unit': 'bytes', description })

/** The columns of a journal, from the fields of its records. */
export const journalColumns = (properties: Readonly<Record<string, object>>): readonly Column[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: (schema as { type?: string }).type === 'integer' ? 'Int64' : 'String',
  }))

interface JournalFields {
  readonly search: TSchema
  readonly filter: TSchema
}

/** Of a call that follows a journal; the fields are those of its query. */
const tailQuery = <T extends JournalFields>({ search, filter }: T) =>
  strictObject({
    search: search as T['search'],
    filter: filter as T['filter'],
    after: Type.Optional(
      Type.String({
        pattern: '^([a-z]{1,20}\\.)?\\d{1,15}$',
        'x-fault': 'Must be the id of a record.',
        description: 'Begin after the record with this id; now when absent.',
      }),
    ),
  })

const tailDescription =
  'Server-sent events: `records` has a list of new records, oldest first, `lost` the number of records that were not ' +
  'looked at because the client takes them too slowly. The id of an event, or `after`, is where the stream goes on.'

/** The call that follows a journal; the fields are those of its query. */
export const journalTail = <T extends JournalFields, const P extends string>(path: P, summary: string, fields: T) =>
  endpoint({
    method: 'GET',
    path,
    access: 'reports',
    summary,
    description: tailDescription,
    query: tailQuery(fields),
    reply: Type.String(),
    alsoReplies: [eventStreamType],
  })

export const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, 'x-time': 'unix', description }))

/** Of a histogram. */
export const maxBuckets = 1_000

export const LogBucket = strictObject({
  from: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds at which it begins.' }),
  counts: Type.Array(
    strictObject({ value: Type.String({ description: 'Empty without by.' }), records: Type.Integer() }),
    { description: 'By the value of the column, most frequent first.' },
  ),
})

/** Of a call that counts the records of a journal by time; the fields are those of its query. */
export const bucketFields = <T extends JournalFields>({ search, filter }: T) => ({
  search: search as T['search'],
  filter: filter as T['filter'],
  from: moment('Unix seconds; a day before until when absent.'),
  until: moment('Unix seconds, not included; now when absent.'),
  width: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 31_622_400,
      'x-unit': 'seconds',
      description: 'Seconds of each bucket; when absent, so many that there are about a hundred.',
    }),
  ),
})

export const bucketsDescription = `For a histogram: at most ${maxBuckets} buckets. Those without records are left out.`

/** The call that counts all records of a journal that match, by time. */
export const journalBuckets = <T extends JournalFields, const P extends string>(
  path: P,
  summary: string,
  fields: T,
  access: Access = 'reports',
) =>
  endpoint({
    method: 'GET',
    path,
    access,
    summary,
    description: bucketsDescription,
    query: strictObject(bucketFields(fields)),
    reply: Type.Array(LogBucket),
  })

/** The period of a report about a journal, and its filter. */
export const reportFields = <T extends JournalFields>({ filter }: T) => ({
  from: moment('Unix seconds; the beginning of today when absent.'),
  until: moment('Unix seconds, not included; now when absent.'),
  filter: filter as T['filter'],
})

export const mostTop = 500

export const topLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: mostTop, description: '20 when absent.' }))

/** Of a report: values with their amounts, largest first, and the amounts of all together. */
export const topReply = <T extends TObject, A extends TObject>(row: T, amounts: A) =>
  strictObject({
    data: Type.Array(row),
    total: amounts,
    complete: Type.Boolean({
      description: 'False: there were so many different values that those with the least may be missing or too small.',
    }),
  })

export const steps = ['hour', 'day'] as const

/** Of a timeline. */
export const mostSteps = 1_000

/** Of a call that shows a timeline; the fields are those of its report. */
export const timelineQuery = <T extends Readonly<Record<string, TSchema>>>(fields: T) =>
  strictObject({
    step: Type.Optional(oneOf(steps, 'hour when absent and the period is at most two days, otherwise day.')),
    ...fields,
  })

export const stepStart = Type.Integer({
  'x-time': 'unix',
  description: 'Unix seconds at which the hour or day begins.',
})
