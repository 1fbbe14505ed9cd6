// Licence endpoints.

import { createHash } from 'node:crypto'
import { invalid } from '../../contract/error.ts'
import { write } from '../../contract/slots.ts'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { LicenceClaims, licence, licenceInfo, tokenPlace } from './config.ts'
import { registerLicence, showLicence } from './contract.ts'
import { readToken } from './token.ts'

const unixSeconds = (services: Services): number => Math.floor(services.clock.now().getTime() / 1000)

/** A stable name of this gateway that tells nothing else about it: 44 characters, as the contract says. */
const serverId = (services: Services): string =>
  createHash('sha256').update(`server ${services.installationId}`).digest('base64')

async function claimsOf(services: Services, token: string): Promise<LicenceClaims | null> {
  if (services.licenceKey === null) return null
  const claims = await readToken(token, services.licenceKey)
  const faults = services.faultsOf(LicenceClaims, claims)
  if (faults.length > 0) throw invalid('token', `The licence in the token is incomplete: ${faults[0]?.field}.`)
  return claims as LicenceClaims
}

export const routes: readonly Route[] = [
  handle(
    registerLicence,
    async ({ body, change, services }) => {
      const registration = {
        token: services.vault.seal(body.token, tokenPlace),
        registered_at: unixSeconds(services),
        server_id: serverId(services),
        claims: await claimsOf(services, body.token),
      }
      return change((config) => write(config, licence, { registration }))
    },
    { slot: licence },
  ),
  handle(showLicence, ({ config, services }) => licenceInfo(config, services.hostName, unixSeconds(services))),
]
