// The registered licence: the sealed token and the claims that were read from it. Which modules are available is decided here
// for all areas.

import type { Static } from 'typebox'
import { nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Sealed } from '../../core/model/secret.ts'
import { type Config, read, single } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { type LicenceInfo, timedModules, UpdateType } from './contract.ts'

/** The claims in a token of the operator, by the wire names of the licence information. */
export const LicenceClaims = Type.Object({
  license_id: Type.String({ maxLength: 80 }),
  license_type: Type.String({ maxLength: 80 }),
  company_id: Type.Optional(Type.String({ maxLength: 80 })),
  start_date: Type.Number(),
  expiration_date: Type.Number(),
  not_upgrade_after: Type.Optional(Type.Number()),
  tech_support_end: Type.Optional(Type.Number()),
  modules: Type.Record(Type.String(), Type.Number({ description: 'Unix seconds until which the module is licensed.' })),
  max_users_count: Type.Integer({ minimum: 0 }),
})
export type LicenceClaims = Static<typeof LicenceClaims>

const Registration = strictObject({
  registration: nullable(
    strictObject({
      token: Sealed,
      registered_at: Type.Number(),
      server_id: Type.String(),
      claims: nullable(LicenceClaims),
    }),
  ),
})
export type Registration = NonNullable<Static<typeof Registration>['registration']>

export const licence = single('licence.registration', Registration, { registration: null })

/** Manual at first: nothing fetches a licence in this release. */
export const updateType = single('licence.update_type', UpdateType, { update_type: 'manual' })

export const tokenPlace = `${licence.key}//registration.token`

/** Without a licence key of the operator nothing expires; the date only has to be far away. */
const neverUnixSeconds = Date.UTC(2100, 0, 1) / 1000

const openClaims = (registeredAt: number): LicenceClaims => ({
  license_id: 'UTM-0000000000',
  license_type: 'free',
  start_date: registeredAt,
  expiration_date: neverUnixSeconds,
  modules: Object.fromEntries(timedModules.map((name) => [name, neverUnixSeconds])),
  max_users_count: 10_000,
})

export function licenceInfo(config: Config, serverName: string, nowUnixSeconds: number): LicenceInfo {
  const connection = { has_connection: false, license_server: '' }
  const { registration } = read(config, licence)
  if (!registration) return { registered: false, ...connection }
  const claims = registration.claims ?? openClaims(registration.registered_at)
  const isStarted = nowUnixSeconds >= claims.start_date
  const isUsable = isStarted && nowUnixSeconds < claims.expiration_date
  const timed = (name: string) => {
    const until = claims.modules[name] ?? 0
    const available = isUsable && until > nowUnixSeconds
    return { available, expiration_date: available ? until : 0 }
  }
  return {
    modules: {
      active_directory: timed('active_directory'),
      kaspersky_av_for_web: timed('kaspersky_av_for_web'),
      kaspersky_av_for_mail: timed('kaspersky_av_for_mail'),
      application_control: timed('application_control'),
      suricata: timed('suricata'),
      advanced_content_filter: timed('advanced_content_filter'),
      standard_content_filter: timed('standard_content_filter'),
      ips_advanced_rules: timed('ips_advanced_rules'),
      cluster: timed('cluster'),
      icsd: { available: isUsable, max_users_count: isUsable ? claims.max_users_count : 0 },
    },
    general: {
      available: isUsable,
      reason: isUsable ? '' : isStarted ? say`The licence has expired.` : say`The licence has not started yet.`,
      not_upgrade_after: claims.not_upgrade_after ?? claims.expiration_date,
      tech_support_end: claims.tech_support_end ?? claims.expiration_date,
      start_date: claims.start_date,
      expiration_date: claims.expiration_date,
    },
    license_type: claims.license_type,
    license_id: claims.license_id,
    server_name: serverName,
    last_update_time: registration.registered_at,
    company_id: claims.company_id ?? '',
    server_id: registration.server_id,
    registered: true,
    unreliable: false,
    ...connection,
  }
}
