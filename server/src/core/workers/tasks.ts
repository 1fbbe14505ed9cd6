// The messages between a pool of worker threads and its workers. pool.ts sends tasks, serve.ts answers them.

import { isMarkedAsUntransferable, type Transferable } from 'node:worker_threads'
import type { SaidText, Sentence } from '../../shared/said.ts'
import type { ErrorCode, Problem } from '../contract/error.ts'

/** What a worker can do: a name and a function each. Inputs and results cross as structured clones. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export type Input<T extends Tasks, N extends keyof T> = Parameters<T[N]>[0]
export type Result<T extends Tasks, N extends keyof T> =
  Awaited<ReturnType<T[N]>> extends Handed<infer V> ? V : Awaited<ReturnType<T[N]>>

/** A result whose memory is handed over instead of copied. */
export class Handed<T> {
  readonly value: T
  readonly transfer: readonly Transferable[]

  constructor(value: T, transfer: readonly Transferable[]) {
    this.value = value
    this.transfer = transfer.filter((one) => !isMarkedAsUntransferable(one))
  }
}

export interface Ask {
  readonly id: number
  readonly task: string
  readonly input: unknown
}

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: Refusal }
  | { readonly id: number; readonly fault: { readonly message: string; readonly stack: string } }

/** A GatewayError as it crosses: structured clones of errors lose their class and their fields. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: SaidText
  readonly problems: readonly Problem[]
  /** What its messages consist of. */
  readonly sentences: readonly Sentence[]
}
