// Whether a PEM text can be what devices are verified by: one self-signed certificate, or a root and its chain
// (docs/behaviour/client-agent.md 3).

import {
  type Certificate,
  faultOfCertificate,
  faultOfKey,
  isIssuedBy,
  nameIn,
  readCertificates,
} from '../../shared/net/certificate.ts'
import { type SaidText, say } from '../../shared/said.ts'

const maxChain = 10

/** The first fault in words, or null when devices can be verified by this. Without a time the validity period is not checked. */
export function faultOfTrust(pem: string, now?: Date): SaidText | null {
  const read = readCertificates(pem, maxChain)
  if ('fault' in read) return read.fault
  const chain = read.certificates
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index - 1] ?? certificate
    const fault =
      (now ? faultOfCertificate(certificate, now) : faultOfKey(certificate)) ??
      faultOfIssuer(certificate, issuer) ??
      faultOfPurpose(certificate, issuer, chain.length)
    if (fault !== null) return say`${nameIn(index, chain.length)} ${fault}`
  }
  return null
}

function faultOfIssuer(certificate: Certificate, issuer: Certificate): SaidText | null {
  if (isIssuedBy(certificate, issuer)) return null
  return certificate === issuer
    ? say`is not self-signed. Send the root, followed by its chain.`
    : say`was not issued by the one before it. Send the root first, then its chain in order.`
}

/** A self-signed certificate of one device can be trusted itself; in a chain every certificate must be able to sign. */
function faultOfPurpose(certificate: Certificate, issuer: Certificate, count: number): SaidText | null {
  if (!certificate.ca && count > 1) return say`cannot sign others (CA:FALSE), so it cannot be part of a chain.`
  if (certificate.ca && !certificate.checkIssued(issuer))
    return say`was signed by a key that must not sign certificates.`
  return /^CN=./m.test(certificate.subject) ? null : say`has no common name.`
}
