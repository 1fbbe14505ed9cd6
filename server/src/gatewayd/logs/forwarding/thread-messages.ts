// The messages between gatewayd and the thread that forwards the log.

import type { ForwardingState } from '../../../domain/logs/store.ts'
import type { ForwardingTarget } from './forwarder.ts'

/** What the thread gets as workerData. */
export interface ForwarderData {
  /** The file of the log store. */
  readonly logs: string
  /** The file that says how far the log was forwarded. */
  readonly cursor: string
}

export type ToForwarder =
  | { readonly is: 'follow'; readonly target: ForwardingTarget | null }
  | { readonly is: 'news' }
  | { readonly is: 'stop' }

export type FromForwarder =
  | { readonly is: 'state'; readonly state: ForwardingState }
  /** What is after this place could not be read. */
  | { readonly is: 'unreadable'; readonly place: number }
