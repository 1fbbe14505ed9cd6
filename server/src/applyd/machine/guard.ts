// Notices at once that another program removed our rules, as nftables.service does at its start and stop, and has them restored.
// The kernel counts its changes: while the number is the same, nothing is asked. Other drift is repaired by the reconcile loop.

import { type Log, wordsOf } from '../../engines/kit/text.ts'
import type { NftKernel } from '../kernel/nft-kernel.ts'

export interface GuardParts {
  readonly kernel: Pick<NftKernel, 'generation' | 'isPresent'>
  /** The table without which no traffic may pass. */
  readonly table: string
  /** Loads what is missing, in its turn; how many tables were loaded. */
  readonly putBack: () => Promise<number>
  /** 0: it does not look. */
  readonly everyMs: number
  readonly log: Log
}

export function startGuard({ kernel, table, putBack, everyMs, log }: GuardParts): () => void {
  let known: number | null = null
  let isBusy = false
  const look = async (): Promise<void> => {
    const generation = await kernel.generation()
    if (generation === null || generation === known) return
    if (!(await kernel.isPresent(table)) && (await putBack()) > 0)
      log('info', 'Another program removed the rules of the gateway; they were restored', { table })
    known = generation
  }
  const tick = (): void => {
    if (isBusy) return
    isBusy = true
    look()
      // It is tried again at the next tick.
      .catch((fault) => log('warning', 'The rules could not be restored', { reason: wordsOf(fault) }))
      .finally(() => {
        isBusy = false
      })
  }
  const timer = everyMs > 0 ? setInterval(tick, everyMs).unref() : undefined
  return () => clearInterval(timer)
}
