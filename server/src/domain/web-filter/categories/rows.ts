// Collects hashes with their origins and sorts them: first into groups by the first bits of the hash, then each group. Rows are
// kept in typed arrays, 10 bytes each, and twice that while they are sorted.

import { fanBitsFor } from './format.ts'

const rowsPerPart = 1 << 20
/** Longer groups come from names that are listed over and over, and are sorted in another way. */
const shortGroup = 256

interface Part {
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly origin: Uint16Array
}

const partOf = (rows: number): Part => ({
  high: new Uint32Array(rows),
  low: new Uint32Array(rows),
  origin: new Uint16Array(rows),
})

export interface SortedRows extends Part {
  readonly count: number
  readonly fanBits: number
  readonly fan: Uint32Array
}

export class RowCollector {
  #parts: Part[] = []
  #last: Part = partOf(0)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(high: number, low: number, origin: number): void {
    const at = this.#count % rowsPerPart
    if (at === 0) {
      this.#last = partOf(rowsPerPart)
      this.#parts.push(this.#last)
    }
    this.#last.high[at] = high
    this.#last.low[at] = low
    this.#last.origin[at] = origin
    this.#count++
  }

  /** Every row once, in order. What was collected is gone. */
  sort(): SortedRows {
    const fanBits = fanBitsFor(this.#count)
    const begins = this.#groupBegins(fanBits)
    const all = this.#scattered(begins, fanBits)
    this.#parts = []
    const fan = new Uint32Array(begins.length)
    let kept = 0
    for (let group = 0; group + 1 < begins.length; group++) {
      fan[group] = kept
      const begin = begins[group] as number
      const end = begins[group + 1] as number
      const sort = end - begin > shortGroup ? sortLong : sortShort
      sort(all, begin, end)
      kept = keepOnce(all, begin, end, kept)
    }
    fan[begins.length - 1] = kept
    const { high, low, origin } = all
    return {
      count: kept,
      fanBits,
      fan,
      high: high.subarray(0, kept),
      low: low.subarray(0, kept),
      origin: origin.subarray(0, kept),
    }
  }

  #eachPart(take: (part: Part, rows: number) => void): void {
    let rest = this.#count
    for (const part of this.#parts) {
      take(part, Math.min(rest, rowsPerPart))
      rest -= rowsPerPart
    }
  }

  #groupBegins(fanBits: number): Uint32Array {
    const begins = new Uint32Array(2 ** fanBits + 1)
    const shift = 32 - fanBits
    this.#eachPart(({ high }, rows) => {
      for (let at = 0; at < rows; at++) {
        const group = ((high[at] as number) >>> shift) + 1
        begins[group] = (begins[group] as number) + 1
      }
    })
    for (let group = 1; group < begins.length; group++) {
      begins[group] = (begins[group] as number) + (begins[group - 1] as number)
    }
    return begins
  }

  #scattered(begins: Uint32Array, fanBits: number): Part {
    const all = partOf(this.#count)
    const next = begins.slice()
    const shift = 32 - fanBits
    this.#eachPart((part, rows) => {
      for (let at = 0; at < rows; at++) {
        const high = part.high[at] as number
        const group = high >>> shift
        const to = next[group] as number
        next[group] = to + 1
        all.high[to] = high
        all.low[to] = part.low[at] as number
        all.origin[to] = part.origin[at] as number
      }
    })
    return all
  }
}

function sortShort({ high, low, origin }: Part, begin: number, end: number): void {
  for (let next = begin + 1; next < end; next++) {
    const h = high[next] as number
    const l = low[next] as number
    const o = origin[next] as number
    let at = next - 1
    for (; at >= begin; at--) {
      const difference = (high[at] as number) - h || (low[at] as number) - l || (origin[at] as number) - o
      if (difference <= 0) break
      high[at + 1] = high[at] as number
      low[at + 1] = low[at] as number
      origin[at + 1] = origin[at] as number
    }
    high[at + 1] = h
    low[at + 1] = l
    origin[at + 1] = o
  }
}

function sortLong({ high, low, origin }: Part, begin: number, end: number): void {
  const h = high.slice(begin, end)
  const l = low.slice(begin, end)
  const o = origin.slice(begin, end)
  const order = Uint32Array.from(h, (_, at) => at).sort(
    (a, b) =>
      (h[a] as number) - (h[b] as number) || (l[a] as number) - (l[b] as number) || (o[a] as number) - (o[b] as number),
  )
  order.forEach((from, at) => {
    high[begin + at] = h[from] as number
    low[begin + at] = l[from] as number
    origin[begin + at] = o[from] as number
  })
}

/** Moves the rows of a sorted group to `kept`, each once; gives where they end. */
function keepOnce({ high, low, origin }: Part, begin: number, end: number, kept: number): number {
  let to = kept
  for (let at = begin; at < end; at++) {
    const isSame = at > begin && high[at] === high[to - 1] && low[at] === low[to - 1] && origin[at] === origin[to - 1]
    if (isSame) continue
    high[to] = high[at] as number
    low[to] = low[at] as number
    origin[to] = origin[at] as number
    to++
  }
  return to
}
