// What journals of the log and their reports have in common on the wire: following one, and the period of a report.

import type { TObject, TSchema } from 'typebox'
import { strictObject } from './fields.ts'
import { Type } from './schema.ts'
import type { Column } from './table-query.ts'

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
export const tailQuery = <T extends JournalFields>({ search, filter }: T) =>
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

export const tailDescription =
  'Server-sent events: `records` has a list of new records, oldest first, `lost` the number of records that were not ' +
  'looked at because the client takes them too slowly. The id of an event, or `after`, is where the stream goes on.'

const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, 'x-time': 'unix', description }))

/** The period of a report. */
export const periodFields = {
  from: moment('Unix seconds; the beginning of today when absent.'),
  until: moment('Unix seconds, not included; now when absent.'),
}

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
