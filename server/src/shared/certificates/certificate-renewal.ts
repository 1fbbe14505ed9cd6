// Keeps the certificate of listeners that run: when the names of the gateway change or the certificate is about to
// expire, a new one takes its place without a restart. Connections that are open keep theirs.

import type { Server } from 'node:https'
import { isIP } from 'node:net'
import { ensureCertificate, type ServerCertificate, tlsOptions } from './tls.ts'

/** A certificate with more addresses than this would burden every handshake. */
const maxAddresses = 50

export interface RenewalParts {
  readonly folder: string
  readonly names: () => readonly string[]
  readonly now: () => Date
}

export class CertificateRenewal {
  readonly #parts: RenewalParts
  readonly #listeners = new Set<Server>()
  #current: ServerCertificate
  #looking: Promise<boolean> | null = null

  private constructor(parts: RenewalParts, current: ServerCertificate) {
    this.#parts = parts
    this.#current = current
  }

  static async start(parts: RenewalParts): Promise<CertificateRenewal> {
    return new CertificateRenewal(parts, await ensureCertificate(parts.folder, parts.names(), parts.now()))
  }

  get current(): ServerCertificate {
    return this.#current
  }

  /** From now on the listener has the certificate of the day. */
  follow<T extends Server>(listener: T): T {
    this.#listeners.add(listener)
    listener.once('close', () => this.#listeners.delete(listener))
    return listener
  }

  /** True when there is a new certificate. A look that is under way counts for everyone who asks. */
  look(): Promise<boolean> {
    this.#looking ??= this.#renew().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #renew(): Promise<boolean> {
    const { folder, names, now } = this.#parts
    const certificate = await ensureCertificate(folder, names(), now(), this.#current)
    if (certificate.chain === this.#current.chain) return false
    this.#current = certificate
    for (const listener of this.#listeners) listener.setSecureContext(tlsOptions(certificate))
    return true
  }
}

/**
 * The names under which a gateway is reached: those of the machine, and the address it listens at. One that listens at every
 * address has them all, but for those that are valid on one link only.
 */
export function certificateNames(host: string, hostName: string, addresses: readonly string[]): string[] {
  const isWildcard = host === '0.0.0.0' || host === '::'
  const shown = isWildcard ? addresses.map((one) => one.split('/', 1)[0] ?? '').filter(isLasting) : [host]
  const names = [...shown.slice(0, maxAddresses), hostName, 'localhost', '127.0.0.1', '::1']
  return [...new Set(names.map(plainName))].filter((name) => isIP(name) !== 0 || hostForm.test(name))
}

/** Others cannot be in a certificate, or would stand for more than one host; it would be renewed again and again. */
const hostForm = /^[a-z0-9_][a-z0-9._-]{0,252}$/

/** Without the zone of an IPv6 address, and IPv4 in its own form. */
const plainName = (name: string): string => {
  const plain = name.toLowerCase().replace(/%.*$/s, '')
  return isIP(plain) === 6 ? plain.replace(/^::ffff:(?=[\d.]+$)/, '') : plain
}

const isLasting = (address: string): boolean => isIP(address) !== 0 && !/^fe80:/i.test(address)
