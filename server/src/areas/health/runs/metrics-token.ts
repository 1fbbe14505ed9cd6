// The token with which a monitoring server reads the metrics. Only its hash is kept, in a file beside the configuration: a
// backup does not carry it, and who reads the file cannot use it.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder, writeDurably } from '../../../shared/files/durable-file.ts'

export interface MetricsTokenInfo {
  /** Unix seconds. */
  readonly createdAt: number
  readonly createdBy: string
}

interface Stored extends MetricsTokenInfo {
  readonly hash: string
}

const tokenBytes = 32
/** As in RFC 6750; the word may be written in any case. */
const bearerForm = /^bearer +([\w~+/.-]{1,200}=*) *$/i

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export class MetricsToken {
  readonly #path: string
  #stored: Stored | null

  constructor(path: string) {
    this.#path = path
    this.#stored = readStored(path)
  }

  /** Null while metrics are off. */
  get info(): MetricsTokenInfo | null {
    return this.#stored && { createdAt: this.#stored.createdAt, createdBy: this.#stored.createdBy }
  }

  /** A new token; the one before is not valid any more. Returned once, and kept nowhere. */
  create(createdBy: string, createdAt: number): string {
    const token = randomBytes(tokenBytes).toString('base64url')
    const stored: Stored = { hash: hashOf(token).toString('base64'), createdAt, createdBy }
    writeDurably(this.#path, JSON.stringify(stored))
    this.#stored = stored
    return token
  }

  /** False when there was none. */
  remove(): boolean {
    if (!this.#stored) return false
    // In this order: a file that cannot be removed leaves the token in force, and the caller learns of it.
    rmSync(this.#path, { force: true })
    this.#stored = null
    syncFolder(dirname(this.#path))
    return true
  }

  /** Whether the header carries the token. Takes as long for a wrong one as for the right one. */
  isIn(header: string | undefined): boolean {
    const given = hashOf(bearerForm.exec(header ?? '')?.[1] ?? '')
    const expected = this.#stored ? Buffer.from(this.#stored.hash, 'base64') : Buffer.alloc(given.length)
    return expected.length === given.length && timingSafeEqual(given, expected)
  }
}

function readStored(path: string): Stored | null {
  try {
    const { hash, createdAt, createdBy } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Stored>
    const isWhole = typeof hash === 'string' && Number.isInteger(createdAt) && typeof createdBy === 'string'
    return isWhole ? ({ hash, createdAt, createdBy } as Stored) : null
  } catch {
    return null
  }
}
