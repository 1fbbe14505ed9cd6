// What changed between two lists of lines: the shortest way from one to the other, by Myers' greedy search,
// bounded so that two unlike files of a whole ruleset cannot hold the page.

export interface DiffLine {
  readonly kind: 'same' | 'out' | 'in'
  readonly text: string
}

/** More edits than this are shown as all out, all in. */
const mostEdits = 2000

export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ]
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const all: readonly DiffLine[] = [
    ...before.map((text): DiffLine => ({ kind: 'out', text })),
    ...after.map((text): DiffLine => ({ kind: 'in', text })),
  ]
  if (before.length === 0 || after.length === 0) return all
  const steps = search(before, after)
  return steps === null ? all : walkBack(before, after, steps)
}

type Reached = ReadonlyMap<number, number>

/** How far each diagonal was reached with 0, 1, 2 … edits, before each round; null when there are too many. */
function search(before: readonly string[], after: readonly string[]): readonly Reached[] | null {
  const most = Math.min(before.length + after.length, mostEdits)
  const rounds: Reached[] = []
  const reached = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= most; edits++) {
    rounds.push(new Map(reached))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = nextX(reached, diagonal, edits)
      let y = x - diagonal
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++
        y++
      }
      reached.set(diagonal, x)
      if (x >= before.length && y >= after.length) return rounds
    }
  }
  return null
}

function nextX(reached: Reached, diagonal: number, edits: number): number {
  const below = reached.get(diagonal - 1) ?? -1
  const above = reached.get(diagonal + 1) ?? -1
  const isDown = diagonal === -edits || (diagonal !== edits && below < above)
  return isDown ? above : below + 1
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  rounds: readonly Reached[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let x = before.length
  let y = after.length
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const reached = rounds[edits] ?? new Map<number, number>()
    const diagonal = x - y
    const below = reached.get(diagonal - 1) ?? -1
    const above = reached.get(diagonal + 1) ?? -1
    const isDown = diagonal === -edits || (diagonal !== edits && below < above)
    const previousDiagonal = isDown ? diagonal + 1 : diagonal - 1
    const previousX = reached.get(previousDiagonal) ?? 0
    const previousY = previousX - previousDiagonal
    while (x > previousX && y > previousY) {
      x--
      y--
      lines.push({ kind: 'same', text: before[x] ?? '' })
    }
    if (edits === 0) break
    if (isDown) {
      y--
      lines.push({ kind: 'in', text: after[y] ?? '' })
    } else {
      x--
      lines.push({ kind: 'out', text: before[x] ?? '' })
    }
  }
  return lines.toReversed()
}

export interface DiffPart {
  readonly lines: readonly DiffLine[]
  /** Equal lines that are left out. */
  readonly isFold: boolean
}

/** Long runs of equal lines become folds, with some lines kept around each change. */
export function foldSame(lines: readonly DiffLine[], kept = 3): readonly DiffPart[] {
  const near = new Set<number>()
  lines.forEach((line, index) => {
    if (line.kind === 'same') return
    for (let other = index - kept; other <= index + kept; other++) near.add(other)
  })
  const parts: { lines: DiffLine[]; isFold: boolean }[] = []
  lines.forEach((line, index) => {
    const isFold = !near.has(index)
    const last = parts.at(-1)
    if (last !== undefined && last.isFold === isFold) last.lines.push(line)
    else parts.push({ lines: [line], isFold })
  })
  return parts
}
