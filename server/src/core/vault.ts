// Seals secrets of the configuration with AES-256-GCM under a key that never enters the database. The identity of the
// row and field is authenticated with each value, so a secret moved elsewhere does not open.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeDurably } from '../shared/files/durable-file.ts'
import type { Sealed } from './model/secret.ts'

interface KeyFile {
  readonly current: number
  readonly keys: Readonly<Record<string, string>>
}

/** `<slot>/<item id>/<field>`: where a secret belongs. */
export type SecretPlace = string

export class Vault {
  readonly #path: string
  #file: KeyFile

  constructor(path: string) {
    this.#path = path
    this.#file = readKeyFile(path) ?? { current: 0, keys: {} }
    if (this.#file.current === 0) this.addKey()
  }

  /** Makes a new current key; old ones stay, because revisions keep what they sealed. */
  addKey(): void {
    const current = this.#file.current + 1
    const file = { current, keys: { ...this.#file.keys, [current]: randomBytes(32).toString('base64url') } }
    writeKeyFile(this.#path, file)
    this.#file = file
  }

  get currentKey(): number {
    return this.#file.current
  }

  seal(value: string, place: SecretPlace): Sealed {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.#file.current), nonce)
    cipher.setAAD(Buffer.from(place))
    const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return { sealed: `v1.${this.#file.current}.${nonce.toString('base64url')}.${body.toString('base64url')}` }
  }

  reveal(secret: Sealed, place: SecretPlace): string {
    const [version, key, nonce, body] = secret.sealed.split('.')
    if (version !== 'v1' || !key || !nonce || !body) throw new Error('a sealed value has an unknown form')
    const bytes = Buffer.from(body, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', this.#key(Number(key)), Buffer.from(nonce, 'base64url'))
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(-16))
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
  }

  keyOf(secret: Sealed): number {
    return Number(secret.sealed.split('.')[1])
  }

  #key(id: number): Buffer {
    const key = this.#file.keys[id]
    if (!key) throw new Error(`the key ${id} that sealed a value is not in the key file`)
    return Buffer.from(key, 'base64url')
  }
}

function readKeyFile(path: string): KeyFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as KeyFile
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Durable before the first value sealed with a new key is: otherwise a crash could leave values that cannot be opened. */
const writeKeyFile = (path: string, file: KeyFile): void => writeDurably(path, JSON.stringify(file))
