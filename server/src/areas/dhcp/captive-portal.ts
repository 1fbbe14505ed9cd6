// The address by which devices learn that they must sign in to the sign-in page (RFC 8908), while there is one. Pure.

import { type Config, read } from '../../model/slots.ts'
import { settings as authorizationSettings } from '../authorization/public.ts'

const portalPort = 8446

/** `address` is the gateway's own one in the network of the device; null: no device has to sign in. */
export function captivePortalUrl(config: Config, address: string): string | null {
  const { allow_internet_to_everyone, web_authorization } = read(config, authorizationSettings)
  return web_authorization && !allow_internet_to_everyone ? `https://${address}:${portalPort}/captive-portal/api` : null
}
