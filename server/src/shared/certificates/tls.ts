// The management certificate: the gateway's own root and a server certificate it signs, made at the first start and
// renewed when names change or it is about to expire. Also the TLS settings of the listener.

import { constants, createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer, type Server, type ServerOptions } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { writeDurably } from '../files/durable-file.ts'
import { patient } from '../pace.ts'

export interface ServerCertificate {
  readonly key: string
  /** Server certificate followed by the root, as PEM. */
  readonly chain: string
}

const renewBeforeDays = 30
/** A root that ends sooner could not sign a server certificate for its whole life. */
const renewRootBeforeDays = 400
const day = 24 * 3600 * 1000
/** A clock that shows an earlier time was not set yet: nothing is made again because of it. */
export const earliest = Date.UTC(2026, 0)

/**
 * Reads the certificate of `folder`. A new one is made when it is missing, unusable, for other names or about to expire. The
 * root stays, and if it must change its key stays: anyone who trusted that can follow. A disk that takes nothing is no reason
 * not to serve: then `current` goes on, or what there is.
 */
export async function ensureCertificate(
  folder: string,
  names: readonly string[],
  now: Date,
  current: ServerCertificate | null = null,
): Promise<ServerCertificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [rootKey = '', rootCertificate = '', key = '', chain = ''] = files.map((name) =>
    readIfThere(join(folder, name)),
  )
  const stored = { key, chain }
  if (isFor(chain, names, /./) && isKey(rootKey) && isUsable(stored, now, renewBeforeDays)) return stored
  const { issueServer, makeRoot } = await import('./certificate-maker.ts')
  const isRootKept =
    isFor(chain, splitNames(names).dns, /^DNS:/) &&
    isUsable({ key: rootKey, chain: rootCertificate }, now, renewRootBeforeDays)
  const root = isRootKept
    ? { key: rootKey, certificate: rootCertificate }
    : await makeRoot(names, now, isKey(rootKey) ? rootKey : undefined)
  const made = await issueServer(root, names, now)
  const contents = [root.key, root.certificate, made.key, made.chain]
  try {
    files.forEach((name, i) => {
      writeDurably(join(folder, name), contents[i] ?? '')
    })
    return made
  } catch {
    return [current, stored].find((one) => one !== null && isUsable(one, now, 0)) ?? made
  }
}

const files = ['root.key', 'root.crt', 'server.key', 'server.crt'] as const

const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/**
 * A power cut between two files leaves a key that does not fit, and the gateway must start nevertheless. One that was made while
 * the clock was ahead is refused by everyone until then.
 */
function isUsable({ key, chain }: ServerCertificate, now: Date, leastDays: number): boolean {
  try {
    const certificate = new X509Certificate(chain)
    const daysLeft = (certificate.validToDate.getTime() - now.getTime()) / day
    const hasBegun = certificate.validFromDate <= now || now.getTime() < earliest
    return hasBegun && daysLeft > leastDays && certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function isKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

/** True when the certificate names exactly these, of the kinds that are looked at. */
function isFor(chain: string, names: readonly string[], kinds: RegExp): boolean {
  try {
    const certificate = new X509Certificate(chain)
    const shown = (certificate.subjectAltName ?? '').split(', ').filter((name) => kinds.test(name))
    const isNamed = (name: string): boolean =>
      (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) !== undefined
    return shown.length === names.length && names.every(isNamed)
  } catch {
    return false
  }
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

/** Limits of one connection (docs/behaviour/security.md 33, 34 and 36), longer on machines where everything takes longer. */
export const listenerOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: patient(10_000),
  requestTimeout: patient(30_000),
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: patient(5_000),
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
  handshakeTimeout: patient(10_000),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
  ALPNProtocols: ['http/1.1'],
})

export const createTlsServer = (certificate: ServerCertificate, listener: Parameters<typeof createServer>[1]): Server =>
  createServer(tlsOptions(certificate), listener)
