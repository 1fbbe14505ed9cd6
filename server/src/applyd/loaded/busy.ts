// While the kernel takes or judges a large ruleset, questions about rules have no answer until that ends: their sockets close only
// then, and the thread of the library may be at work itself. Who asks in the meantime gets what was seen last.

import type { NftKernel } from '../kernel/nft-kernel.ts'

export type Busy = ReturnType<typeof createBusy>

export function createBusy() {
  let works = 0
  const waiting = new Set<() => void>()

  async function during<T>(work: () => Promise<T>): Promise<T> {
    works += 1
    for (const giveUp of waiting) giveUp()
    try {
      return await work()
    } finally {
      works -= 1
    }
  }

  /** The same kernel, whose busy times are known here. */
  const watched = (kernel: NftKernel): NftKernel => ({
    ...kernel,
    get way() {
      return kernel.way
    },
    check: (script) => during(() => kernel.check(script)),
    load: (script) => during(() => kernel.load(script)),
    changeElements: (changes, generation) => during(() => kernel.changeElements(changes, generation)),
  })

  /** Asks only while the kernel is not busy, and does not wait for the answer when it becomes so. */
  function unlessBusy<T>(ask: () => Promise<T>, otherwise: () => T): Promise<T> {
    if (works > 0) return Promise.resolve(otherwise())
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => resolve(otherwise())
      waiting.add(giveUp)
      ask()
        .finally(() => waiting.delete(giveUp))
        .then(resolve, reject)
    })
  }

  /** A question of which the last answer is kept for busy times. */
  function lastSeen<T>(ask: () => Promise<T>, first: () => T): () => Promise<T> {
    let last: { readonly value: T } | null = null
    const asked = async (): Promise<T> => {
      const value = await ask()
      last = { value }
      return value
    }
    return () => unlessBusy(asked, () => (last ? last.value : first()))
  }

  return { watched, unlessBusy, lastSeen }
}
