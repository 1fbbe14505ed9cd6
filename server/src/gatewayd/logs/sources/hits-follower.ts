// Follows the file that the reader of the firewall log appends to. Records are handed on once no hit of the same packet can
// follow, together with the place and the number of the last line, so that a restart reads and counts on from there.

import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Sink } from '../../../domain/logs/source.ts'
import { FileFollower } from './file-follower.ts'
import { HitReader, lostRecord } from './firewall-hits.ts'
import type { Follower } from './following.ts'
import type { HitKnowledge } from './hit-knowledge.ts'
import type { InspectedConnections } from './inspected-connections.ts'

export interface HitsFile {
  readonly path: string
  readonly knowledge: HitKnowledge
  readonly sink: Sink
  /** Unix milliseconds. */
  readonly now: () => number
  /** Is told which rules had connections inspected. */
  readonly inspected?: Pick<InspectedConnections, 'note'>
}

export const hitsSource = 'firewall'

/** The kernel hands hits over at the latest after a tenth of a second (`netlink_qtimeout`), so those of one packet can be that far
 *  apart. */
const togetherMilliseconds = 150

interface Position {
  /** Of the file. */
  readonly place: string
  readonly sequence: number | null
}

export function createHitsFollower({ path, knowledge, sink, now, inspected }: HitsFile): Follower {
  const known = positionOf(sink.marks().get(hitsSource))
  const reader = new HitReader(knowledge, known?.sequence ?? null, inspected ?? null)
  const microseconds = (): number => now() * 1000
  const hasRoom = (): boolean => sink.hasRoom?.() ?? true
  /** That of the lines whose records were not handed on yet. */
  let waiting: (Position & { readonly since: number }) | null = null

  const handOn = (records: readonly NewRecord[], { place, sequence }: Position): void =>
    sink.append(records, { source: hitsSource, position: JSON.stringify({ place, sequence } satisfies Position) })
  const settle = (): void => {
    if (waiting) handOn(reader.settle(microseconds()), waiting)
    waiting = null
  }

  const file = new FileFollower(
    {
      path,
      source: hitsSource,
      // Everything that is kept is read: the file itself has a limit.
      maxBacklogBytes: Number.POSITIVE_INFINITY,
      records: (bytes) => {
        const lines = bytes.toString('latin1').split('\n')
        const earlier = reader.read(lines.slice(0, -1).filter(isLine), microseconds())
        if (waiting) handOn(earlier, waiting)
        return []
      },
      lost: (lines) => {
        reader.skip(lines)
        return lostRecord(lines, microseconds())
      },
    },
    {
      marks: () => new Map(known ? [[hitsSource, known.place]] : []),
      hasRoom,
      // The records are those of the reader; this is only about the place.
      append: (_records, mark) => {
        waiting = { place: mark?.position ?? '', sequence: reader.sequence, since: now() }
        if (!reader.isWaiting) settle()
      },
    },
  )
  return {
    step: () => {
      const isMore = file.step()
      // On a full disk nothing is read or handed on: the numbers of the lines tell what the file loses in the meantime.
      if (!isMore && waiting && now() - waiting.since >= togetherMilliseconds && hasRoom()) settle()
      return isMore
    },
  }
}

const isLine = (line: string): boolean => line !== ''

/** A mark of another form is not one: the file is read from its start. */
function positionOf(text: string | undefined): Position | null {
  if (text === undefined) return null
  try {
    const { place, sequence } = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (typeof place !== 'string') return null
    return { place, sequence: typeof sequence === 'number' ? sequence : null }
  } catch {
    return null
  }
}
