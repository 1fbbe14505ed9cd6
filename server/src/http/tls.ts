// The management certificate: the gateway's own root and a server certificate it signs, made at the first start.
// Also the TLS settings of the listener.

import { constants, createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerOptions } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'

export interface ServerCertificate {
  readonly key: string
  /** Server certificate followed by the root, as PEM. */
  readonly chain: string
}

const renewBeforeDays = 30
const day = 24 * 3600 * 1000

/** Reads the certificate of `folder`, making a new one when it is missing, unusable or about to expire. */
export async function ensureCertificate(
  folder: string,
  names: readonly string[],
  now: Date,
): Promise<ServerCertificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keyPath = join(folder, 'server.key')
  const chainPath = join(folder, 'server.crt')
  if (existsSync(keyPath) && existsSync(chainPath)) {
    const kept = { key: readFileSync(keyPath, 'utf8'), chain: readFileSync(chainPath, 'utf8') }
    if (isUsable(kept, now)) return kept
  }
  const { makeCertificate } = await import('./certificate-maker.ts')
  const made = await makeCertificate(names, now)
  writePrivate(keyPath, made.key)
  writePrivate(chainPath, made.chain)
  return made
}

/** A power cut between the two files leaves a key that does not fit, and the gateway must start nevertheless. */
function isUsable({ key, chain }: ServerCertificate, now: Date): boolean {
  try {
    const certificate = new X509Certificate(chain)
    const daysLeft = (certificate.validToDate.getTime() - now.getTime()) / day
    return daysLeft > renewBeforeDays && certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function writePrivate(path: string, content: string): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}

/** Names and addresses for the certificate, sorted into the two kinds a certificate knows. */
export const splitNames = (names: readonly string[]): { dns: string[]; ip: string[] } => ({
  dns: names.filter((name) => isIP(name) === 0),
  ip: names.filter((name) => isIP(name) !== 0),
})

const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

/** Limits of one connection (docs/behaviour/security.md 33, 34 and 36). */
export const listenerOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  requireHostHeader: true,
  insecureHTTPParser: false,
} as const

export const tlsOptions = (certificate: ServerCertificate): ServerOptions => ({
  ...listenerOptions,
  key: certificate.key,
  cert: certificate.chain,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers,
  honorCipherOrder: true,
  handshakeTimeout: 10_000,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
  ALPNProtocols: ['http/1.1'],
})

export const createTlsServer = (certificate: ServerCertificate, listener: Parameters<typeof createServer>[1]): Server =>
  createServer(tlsOptions(certificate), listener)
