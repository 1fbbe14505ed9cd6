// The client agent: its state, its settings, and the messages of its WebSocket (docs/behaviour/client-agent.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { Enabled, nullable, oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter, so that other notations of an address are not valid names. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

export const AgentSettings = strictObject({
  auth_domain: nullable(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: `^(?:${addressPattern}|${domainPattern})$`,
      'x-fault': 'Must be a domain name or an IPv4 address.',
      description: 'Where agents authenticate; null means any address of the gateway, without devices.',
    }),
  ),
  local_tunnel: Type.Boolean({ description: 'Use a tunnel for connections from local networks too.' }),
  device_vpn: Type.Boolean({ description: 'Devices can connect without a user.' }),
  trusted_ca_cert: nullable(
    Type.String({
      minLength: 1,
      maxLength: 48 * 1024,
      description:
        'Certificate (PEM) that devices are verified by, with its chain if there is one; the root comes first.',
    }),
  ),
})
export type AgentSettings = Static<typeof AgentSettings>

export const agentState = settingsEndpoints({
  path: '/agent_backend/agent-server/state',
  title: 'state of the client agent',
  schema: Enabled,
  change: 'configure',
})

export const agentSettings = settingsEndpoints({
  path: '/agent_backend/agent-server/setting',
  title: 'client agent settings',
  schema: AgentSettings,
  change: 'configure',
})

const VersionNumber = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const version = {
  major: VersionNumber,
  minor: VersionNumber,
  build: VersionNumber,
  os: oneOf(['windows', 'macos', 'linux']),
}
const typed = <const T extends string>(type: T) => ({ type: oneOf([type]) })
const Token = nullable(Type.String({ maxLength: 48 * 1024 }))

/** The messages of agents before they are authorized, by type. */
export const agentMessages = {
  version: strictObject({ ...typed('version'), ...version }),
  authorize: strictObject({
    ...typed('authorize'),
    login: Type.String({ minLength: 1, maxLength: 255 }),
    password: Type.String({ minLength: 1, maxLength: 255 }),
  }),
  sso: strictObject({
    ...typed('sso'),
    token: Token,
    session_token: Token,
    domain: Type.String({ minLength: 1, maxLength: 255 }),
  }),
  device: strictObject(typed('device')),
}
export type AgentMessageType = keyof typeof agentMessages
export type VersionMessage = Static<typeof agentMessages.version>

export interface UpdateMessage {
  readonly type: 'update'
  readonly need_update: boolean
  readonly download_url: string | null
  readonly version: Omit<VersionMessage, 'type'>
}

export interface AuthStateMessage {
  readonly type: 'auth_state'
  readonly authorized: boolean
  readonly need_tunnel: boolean
  readonly timeout: number
  readonly message: string
}

export interface SsoMessage {
  readonly type: 'sso'
  readonly status: 'not_authorized'
  readonly session_token: null
  readonly access_token: null
  readonly error: string
}

export type ServiceMessage = UpdateMessage | AuthStateMessage | SsoMessage
