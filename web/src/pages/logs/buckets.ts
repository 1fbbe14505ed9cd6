// The histogram of a log, counted by the gateway over all lines of the question.

import type { Endpoint } from '@gateway/server/contract'
import { call, optionsOf } from '../../api/call.ts'
import { wireFilter } from './filter.ts'
import { bucketWidth, fillBuckets } from './range.ts'
import type { LogSource, Question } from './source.ts'

interface Counted {
  readonly from: number
  readonly counts: readonly { readonly records: number }[]
}

/** Conditions and text without the time, for calls that take it on their own. */
export const conditionsOf = ({ filter }: Pick<Question, 'filter'>, searched: readonly string[]) => ({
  ...(filter.conditions.length === 0 ? {} : { filter: wireFilter(filter) }),
  ...(filter.text === '' ? {} : { search: [{ text: filter.text, columns: searched }] }),
})

export function countedBy(endpoint: Endpoint, searched: readonly string[]): NonNullable<LogSource['buckets']> {
  return async (question, signal) => {
    const { range } = question
    const width = bucketWidth(range)
    const query = { ...conditionsOf(question, searched), from: range.from, until: Math.ceil(range.until), width }
    const { data } = await call(endpoint, optionsOf({ query, signal, isBackground: true }))
    const counts = new Map<number, number>()
    // Cast: every journal that counts answers so.
    for (const bucket of data as unknown as readonly Counted[]) {
      const time = Math.floor(bucket.from / width) * width
      const records = bucket.counts.reduce((sum, one) => sum + one.records, 0)
      counts.set(time, (counts.get(time) ?? 0) + records)
    }
    return fillBuckets(counts, range, width)
  }
}
