// Cross-site protection: when a browser sends it, a change must come from a page of the gateway, under a name of the gateway.
// Scripts, which send neither Origin nor Sec-Fetch-Site, are not affected.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'

export function checkOrigin(
  headers: IncomingHttpHeaders,
  ownNames: ReadonlySet<string>,
  isTls: boolean,
  bodyType = 'application/json',
): void {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined && site === undefined) return
  if (site !== undefined && site !== 'same-origin') refuse('another site')
  if (origin !== undefined && origin !== `${isTls ? 'https' : 'http'}://${headers.host}`) refuse('another origin')
  // A name that is not ours but resolves to us would make any page "same origin" (DNS rebinding).
  if (!isOwnHost(headers.host ?? '', ownNames)) refuse('a host name that is not the gateway’s')
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (hasBody && headers['content-length'] !== '0' && type !== bodyType) {
    throw new GatewayError('unsupported_type', say`A browser must send ${bodyType}.`)
  }
}

function refuse(from: string): never {
  throw new GatewayError('forbidden', say`This change was refused because it was sent from ${from}.`)
}

export function isOwnHost(host: string, ownNames: ReadonlySet<string>): boolean {
  const name = host
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  return isIP(name) !== 0 || name === 'localhost' || ownNames.has(name)
}
