// The certificate authority of the web proxy as it is shown and replaced. Pure: keys arrive sealed.

import { GatewayError } from '../../core/contract/error.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { describeAuthority, readAuthority } from '../../shared/net/authority.ts'
import { authority } from './config.ts'
import type { Certificate } from './contract.ts'
import { downloadAddresses } from './resolve.ts'

export function showAuthority(config: Config, facts: Facts): Certificate {
  const held = read(config, authority).authority
  const described = held && describeAuthority(held.certificate)
  return {
    origin: held?.origin ?? 'none',
    subject: described?.subject ?? '',
    fingerprint: described?.fingerprint ?? '',
    not_before: described?.notBefore ?? 0,
    not_after: described?.notAfter ?? 0,
    certificate: held?.certificate ?? '',
    addresses: downloadAddresses(config, facts),
  }
}

export const setAuthority = (
  config: Config,
  origin: 'made' | 'uploaded',
  certificate: string,
  privateKey: Sealed,
): Config => write(config, authority, { authority: { origin, certificate, private_key: privateKey } })

/** The parts as they are stored, or every fault by its field. */
export function requireAuthority(certificate: string, key: string, now: Date) {
  const found = readAuthority(certificate, key, now)
  if (!('faults' in found)) return found
  throw new GatewayError('invalid', found.faults[0]?.message ?? '', { problems: found.faults })
}
