// Keeps following several files in the background, some of each in turn, so that a flood in one does not hold up the others.

import { setImmediate as others } from 'node:timers/promises'

export interface Follower {
  /** Reads some of what has come; true when there may be more. */
  step(): boolean
}

export interface Following {
  /** Resolves when what was written before has been handed on; of a flood a part. */
  refresh(): Promise<void>
  /** Resolves when nothing is being read any more. */
  stop(): Promise<void>
}

const pollMilliseconds = 200
/** Some megabytes of each file: one that is being flooded has no end. */
const roundsOfRefresh = 32

/** `onFault` is called once for each failure that begins. */
export function follow(followers: readonly Follower[], onFault: (error: unknown) => void): Following {
  const failing = new Set<Follower>()
  let reading: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  const stepOf = (follower: Follower): boolean => {
    try {
      const isMore = follower.step()
      failing.delete(follower)
      return isMore
    } catch (error) {
      // Its place has not moved: the same is read again the next time.
      if (!failing.has(follower)) onFault(error)
      failing.add(follower)
      return false
    }
  }
  const read = async (mostRounds: number): Promise<void> => {
    let busy = followers
    for (let round = 0; round < mostRounds && busy.length > 0 && !isStopped; round++) {
      busy = busy.filter(stepOf)
      await others()
    }
  }
  const poll = (): void => {
    timer = setTimeout(() => {
      reading = read(Number.POSITIVE_INFINITY).finally(() => isStopped || poll())
    }, pollMilliseconds)
    timer.unref()
  }
  poll()
  return {
    refresh: () => read(roundsOfRefresh),
    stop: async () => {
      isStopped = true
      if (timer) clearTimeout(timer)
      await reading
    },
  }
}
