// How fast this machine is. Waits for programs and other processes are made for ordinary machines; an emulated one is thirty times
// slower, and a wait that ends too early there reports a fault that does not exist. Load does not count: waits allow for it.

import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'

/** What the work takes on an ordinary machine of 2020. */
const ordinaryMs = 0.11
/** Slower ones of today are within this, and their waits stay as they are. */
const ordinaryFactor = 4
const mostFactor = 60
const rounds = 5

let measured: number | null = null

/** 1 on all but very slow machines, where it is how many times longer everything takes. Measured once, in about a millisecond. */
export function pace(): number {
  measured ??= paceOf(measure())
  return measured
}

export function paceOf(fastestMs: number): number {
  const factor = fastestMs / ordinaryMs
  return factor < ordinaryFactor ? 1 : Math.min(factor, mostFactor)
}

/** A wait in milliseconds as long as this machine needs. */
export const patient = (milliseconds: number): number => Math.ceil(milliseconds * pace())

/** The fastest of several rounds, so that other work on the machine does not count. No processor has instructions for this hash. */
function measure(): number {
  const bytes = Buffer.alloc(65_536, 'pace')
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now()
    createHash('md5').update(bytes).digest()
    return performance.now() - begun
  })
  return Math.min(...times)
}
