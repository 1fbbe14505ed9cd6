// Certificates that administrators send as PEM: read strictly, with a separate sentence for every fault, which begins
// with the certificate. What a certificate must be able to do, its area says. Pure: the time is given.

import { X509Certificate } from 'node:crypto'
import { type SaidText, say } from '../said.ts'

export type Certificate = X509Certificate

const block = /-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\r\n\t ]*-----END \1-----/g
const minRsaBits = 2048

export type ReadCertificates =
  | { readonly certificates: readonly X509Certificate[] }
  /** Why they cannot be read, as a sentence. */
  | { readonly fault: SaidText }

/** From one to `most` certificates and nothing else. */
export function readCertificates(pem: string, most: number): ReadCertificates {
  const labels = [...pem.matchAll(block)].map(([, name]) => name ?? '')
  if (labels.some((name) => name.endsWith('PRIVATE KEY')))
    return { fault: say`Contains a private key. Send only the certificate, and treat that key as disclosed.` }
  const isClean = /^[\r\n\t ]*$/.test(pem.replaceAll(block, ''))
  if (labels.length === 0 || !isClean || labels.some((name) => name !== 'CERTIFICATE'))
    return { fault: say`This is not a certificate in PEM format.` }
  if (labels.length > most)
    return { fault: most === 1 ? say`Must be exactly one certificate.` : say`Contains more than ${most} certificates.` }
  const read = [...pem.matchAll(block)].map(([text]) => parse(text))
  const certificates = read.filter((one) => one !== null)
  if (certificates.length === read.length) return { certificates }
  return { fault: say`${nameIn(read.indexOf(null), read.length)} is damaged and cannot be read.` }
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** How a certificate among several is called. */
export const nameIn = (index: number, count: number): SaidText =>
  count === 1 ? say`The certificate` : say`Certificate ${index + 1} of ${count}`

/** Why it cannot be trusted now, whatever it is for. Words that follow its name, or null. */
export const faultOfCertificate = (certificate: X509Certificate, now: Date): SaidText | null =>
  faultOfTime(certificate, now) ?? faultOfKey(certificate)

function faultOfTime({ validFromDate, validToDate }: X509Certificate, now: Date): SaidText | null {
  if (validToDate < now) return say`expired on ${day(validToDate)}.`
  return validFromDate > now ? say`is not valid before ${day(validFromDate)}.` : null
}

const day = (date: Date): string => date.toISOString().slice(0, 10)

/** Why its key cannot be trusted at any time. Words that follow its name, or null. */
export function faultOfKey({ publicKey }: X509Certificate): SaidText | null {
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {}
  return modulusLength !== undefined && modulusLength < minRsaBits
    ? say`has an RSA key of ${modulusLength} bits, which is too short; ${minRsaBits} are needed.`
    : null
}

/** By name and by signature. */
export const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.issuer === issuer.subject && certificate.verify(issuer.publicKey)
