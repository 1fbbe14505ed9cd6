// Has the inspection engine read signatures that are not in use.

import type { Applier } from '../../core/plan/artifacts.ts'

/** What the inspection engine says about signatures that are not in use yet. */
export type SignatureCheck =
  /** Lines that it does not take, in their order; at most some thousands. */
  | { readonly status: 'checked'; readonly faults: readonly SignatureFault[] }
  /** `missing`: the engine is not installed; `timeout`: the check took too long. */
  | { readonly status: 'missing' | 'timeout' }

export interface SignatureFault {
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

/** Of `inspection/candidates/<file>.rules`. The signal ends the process of the check. */
export function checkSignatures(
  applier: Pick<Applier, 'ask'>,
  file: string,
  signal?: AbortSignal,
): Promise<SignatureCheck> {
  const ask = (request: string): Promise<unknown> => applier.ask({ service: 'inspection', request, args: { file } })
  const end = (): void => {
    // Without the connection applyd has ended it already.
    ask('end-check').catch(() => {})
  }
  const result = ask('check') as Promise<SignatureCheck>
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end, { once: true })
  return result.finally(() => signal?.removeEventListener('abort', end))
}
