// A body that is taken piece by piece, for endpoints whose bodies are too large to be held in memory.

import type { Readable } from 'node:stream'
import { GatewayError } from '../../core/contract/error.ts'
import { type SaidText, say } from '../../shared/said.ts'

export interface BodyLimits {
  readonly bytes: number
  /** The refusal of a longer body. */
  readonly tooLargeMessage: SaidText
  /** As the sender declared it; undefined when it did not. */
  readonly declaredLength: string | undefined
  /** Called when the body is complete, before its reader learns that; what it throws refuses the request. */
  readonly atEnd: () => void
}

/** Leaves the connection alone when its reader stops early, so that the refusal still reaches the sender. */
export async function* bodyStream(body: Readable, limits: BodyLimits): AsyncGenerator<Buffer> {
  const tooLarge = (): GatewayError => new GatewayError('too_large', limits.tooLargeMessage)
  if (Number(limits.declaredLength ?? 0) > limits.bytes) throw tooLarge()
  let size = 0
  const chunks = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const { done, value } = await chunks.next().catch((cause: unknown) => {
      throw new GatewayError('malformed', say`The body ended before it was complete.`, { cause })
    })
    if (done) return limits.atEnd()
    size += (value as Buffer).length
    if (size > limits.bytes) throw tooLarge()
    yield value as Buffer
  }
}

/** For endpoints that take their bodies otherwise. */
export async function* noStream(): AsyncGenerator<Buffer> {}
