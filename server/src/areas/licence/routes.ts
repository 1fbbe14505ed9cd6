// Licence endpoints.

import { createHash } from 'node:crypto'
import { type Change, handle, type Route, type Services } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { read, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { version } from '../../shared/version.ts'
import { LicenceClaims, licence, licenceInfo, tokenPlace, updateType } from './config.ts'
import {
  licenceUpdateType,
  longestToken,
  registerLicence,
  showLicence,
  showRegistrationUrl,
  uploadLicence,
} from './contract.ts'
import { licenceService } from './service.ts'
import { readToken } from './token.ts'

const unixSeconds = (services: Services): number => Math.floor(services.clock.now().getTime() / 1000)

/** A stable name of this gateway that reveals nothing else about it: 44 characters (docs/behaviour/licence.md 2). */
const serverId = (services: Services): string =>
  createHash('sha256')
    .update(`server ${services.of(licenceService).installationId}`)
    .digest('base64')

async function claimsOf(services: Services, token: string, field: string): Promise<LicenceClaims | null> {
  const { key } = services.of(licenceService)
  if (key === null) return null
  const claims = await readToken(token, key, field)
  const faults = services.faultsOf(LicenceClaims, claims)
  if (faults.length > 0)
    throw invalid(
      field,
      say`The licence in the token is not valid: ${faults[0]?.field}. Ask the operator for a new token.`,
    )
  return claims as LicenceClaims
}

/** `field` is where the token came from, for the messages. */
async function register(services: Services, change: Change, token: string, field: string): Promise<void> {
  const registration = {
    token: services.vault.seal(token, tokenPlace),
    registered_at: unixSeconds(services),
    server_id: serverId(services),
    claims: await claimsOf(services, token, field),
  }
  return change((config) => write(config, licence, { registration }))
}

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The token in a licence file; editors add a line end to it. */
function tokenIn(file: Buffer): string {
  const token = file.toString('latin1').trim()
  if (token.length <= longestToken && tokenForm.test(token)) return token
  throw invalid('body', say`The file is not a licence. It must contain one signed token (JWT) and nothing else.`)
}

/** A reserved name (RFC 2606): this release has no portal. */
const registrationPage = 'https://licence.invalid/register'

function registrationUrl(services: Services): string {
  const items = new URLSearchParams({ server_name: services.hostName, hwid: serverId(services), version })
  return `${registrationPage}?${items}`
}

export const routes: readonly Route[] = [
  handle(registerLicence, ({ body, change, services }) => register(services, change, body.token, 'token'), {
    slot: licence,
  }),
  handle(uploadLicence, ({ rawBody, change, services }) => register(services, change, tokenIn(rawBody), 'body'), {
    slot: licence,
  }),
  handle(showLicence, ({ config, services }) => licenceInfo(config, services.hostName, unixSeconds(services))),
  ...settingsRoutes(licenceUpdateType, updateType),
  handle(showRegistrationUrl, ({ config, services }) => {
    if (read(config, updateType).update_type !== 'manual') {
      throw new GatewayError(
        'conflict',
        say`The licence is fetched automatically. Set update_type to manual to register by hand.`,
      )
    }
    return { registration_url: registrationUrl(services) }
  }),
]
