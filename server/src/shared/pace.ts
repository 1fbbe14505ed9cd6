// How fast this machine is. Waits for programs and other processes are made for ordinary machines; an emulated one is thirty times
// slower, and a wait that ends too early there reports a fault that does not exist. Load does not count: waits allow for it.

import { performance } from 'node:perf_hooks'

/** What the work takes on an ordinary machine of 2020. */
const ordinaryMs = 0.1
/** Slower ones of today are within this, and their waits stay as they are. */
const ordinaryFactor = 4
const mostFactor = 60
const rounds = 6

let measured: number | null = null

/** 1 on all but very slow machines, where it is how many times longer everything takes. Measured once, in two milliseconds. */
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

/**
 * The fastest of several rounds, so that other work on the machine does not count. It is work on many small pieces of memory, as the
 * gateway does it: an emulator computes a hash only four times slower, and this twenty times.
 */
function measure(): number {
  const items = Array.from({ length: 400 }, (_, number) => ({ number, name: `host ${number}` }))
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now()
    JSON.parse(JSON.stringify(items))
    return performance.now() - begun
  })
  return Math.min(...times)
}
