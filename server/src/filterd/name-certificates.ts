// Certificates that say one name each, for the block peer: one key, made when a name is first asked for, kept while it is
// used. What is made at a time and what is kept is bounded.

import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { issueName, makeNamingKey, type NamingKey } from '../shared/certificates/certificate-maker.ts'

export interface NameLimits {
  readonly kept: number
  /** Made at a time. */
  readonly atOnce: number
  readonly waiting: number
}

const usual: NameLimits = { kept: 2_000, atOnce: 4, waiting: 1_000 }
/** Far below the days that a certificate is valid. */
const keptMs = 30 * 24 * 3600 * 1000

/** The name or address in the one form a certificate has it; null for what cannot be in one. */
export function certifiedName(text: string): string | null {
  const lower = text.toLowerCase().replace(/\.$/, '')
  const bare = lower.startsWith('[') && lower.endsWith(']') ? lower.slice(1, -1) : lower
  if (isIP(bare) === 6) return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? null
  if (isIP(bare) === 4) return bare
  return bare.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}$/.test(bare) ? bare : null
}

export class NameCertificates {
  readonly #limits: NameLimits
  readonly #now: () => Date
  readonly #kept = new Map<string, { readonly context: Promise<SecureContext>; readonly until: number }>()
  readonly #waiting: (() => void)[] = []
  #key: Promise<NamingKey> | null = null
  #running = 0
  #made = 0

  constructor(now: () => Date, limits: Partial<NameLimits> = {}) {
    this.#now = now
    this.#limits = { ...usual, ...limits }
  }

  get numbers(): { readonly kept: number; readonly made: number; readonly running: number } {
    return { kept: this.#kept.size, made: this.#made, running: this.#running }
  }

  /** `name` is in the form of certifiedName(). */
  contextFor(name: string): Promise<SecureContext> {
    const now = this.#now().getTime()
    const known = this.#kept.get(name)
    // Deleted first, so that the one used longest ago is the first of the map.
    this.#kept.delete(name)
    if (known && known.until > now) {
      this.#kept.set(name, known)
      return known.context
    }
    if (this.#waiting.length >= this.#limits.waiting) return Promise.reject(new Error('Too many names are waiting.'))
    const context = this.#make(name)
    this.#kept.set(name, { context, until: now + keptMs })
    context.catch(() => {
      if (this.#kept.get(name)?.context === context) this.#kept.delete(name)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#limits.kept && oldest !== undefined) this.#kept.delete(oldest)
    return context
  }

  async #make(name: string): Promise<SecureContext> {
    if (this.#running >= this.#limits.atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running += 1
    try {
      this.#key ??= makeNamingKey()
      const key = await this.#key
      const certificate = await issueName(key, name, this.#now())
      this.#made += 1
      return createSecureContext({ key: key.key, cert: certificate })
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }
}
