// Whether a PEM text can be what devices are verified by: one self-signed certificate, or a root and its chain
// (client-agent.md, "Device mode"). It is parsed, and every way to be unfit is told apart.

import { X509Certificate } from 'node:crypto'

const block = /-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\r\n\t ]*-----END \1-----/g
const minRsaBits = 2048
const maxChain = 10

/** The first fault in words, or null when devices can be verified by this. */
export function faultOfTrust(pem: string, now: Date): string | null {
  const labels = [...pem.matchAll(block)].map(([, name]) => name ?? '')
  if (labels.some((name) => name.endsWith('PRIVATE KEY'))) {
    return 'Holds a private key. Send the certificate alone, and treat that key as known to others.'
  }
  const isClean = /^[\r\n\t ]*$/.test(pem.replaceAll(block, ''))
  if (labels.length === 0 || !isClean || labels.some((name) => name !== 'CERTIFICATE')) {
    return 'Is not a certificate in PEM form.'
  }
  if (labels.length > maxChain) return `Holds more than ${maxChain} certificates.`
  const chain = [...pem.matchAll(block)].map(([text]) => parse(text))
  const broken = chain.indexOf(null)
  if (broken >= 0) return `${ordinal(broken, chain.length)} is damaged and cannot be read.`
  return faultOfChain(chain as X509Certificate[], now)
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

const ordinal = (index: number, count: number): string =>
  count === 1 ? 'The certificate' : `Certificate ${index + 1} of ${count}`

function faultOfChain(chain: readonly X509Certificate[], now: Date): string | null {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index - 1] ?? certificate
    const fault =
      faultOfTime(certificate, now) ??
      faultOfKey(certificate) ??
      faultOfIssuer(certificate, issuer) ??
      faultOfPurpose(certificate, issuer, chain.length)
    if (fault !== null) return `${ordinal(index, chain.length)} ${fault}`
  }
  return null
}

function faultOfTime({ validFromDate, validToDate }: X509Certificate, now: Date): string | null {
  if (validToDate < now) return `expired on ${day(validToDate)}.`
  return validFromDate > now ? `is not valid before ${day(validFromDate)}.` : null
}

const day = (date: Date): string => date.toISOString().slice(0, 10)

function faultOfKey({ publicKey }: X509Certificate): string | null {
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {}
  return modulusLength !== undefined && modulusLength < minRsaBits
    ? `has an RSA key of ${modulusLength} bits, which is too short; ${minRsaBits} are needed.`
    : null
}

function faultOfIssuer(certificate: X509Certificate, issuer: X509Certificate): string | null {
  if (certificate.issuer === issuer.subject && certificate.verify(issuer.publicKey)) return null
  return certificate === issuer
    ? 'is not self-signed. Send the root, followed by its chain.'
    : 'was not issued by the one before it. Send the root first, then its chain in order.'
}

/** A self-signed certificate of one device may be trusted itself; in a chain everything must be able to sign. */
function faultOfPurpose(certificate: X509Certificate, issuer: X509Certificate, count: number): string | null {
  if (!certificate.ca && count > 1) return 'cannot sign others (CA:FALSE), so it does not belong into a chain.'
  if (certificate.ca && !certificate.checkIssued(issuer)) return 'was signed by a key that must not sign certificates.'
  return /^CN=./m.test(certificate.subject) ? null : 'has no common name.'
}
