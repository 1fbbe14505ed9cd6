// A certificate authority that an administrator sends with its key, both as PEM: read strictly, with every fault by its field.
// Pure: the time is given.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { type SaidText, say } from '../said.ts'
import { type Certificate, faultOfCertificate, readCertificates } from './certificate.ts'

export interface AuthorityFault {
  readonly field: 'certificate' | 'private_key'
  readonly message: SaidText
}

export type ReadAuthority =
  | { readonly certificate: string; readonly privateKey: string }
  | { readonly faults: readonly AuthorityFault[] }

/** The first certificate is the authority; those that issued it may follow and are left out, because clients have them. */
export function readAuthority(certificatePem: string, keyPem: string, now: Date): ReadAuthority {
  const read = readCertificates(certificatePem, 5)
  const key = readKey(keyPem)
  const faults: AuthorityFault[] = []
  const [certificate] = 'certificates' in read ? read.certificates : []
  if ('fault' in read) faults.push({ field: 'certificate', message: read.fault })
  const fault = certificate && faultOfAuthority(certificate, now)
  if (fault) faults.push({ field: 'certificate', message: fault })
  if (typeof key === 'string') faults.push({ field: 'private_key', message: key })
  else if (certificate && !certificate.checkPrivateKey(key))
    faults.push({ field: 'private_key', message: say`The key does not fit the certificate.` })
  if (faults.length > 0 || !certificate || typeof key === 'string') return { faults }
  return { certificate: certificate.toString(), privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })) }
}

function faultOfAuthority(certificate: Certificate, now: Date): SaidText | null {
  if (!certificate.ca) return say`The certificate is not one of an authority: it may not sign others.`
  const fault = faultOfCertificate(certificate, now)
  return fault === null ? null : say`The certificate ${fault}`
}

/** The proxy signs with keys of these kinds. */
const kinds = new Set(['rsa', 'ec'])

function readKey(pem: string): KeyObject | SaidText {
  if (/ENCRYPTED/.test(pem)) return say`The key is protected by a password. Send it without one.`
  if (
    !/^\s*-----BEGIN (?:RSA |EC )?PRIVATE KEY-----[A-Za-z0-9+/=\r\n\t ]+-----END (?:RSA |EC )?PRIVATE KEY-----\s*$/.test(
      pem,
    )
  )
    return say`This is not a private key in PEM format.`
  try {
    const key = createPrivateKey(pem)
    return kinds.has(key.asymmetricKeyType ?? '') ? key : say`The key must be an RSA or an elliptic curve key.`
  } catch {
    return say`The key is damaged and cannot be read.`
  }
}

/** What people see of it; null when it cannot be read. */
export function describeAuthority(pem: string) {
  const read = readCertificates(pem, 1)
  const [certificate] = 'certificates' in read ? read.certificates : []
  return certificate
    ? {
        subject: certificate.subject.split('\n').join(', '),
        fingerprint: certificate.fingerprint256,
        notBefore: Math.floor(certificate.validFromDate.getTime() / 1000),
        notAfter: Math.floor(certificate.validToDate.getTime() / 1000),
      }
    : null
}
