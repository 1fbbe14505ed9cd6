// Work on the event loop in slices: others get their turn whenever the slice has used its time.

import { setImmediate } from 'node:timers/promises'

/** A tenth of what a client may wait for others, so that several at once stay within it. */
const sliceMs = 5

/** `await slices()` in a loop: it waits for others only when the time of the slice is used up. */
export function createSlices(limitMs = sliceMs): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < limitMs) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}

/** Work that yields between its steps: done at once when it is short, otherwise in slices. */
export function inSlices<T>(work: Iterator<unknown, T>): T | Promise<T> {
  const slices = createSlices()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const others = slices()
    if (others) return goOn(work, slices, others)
  }
}

async function goOn<T>(
  work: Iterator<unknown, T>,
  slices: ReturnType<typeof createSlices>,
  first: Promise<void>,
): Promise<T> {
  await first
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value
    await slices()
  }
}

/** Sorted stretches of this length take a fraction of a slice. */
const sortedAtOnce = 512

/** A stable sort of many values between whose parts others get their turn. */
export async function sortInSlices<T>(values: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const slices = createSlices()
  let stretches: T[][] = []
  for (let at = 0; at < values.length; at += sortedAtOnce) {
    stretches.push(values.slice(at, at + sortedAtOnce).sort(compare))
    await slices()
  }
  while (stretches.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < stretches.length; at += 2) {
      merged.push(await merge(stretches[at] ?? [], stretches[at + 1] ?? [], compare, slices))
    }
    stretches = merged
  }
  return stretches[0] ?? []
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  slices: ReturnType<typeof createSlices>,
): Promise<T[]> {
  const merged: T[] = []
  let [l, r] = [0, 0]
  while (l < left.length && r < right.length) {
    const isLeft = compare(left[l] as T, right[r] as T) <= 0
    merged.push((isLeft ? left[l++] : right[r++]) as T)
    if (merged.length % sortedAtOnce === 0) await slices()
  }
  return merged.concat(left.slice(l), right.slice(r))
}
