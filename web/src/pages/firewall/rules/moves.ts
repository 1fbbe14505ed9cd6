// How rules get from one order to another with as few moves as possible, and which order a person means by "up", "to 120" or
// a drop. Pure.

export interface Move {
  readonly id: number
  readonly anchor: number
  readonly isAfter: boolean
}

/** Moves that turn `from` into `to`, one after the other. What is in the right order already stays where it is. */
export function movesBetween(from: readonly number[], to: readonly number[]): Move[] {
  const place = new Map(from.map((id, at) => [id, at]))
  const stays = longestRise(to.map((id) => place.get(id) ?? -1))
  const moves: Move[] = []
  const firstStaying = to.find((_, at) => stays.has(at))
  for (const [at, id] of to.entries()) {
    if (stays.has(at)) continue
    const before = to[at - 1]
    if (before !== undefined) moves.push({ id, anchor: before, isAfter: true })
    else if (firstStaying !== undefined) moves.push({ id, anchor: firstStaying, isAfter: false })
  }
  return moves
}

/** The places of the longest run of rising values. */
function longestRise(values: readonly number[]): ReadonlySet<number> {
  // Of each length of a run: where the one with the lowest last value ends, and that value.
  const ends: { readonly at: number; readonly value: number }[] = []
  const before: number[] = []
  for (const [at, value] of values.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.value ?? value) < value) low = middle + 1
      else high = middle
    }
    before[at] = ends[low - 1]?.at ?? -1
    ends[low] = { at, value }
  }
  const places = new Set<number>()
  for (let at = ends.at(-1)?.at ?? -1; at >= 0; at = before[at] ?? -1) places.add(at)
  return places
}

/** The block moves one step past the neighbour; gaps inside of the block close. */
export function orderByStep(order: readonly number[], block: ReadonlySet<number>, step: -1 | 1): readonly number[] {
  const places = order.flatMap((id, at) => (block.has(id) ? [at] : []))
  const [first] = places
  const last = places.at(-1)
  if (first === undefined || last === undefined) return order
  const isTogether = last - first + 1 === places.length
  const target = step < 0 ? (isTogether ? first - 1 : first) : isTogether ? first + 1 : last - places.length + 1
  return orderAt(order, block, target + 1)
}

/** The block begins at this position (from 1) of the new order. */
export function orderAt(order: readonly number[], block: ReadonlySet<number>, position: number): readonly number[] {
  const moved = order.filter((id) => block.has(id))
  const rest = order.filter((id) => !block.has(id))
  const at = Math.min(Math.max(0, position - 1), rest.length)
  return [...rest.slice(0, at), ...moved, ...rest.slice(at)]
}

/** The block goes before or after a rule that is not part of it. */
export function orderBeside(
  order: readonly number[],
  block: ReadonlySet<number>,
  target: number,
  isAfter: boolean,
): readonly number[] {
  if (block.has(target)) return order
  const rest = order.filter((id) => !block.has(id))
  return orderAt(order, block, rest.indexOf(target) + (isAfter ? 2 : 1))
}

/** "top", "end" or a position; null when it is none of them. */
export function readPosition(text: string, count: number, words: { top: string; end: string }): number | null {
  const said = text.trim().toLowerCase()
  if (said === 'top' || said === words.top.toLowerCase()) return 1
  if (said === 'end' || said === words.end.toLowerCase()) return count
  return /^\d{1,6}$/.test(said) && Number(said) >= 1 ? Math.min(Number(said), count) : null
}
