// The root certificate of a console: a single certificate of an authority that issued it itself.

import { faultOfCertificate, isIssuedBy, readCertificates } from '../../shared/net/certificate.ts'
import { type SaidText, say } from '../../shared/said.ts'

type RootCertificate = { readonly pem: string } | { readonly fault: SaidText }

/**
 * The certificate printed again from what was read, so that nothing else of the text is kept. Without a time its validity is
 * not judged: a stored certificate may expire.
 */
export function readRoot(text: string, now?: Date): RootCertificate {
  const read = readCertificates(text, 1)
  if ('fault' in read) return read
  const [certificate] = read.certificates
  if (!certificate?.ca) return { fault: say`The certificate is not a CA certificate (CA:FALSE).` }
  if (!isIssuedBy(certificate, certificate))
    return { fault: say`The certificate is not self-signed, or its signature is invalid. Send the root certificate.` }
  const fault = faultOfCertificate(certificate, now ?? certificate.validFromDate)
  return fault === null ? { pem: certificate.toString() } : { fault: say`The certificate ${fault}` }
}

/** Of a stored certificate. */
export function faultOfRoot(text: string): SaidText | null {
  const root = readRoot(text)
  return 'fault' in root ? root.fault : null
}
