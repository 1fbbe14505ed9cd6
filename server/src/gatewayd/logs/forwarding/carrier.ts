// What carries lines to a collector, and how it ends.

import { type SaidText, say } from '../../../shared/said.ts'

export interface Carrier {
  /**
   * Resolves when the lines are with the collector as far as that can be known: acknowledged by its kernel on TCP, sent on UDP.
   * Rejects with a `Broken`; then none of them count. One call at a time.
   */
  send(lines: readonly Buffer[]): Promise<void>
  /** Resolves when the connection ends by itself; never on UDP. */
  readonly broken: Promise<Broken>
  /** What was sent before still arrives. */
  close(): void
  /** Why nothing moves at the moment, as a sentence; null while it does. */
  readonly hindrance: SaidText | null
}

export class Broken extends Error {
  /**
   * The other side closed the connection after it had read everything it acknowledged (RFC 1122, 4.2.2.13: otherwise it resets
   * the connection). What it had read may still be in its memory only.
   */
  readonly wasClosed: boolean

  constructor(message: SaidText, wasClosed = false) {
    super(message)
    this.wasClosed = wasClosed
  }
}

/** Rejects with a `Broken` when the collector cannot be reached. */
export type OpenCarrier = (signal: AbortSignal) => Promise<Carrier>

/** What a fault of the network means, as a sentence. */
export function sentenceOf(error: unknown, collector: string): SaidText {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string }
  const known = sentences[code]
  return known ? known(collector) : say`The connection to the collector ${collector} failed: ${message.trim()}.`
}

const sentences: Readonly<Record<string, (collector: string) => SaidText>> = {
  ECONNREFUSED: (collector) =>
    say`The collector ${collector} refuses connections. Check that it runs and uses this port.`,
  ECONNRESET: (collector) => say`The collector ${collector} reset the connection.`,
  EPIPE: (collector) => say`The collector ${collector} closed the connection.`,
  ETIMEDOUT: (collector) => say`The collector ${collector} does not answer.`,
  EHOSTUNREACH: (collector) => say`The collector ${collector} cannot be reached. Check its address and the routes.`,
  ENETUNREACH: (collector) => say`There is no route to the collector ${collector}.`,
  EACCES: (collector) => say`A rule of this machine forbids sending to the collector ${collector}.`,
  EPERM: (collector) => say`A rule of this machine forbids sending to the collector ${collector}.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (collector) =>
    say`The certificate of the collector ${collector} is for another name. Set the server name that it is for.`,
  CERT_HAS_EXPIRED: (collector) => say`The certificate of the collector ${collector} has expired.`,
  ...Object.fromEntries(
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_SIGNATURE_FAILURE',
    ].map((code) => [
      code,
      (collector: string) =>
        say`The certificate of the collector ${collector} is not trusted. Set the CA certificate that issued it.`,
    ]),
  ),
}
