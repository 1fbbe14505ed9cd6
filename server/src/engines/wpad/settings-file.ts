// The file of the small web server for clients: what it shows them beside fixed texts. Only the server reads it.

export interface ServedFile {
  /** PEM; null when there is none to show. */
  readonly certificate: string | null
  /** Of the direct proxy; null when clients connect directly. */
  readonly proxyPort: number | null
}

export const printServedFile = (file: ServedFile): string => `${JSON.stringify(file, null, 2)}\n`

/** Or a sentence that says what is wrong. */
export function parseServedFile(text: string): ServedFile | string {
  const { certificate, proxyPort, ...rest } = objectIn(text)
  if (Object.keys(rest).length > 0) return 'It has a field that is not known.'
  const isCertificate =
    certificate === null ||
    (typeof certificate === 'string' &&
      /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]{1,20000}-----END CERTIFICATE-----\n?$/.test(certificate))
  if (!isCertificate) return 'Its certificate is not in PEM format.'
  const isPort =
    proxyPort === null || (Number.isInteger(proxyPort) && Number(proxyPort) > 0 && Number(proxyPort) < 65_536)
  if (!isPort) return 'Its port is not one.'
  return { certificate: certificate as string | null, proxyPort: proxyPort as number | null }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : { none: value }
  } catch {
    return { none: text }
  }
}
