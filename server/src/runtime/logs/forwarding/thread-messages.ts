// The messages between gatewayd and the thread that forwards the log.

import type { Followed } from '../../../logs/store.ts'
import type { ForwardingState, ForwardingTarget } from './forwarder.ts'

export type ToForwarder =
  | { readonly is: 'follow'; readonly target: ForwardingTarget | null }
  | { readonly is: 'news' }
  | { readonly is: 'stop' }
  | { readonly is: 'answer'; readonly id: number; readonly answer: Followed | number }
  | { readonly is: 'fault'; readonly id: number; readonly message: string }

export type FromForwarder =
  | { readonly is: 'state'; readonly state: ForwardingState }
  | { readonly is: 'after'; readonly id: number; readonly place: number; readonly limit: number }
  | { readonly is: 'newest'; readonly id: number }
