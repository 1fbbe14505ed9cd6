// Password hashes and the rules a new password must meet. Hashing runs on the thread pool, a few at a time, so that a
// flood of sign-ins cannot stall other requests; places.ts decides whose turn it is.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { Places, type Visitor } from './places.ts'

const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const

interface Parameters {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly tag: Buffer
}

export class Passwords {
  readonly #places: Places
  /** Compared with when the login is unknown, so that the answer takes as long. */
  readonly #decoy = formatHash(cost, randomBytes(16), randomBytes(32))
  /** The last hash that each owner asked for, while it is not done. */
  readonly #lastOf = new Map<string, Promise<unknown>>()

  constructor(elapsed = (): number => performance.now() / 1000) {
    this.#places = new Places(elapsed)
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    return formatHash(cost, salt, await this.#inTurn(null, () => derive(password, { ...cost, salt }, 32)))
  }

  /**
   * For who may ask for many, such as an import of users: one at a time for each owner, so that none is refused and no one waits
   * for all those of another. `begin` is called when its turn has come; what it throws is the result.
   */
  hashInTurn(owner: string, password: string, begin: () => void): Promise<string> {
    const before = this.#lastOf.get(owner) ?? Promise.resolve()
    const hash = before.then(() => {
      begin()
      return this.hash(password)
    })
    const done = hash.then(forget, forget)
    this.#lastOf.set(owner, done)
    const lastOf = this.#lastOf
    function forget(): void {
      if (lastOf.get(owner) === done) lastOf.delete(owner)
    }
    return hash
  }

  /**
   * True when the password fits; without a stored hash it takes the same time and is false. Without a visitor it is a signed-in
   * administrator who asks.
   */
  async fits(password: string, stored: string | null, visitor: Visitor | null): Promise<boolean> {
    const parameters = parseHash(stored ?? this.#decoy)
    if (!parameters) return false
    const tag = await this.#inTurn(visitor, () => derive(password, parameters, parameters.tag.length))
    return timingSafeEqual(tag, parameters.tag) && stored !== null
  }

  /** True when the hash was made with a lower cost than today's. */
  isOutdated(stored: string): boolean {
    const parameters = parseHash(stored)
    return !parameters || parameters.memory < cost.memory || parameters.passes < cost.passes
  }

  async #inTurn<T>(visitor: Visitor | null, work: () => Promise<T>): Promise<T> {
    const done = await this.#places.use(visitor, work)
    if (done) return done.result
    throw new GatewayError('unavailable', say`Too many sign-ins at once. Try again in a moment.`, {
      retryAfterSeconds: 1,
    })
  }
}

function derive(password: string, p: Omit<Parameters, 'tag'>, tagLength: number): Promise<Buffer> {
  const options = {
    message: password,
    nonce: p.salt,
    memory: p.memory,
    passes: p.passes,
    parallelism: p.parallelism,
    tagLength,
  }
  return new Promise((resolve, reject) => {
    argon2('argon2id', options, (error, tag) => (error ? reject(error) : resolve(Buffer.from(tag))))
  })
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const formatHash = (p: Pick<Parameters, 'memory' | 'passes' | 'parallelism'>, salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${p.memory},t=${p.passes},p=${p.parallelism}$${base64(salt)}$${base64(tag)}`

/** A hash that came with a restored backup must not cost a sign-in more than this. */
const maxCost = { memory: 262_144, passes: 16, parallelism: 4 } as const

function parseHash(text: string): Parameters | null {
  const match = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/]{1,64})\$([\w+/]{1,128})$/.exec(text)
  if (!match) return null
  const [, , , , salt = '', tag = ''] = match
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (memory > maxCost.memory || passes > maxCost.passes || parallelism > maxCost.parallelism) return null
  return { memory, passes, parallelism, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') }
}

let common: ReadonlySet<string> | null = null

function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8').split('\n'))
  return common
}

/** Words shorter than this are in too many good passwords to forbid. */
const shortestForbiddenWord = 4

/** Why a new password is too easy to guess, or null. The schema checks its length. */
export function weaknessOf(password: string, forbiddenWords: readonly string[]): SaidText | null {
  const lower = password.toLowerCase()
  if (commonPasswords().has(lower)) return say`This password is too common. Choose another one.`
  const word = forbiddenWords.find((w) => w.length >= shortestForbiddenWord && lower.includes(w.toLowerCase()))
  return word === undefined ? null : say`The password must not contain the login, the product name or the host name.`
}
