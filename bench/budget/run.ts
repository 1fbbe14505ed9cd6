// One run of the budget: everything is counted once, and what is over its budget is counted again, because a busy machine and what
// the gateway does by itself can only make it look larger.

import { CountedGateway } from './gateway.ts'
import { type Measured, measureCalls, measureOperation, measureOperations, measureStart } from './measure.ts'
import { type Found, type FoundCounts, findExcess, type Numbers, startName } from './numbers.ts'
import { operations } from './operations.ts'

const mostTries = 4

/** The less of both for every count. */
const lessOf = (one: FoundCounts, other: FoundCounts): FoundCounts =>
  Object.fromEntries(Object.entries(one).map(([count, value]) => [count, Math.min(value, other[count] ?? value)]))

/** Those that strace finds. */
const isTraced = (count: string): boolean => /^(system calls|listings)/.test(count)

/** Counts again what seems to cost more than `numbers` allow. */
export async function reconsider(gateway: CountedGateway, numbers: Numbers, found: Found): Promise<Found> {
  let best = found
  for (let tries = 1; tries < mostTries; tries++) {
    const excess = findExcess(numbers, best)
    if (excess.length === 0) return best
    for (const operation of operations) {
      const over = excess.filter((one) => one.operation === operation.name).map(({ count }) => count)
      const traced = over.filter(isTraced)
      const counts = {
        ...(over.length > traced.length ? await measureOperation(gateway, operation) : {}),
        ...(traced.length > 0 ? await measureCalls(gateway, operation) : {}),
      }
      best = { ...best, [operation.name]: lessOf(best[operation.name] ?? {}, counts) }
    }
  }
  return best
}

/** With the gateway, which goes on running: a test looks further. */
export interface Run extends Measured {
  readonly gateway: CountedGateway
}

/** `extra` are modules that the processes load after the probe. */
export async function countEverything(numbers: Numbers, extra: readonly string[] = []): Promise<Run> {
  const first = await CountedGateway.start(extra)
  const { found, left } = await measureOperations(first)
  const counted = await reconsider(first, numbers, found)
  let gateway = await first.restart()
  if (!gateway.hasLab)
    return {
      gateway,
      found: counted,
      left: [...left, 'The start is not counted: it is another one without a data plane.'],
    }
  let start = await measureStart(gateway)
  for (let tries = 1; tries < 3 && findExcess(numbers, { [startName]: start }).length > 0; tries++) {
    gateway = await gateway.restart()
    start = lessOf(start, await measureStart(gateway))
  }
  return { gateway, found: { ...counted, [startName]: start }, left }
}
