// Reading the root certificate that an administrator uploads: broken, expired, not yet valid and not meant for this are
// told apart.

import { X509Certificate } from 'node:crypto'
import { invalid } from '../../contract/error.ts'

const block = /^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----$/

/** The certificate as PEM printed from what was read, so that nothing else of the text is kept. */
export function readRootCertificate(bytes: Buffer, now: Date): string {
  const certificate = parse(bytes.toString('latin1').trim())
  if (!certificate.ca) throw invalid('body', 'The certificate is not one of a certificate authority.')
  if (!certificate.checkIssued(certificate))
    throw invalid('body', 'The certificate was issued by another authority: the root certificate is needed.')
  if (new Date(certificate.validTo) < now) throw invalid('body', `The certificate expired on ${certificate.validTo}.`)
  if (new Date(certificate.validFrom) > now)
    throw invalid('body', `The certificate is not valid before ${certificate.validFrom}.`)
  return certificate.toString()
}

function parse(text: string): X509Certificate {
  if (!block.test(text)) throw invalid('body', 'Must be the text of exactly one PEM certificate.')
  try {
    return new X509Certificate(text)
  } catch {
    throw invalid('body', 'The certificate is broken and cannot be read.')
  }
}
