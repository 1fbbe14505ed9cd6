// Bodies as values that fit their schema. Small ones are read at once, large ones in a worker: a body of sixteen megabytes
// takes up to a second to read and to check, and 10 ms to be handed over (decision 43).

import type { TSchema } from 'typebox'
import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/error.ts'
import { type RunOptions, WorkerPool } from '../workers/pool.ts'
import type { bodyTasks } from './body-worker.ts'
import { parseJsonBytes } from './strict-json.ts'
import { checkBody } from './validate.ts'

/** Above this a body is read in a worker. */
export const largestHereBytes = 256 * 1024

/** A body that was read and checked already. */
class CheckedBody {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

export class Bodies {
  readonly #pool = new WorkerPool<typeof bodyTasks>({ entry: new URL('./body-worker.ts', import.meta.url) })
  readonly #schemas = new WeakMap<TSchema, string>()

  /** Null for a body that readBody() reads at once; otherwise what it takes in place of the bytes. */
  readLarge({ body, rawBodyType }: Endpoint, raw: unknown, optionsFor: () => RunOptions): Promise<CheckedBody> | null {
    if (!body || rawBodyType !== null || !Buffer.isBuffer(raw) || raw.length <= largestHereBytes) return null
    const bytes = new Uint8Array(raw)
    return this.#pool
      .run('read', { bytes, schema: this.#textOf(body) }, { ...optionsFor(), transfer: [bytes.buffer] })
      .then((value) => new CheckedBody(value))
  }

  #textOf(schema: TSchema): string {
    const text = this.#schemas.get(schema) ?? JSON.stringify(schema)
    this.#schemas.set(schema, text)
    return text
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** `raw` is the bytes, or what readLarge() made of them. */
export function readBody(endpoint: Endpoint, raw: unknown): unknown {
  if (raw instanceof CheckedBody) return raw.value
  const bytes = Buffer.isBuffer(raw) && raw.length > 0 ? raw : null
  const body = bytes ? parseJsonBytes(bytes) : undefined
  if (endpoint.body) {
    if (body === undefined && endpoint.isBodyOptional) return undefined
    checkBody(endpoint.body, body)
    return body
  }
  const isEmptyObject = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  if (body !== undefined && body !== null && !isEmptyObject) {
    throw new GatewayError('invalid', 'This call does not take a body.', {
      problems: [{ field: 'body', message: 'This call does not take a body.' }],
    })
  }
  return undefined
}
