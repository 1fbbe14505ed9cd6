// How many rules each origin has in the loaded tables, kept up with every change. Counted when it is first asked for.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import type { TableChange } from '../nft-script.ts'
import { originsOf } from '../pieces.ts'

type LineCounts = Map<string, number>

export function createOrigins(held: ReadonlyMap<string, readonly NftPiece[]>) {
  let lines: LineCounts | null = null

  /** Which of these have a rule after the changes. */
  function remainingAfter(changes: readonly TableChange[], origins: readonly string[]): ReadonlySet<string> {
    if (origins.length === 0) return new Set()
    const known = countHeld()
    const difference = differenceOf(changes)
    return new Set(origins.filter((origin) => (known.get(origin) ?? 0) + (difference.get(origin) ?? 0) > 0))
  }

  /** Called before the changes are held. */
  function follow(changes: readonly TableChange[]): void {
    if (lines) for (const [origin, count] of differenceOf(changes)) addLines(lines, origin, count)
  }

  function countHeld(): LineCounts {
    if (lines) return lines
    lines = new Map()
    for (const pieces of held.values()) addAll(lines, pieces, 1)
    return lines
  }

  function differenceOf(changes: readonly TableChange[]): LineCounts {
    const counts: LineCounts = new Map()
    for (const { table, wanted, difference } of changes) {
      const gone = difference ? [...difference.changed.map(([old]) => old), ...difference.vanished] : held.get(table)
      const come = difference ? [...difference.changed.map(([, piece]) => piece), ...difference.added] : wanted
      addAll(counts, gone ?? [], -1)
      addAll(counts, come, 1)
    }
    return counts
  }

  const forget = (): void => {
    lines = null
  }

  return { remainingAfter, follow, forget }
}

function addAll(counts: LineCounts, pieces: readonly NftPiece[], sign: 1 | -1): void {
  for (const piece of pieces) for (const origin of originsOf(piece)) addLines(counts, origin, sign)
}

function addLines(counts: LineCounts, origin: string, count: number): void {
  const now = (counts.get(origin) ?? 0) + count
  if (now === 0) counts.delete(origin)
  else counts.set(origin, now)
}
