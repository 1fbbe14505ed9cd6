// Stored administrator rules and RADIUS servers. Shared secrets are sealed; null means an empty one.

import type { Static } from 'typebox'
import { Enabled, nullable, strictObject } from '../../core/contract/fields.ts'
import { Sealed } from '../../core/model/secret.ts'
import { list, single } from '../../core/model/slots.ts'
import { AdministratorRule, RadiusSettings } from './contract.ts'

export const adRules = list('directory_administrators.ad', AdministratorRule)
export const aldRules = list('directory_administrators.ald', AdministratorRule)
export const radiusState = single('directory_administrators.radius_state', Enabled, { enabled: false })

const { server, port } = RadiusSettings.properties.primary.properties
const StoredServer = strictObject({ server, port, secret: nullable(Sealed) })
export type StoredServer = Static<typeof StoredServer>

const StoredRadius = strictObject({ primary: StoredServer, secondary: StoredServer })
export type StoredRadius = Static<typeof StoredRadius>

export const radiusServers = ['primary', 'secondary'] as const
export type RadiusServer = (typeof radiusServers)[number]

export const radius = single('directory_administrators.radius', StoredRadius, {
  primary: { server: '', port: 1812, secret: null },
  secondary: { server: '', port: null, secret: null },
})

/** Where the vault binds a shared secret to. */
export const secretPlace = (which: RadiusServer): string => `${radius.key}//${which}.secret`
