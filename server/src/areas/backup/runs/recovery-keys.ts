// The recovery keys: the one that seals the backups of this gateway, made at the first start, and those of other
// gateways whose backups an administrator wants to open here. They live in one file that only the service can read.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeDurably } from '../../../shared/files/durable-file.ts'
import { keyIdOf } from './archive.ts'

interface KeyFile {
  readonly own: string
  readonly foreign: readonly string[]
}

export interface RecoveryKey {
  /** Identifies a key without revealing it. */
  readonly id: string
  /** Eight groups of eight hexadecimal digits, to be kept by the operator. */
  readonly key: string
}

const maxForeign = 100

export class RecoveryKeys {
  readonly #path: string
  #file: KeyFile

  constructor(path: string) {
    this.#path = path
    this.#file = existsSync(path)
      ? (JSON.parse(readFileSync(path, 'utf8')) as KeyFile)
      : { own: randomBytes(32).toString('hex'), foreign: [] }
    if (!existsSync(path)) this.#write(this.#file)
  }

  get own(): Buffer {
    return Buffer.from(this.#file.own, 'hex')
  }

  show(): RecoveryKey {
    const groups = this.#file.own.match(/.{8}/g) ?? []
    return { id: keyIdOf(this.own), key: groups.join('-') }
  }

  find(id: string): Buffer | null {
    const keys = [this.#file.own, ...this.#file.foreign].map((text) => Buffer.from(text, 'hex'))
    return keys.find((key) => keyIdOf(key) === id) ?? null
  }

  /** Takes a key as `show` gives it; the oldest of very many is forgotten. */
  add(text: string): string {
    const key = text.replaceAll('-', '')
    const id = keyIdOf(Buffer.from(key, 'hex'))
    if (!this.find(id)) this.#write({ ...this.#file, foreign: [...this.#file.foreign, key].slice(-maxForeign) })
    return id
  }

  #write(file: KeyFile): void {
    writeDurably(this.#path, JSON.stringify(file))
    this.#file = file
  }
}
