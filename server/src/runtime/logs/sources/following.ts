// Keeps following several files in the background, some of each in turn, so that a flood in one does not hold up the others.

import { setImmediate as others } from 'node:timers/promises'

export interface Follower {
  /** Reads some of what has come; true when there may be more. */
  step(): boolean
}

export interface Following {
  /** Resolves when all that was written before has been handed on. */
  refresh(): Promise<void>
  /** Resolves when nothing is being read any more. */
  stop(): Promise<void>
}

const pollMilliseconds = 200

/** `onFault` is called once for each failure that begins. */
export function follow(followers: readonly Follower[], onFault: (error: unknown) => void): Following {
  const failing = new Set<Follower>()
  let round: Promise<void> | null = null
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
  const readAll = async (): Promise<void> => {
    let busy = followers
    while (busy.length > 0 && !isStopped) {
      busy = busy.filter(stepOf)
      await others()
    }
  }
  const begin = (): Promise<void> => {
    round ??= readAll().finally(() => {
      round = null
    })
    return round
  }
  const poll = (): void => {
    timer = setTimeout(() => void begin().finally(() => isStopped || poll()), pollMilliseconds)
    timer.unref()
  }
  poll()
  return {
    // A round under way may have passed what was written since.
    refresh: async () => {
      await round
      await begin()
    },
    stop: async () => {
      isStopped = true
      if (timer) clearTimeout(timer)
      await round
    },
  }
}
