// The live tail of the log: hands new records to one client as fast as it takes them. What waits is in the log, not in memory;
// a client that stays far behind goes on with newer records, and gets the number of those it missed.

import type { EventStream } from '../../core/area/handle.ts'
import type { Asker, LogStore, Question, TextPiece } from '../../domain/logs/store.ts'

type Asked = Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>

const rowsAtOnce = 500
/** Characters of one event; a longer record is one alone. */
const eventLength = 32 * 1024
/** Of a client that is further behind, the older ones are left out. */
const mostBehind = 50_000

/** `after`: the place of the last record that the client has; null begins with the next one. */
export function tailLog(
  logs: Pick<LogStore, 'tail' | 'state' | 'onNews'>,
  asked: Asked,
  stream: EventStream,
  after: number | null,
  owner: string,
): void {
  // Beside the queries of the same administrator, so that neither holds up the other.
  const asker = { owner: `tail ${owner}`, signal: stream.signal }
  let newest = 0
  let wake = (): void => {}
  const stopNews = logs.onNews((place) => {
    newest = Math.max(newest, place)
    wake()
  })
  stream.signal.addEventListener('abort', () => {
    stopNews()
    wake()
  })

  const run = async (): Promise<void> => {
    const { place: now } = await logs.state()
    newest = Math.max(newest, now)
    // A place of another log, which has begun since, is not one of this.
    let place = after === null || after > newest ? newest : after
    while (!stream.signal.aborted) {
      if (place >= newest) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const skipped = Math.max(0, newest - mostBehind - place)
      const found = await logs.tail(asked, place + skipped, rowsAtOnce, asker)
      // Nothing was looked at, although there is something: it is asked again with the next news.
      if (found.place <= place) newest = place
      place = found.place
      const lost = skipped + found.lost
      if (lost > 0) stream.send({ event: 'lost', id: String(place), data: JSON.stringify({ records: lost }) })
      await sendRows(stream, found.rows, place)
    }
  }
  // A log that cannot be read ends the stream; the client connects again.
  run().catch(() => stream.end())
}

/** At most `limit` records after a place, some at a time: all of them can be tens of megabytes. A refusal comes before the first. */
export async function recordsAfter(
  logs: Pick<LogStore, 'tail'>,
  asked: Asked,
  after: number,
  limit: number,
  asker: Asker,
): Promise<{ texts(): AsyncGenerator<TextPiece> }> {
  const most = (left: number): number => Math.min(left, rowsAtOnce)
  const first = await logs.tail(asked, after, most(limit), asker)
  return {
    async *texts() {
      let [left, { rows, place }] = [limit, first]
      for (;;) {
        yield { bytes: Buffer.from(rows.join(',')), rows: rows.length }
        const isAll = rows.length < most(left) || rows.length === left
        if (isAll) return
        left -= rows.length
        ;({ rows, place } = await logs.tail(asked, place, most(left), asker))
      }
    },
  }
}

async function sendRows(stream: EventStream, rows: readonly string[], place: number): Promise<void> {
  let [from, length] = [0, 0]
  for (const [index, row] of rows.entries()) {
    length += row.length
    const isLast = index === rows.length - 1
    if (length < eventLength && !isLast) continue
    // Only the last one has a place: one who was cut off before it gets the others again.
    const data = `[${rows.slice(from, index + 1).join(',')}]`
    stream.send({ event: 'records', ...(isLast ? { id: String(place) } : {}), data })
    await stream.room()
    ;[from, length] = [index + 1, 0]
  }
}
