// The priority of threads that requests come before.

import { getPriority, setPriority } from 'node:os'

const behindRequests = 5

/**
 * On Linux this is the priority of the calling thread alone. Who was started with less keeps that: more is not ours to take, and what
 * the system refuses is no reason not to work.
 */
export function giveWay(): void {
  try {
    if (getPriority(0) < behindRequests) setPriority(0, behindRequests)
  } catch {
    // It works with the priority that it has.
  }
}
