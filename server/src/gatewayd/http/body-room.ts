// The memory for large bodies that are on their way: a connection may take half a minute to send one, and a client may have
// any number of connections. A body has its room from its headers to its answer.

import type { ServerResponse } from 'node:http'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'
import { largestHereBytes } from './bodies.ts'

const megabyte = 1024 * 1024
const ownBytes = 128 * megabyte
const allBytes = 512 * megabyte

export class BodyRoom {
  readonly #held = new Map<string, number>()
  #all = 0

  /** Throws when there is no room. One body of each owner always has it, whatever others hold. */
  take(endpoint: Endpoint, declaredLength: string | undefined, owner: string, response: ServerResponse): void {
    const bytes = endpoint.streamsBody ? 0 : sizeOf(endpoint, declaredLength)
    if (bytes <= largestHereBytes) return
    const own = this.#held.get(owner) ?? 0
    if (own > 0 && (own + bytes > ownBytes || this.#all + bytes > allBytes)) {
      throw new GatewayError('unavailable', say`Too many large bodies are being sent at once. Try again in a moment.`, {
        retryAfterSeconds: 2,
      })
    }
    this.#add(owner, bytes)
    response.once('close', () => this.#add(owner, -bytes))
  }

  #add(owner: string, bytes: number): void {
    this.#all += bytes
    const own = (this.#held.get(owner) ?? 0) + bytes
    if (own > 0) this.#held.set(owner, own)
    else this.#held.delete(owner)
  }
}

/** Without a length it may be as large as the endpoint takes; larger ones are refused at once. */
const sizeOf = ({ method, bodyLimitBytes }: Endpoint, declaredLength: string | undefined): number => {
  if (method === 'GET') return 0
  const declared = declaredLength === undefined ? bodyLimitBytes : Number(declaredLength)
  return declared > bodyLimitBytes ? 0 : declared
}
