// Bodies as values that fit their schema. Small ones are read at once, large ones in a worker: a body of sixteen megabytes
// takes up to a second to read and to check, and 10 ms to be handed over (decision 43).

import type { TSchema } from 'typebox'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { parseJsonBytes } from '../../core/validation/strict-json.ts'
import { checkBody } from '../../core/validation/validate.ts'
import { type RunOptions, WorkerPool } from '../../core/workers/pool.ts'
import { say } from '../../shared/said.ts'
import type { bodyTasks } from './body-worker.ts'

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
    const bytes = transferable(raw)
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

/** The bytes themselves where nothing else is in their memory: copying sixteen megabytes takes as long as taking them in. */
const transferable = (raw: Buffer): Uint8Array<ArrayBuffer> =>
  raw.buffer instanceof ArrayBuffer && raw.byteLength === raw.buffer.byteLength
    ? new Uint8Array(raw.buffer)
    : new Uint8Array(raw)

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
    throw new GatewayError('invalid', say`This call does not take a body.`, {
      problems: [{ field: 'body', message: say`This call does not take a body.` }],
    })
  }
  return undefined
}
