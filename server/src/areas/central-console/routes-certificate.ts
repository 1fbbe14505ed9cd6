// Reading the root certificate that an administrator uploads: a single one of an authority that issued it itself.

import type { X509Certificate } from 'node:crypto'
import { invalid } from '../../contract/error.ts'
import { faultOfCertificate, isIssuedBy, readCertificates } from '../../net/certificate.ts'

/** The certificate as PEM printed from what was read, so that nothing else of the text is kept. */
export function readRootCertificate(bytes: Buffer, now: Date): string {
  const read = readCertificates(bytes.toString('latin1'), 1)
  if ('fault' in read) throw invalid('body', read.fault)
  const [certificate] = read.certificates as [X509Certificate]
  const fault = faultOfPurpose(certificate) ?? faultOfCertificate(certificate, now)
  if (fault !== null) throw invalid('body', `The certificate ${fault}`)
  return certificate.toString()
}

function faultOfPurpose(certificate: X509Certificate): string | null {
  if (!certificate.ca) return 'is not one of a certificate authority (CA:FALSE).'
  return isIssuedBy(certificate, certificate)
    ? null
    : 'was issued by another authority, or its signature is not good: the root certificate is needed.'
}
