// Checks a licence token against the operator's public key. Only the algorithm that fits the key is accepted.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'

const algorithms: Readonly<Record<string, string>> = { ed25519: 'EdDSA', ec: 'ES256', rsa: 'RS256' }

/**
 * The claims of a token whose signature is valid; the caller checks them against their schema. `field` is where the token
 * came from.
 */
export async function readToken(token: string, operatorKeyPem: string, field: string): Promise<unknown> {
  const key = readKey(operatorKeyPem)
  const { jwtVerify } = await import('jose')
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: [algorithmFor(key)] })
    return payload.licence
  } catch {
    throw invalid(field, say`The token is not signed with the operator’s licence key.`)
  }
}

/** The file belongs to the operator, so an error in it is not one of the request. */
function readKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem)
  } catch (cause) {
    const message = say`The operator’s licence key on this machine cannot be read, so no licence can be checked.`
    throw new GatewayError('unavailable', message, { cause })
  }
}

const algorithmFor = (key: KeyObject): string => algorithms[key.asymmetricKeyType ?? ''] ?? 'EdDSA'
