// The connection of this gateway to a central console, and the console itself: settings, server groups and connected
// gateways (docs/behaviour/central-console.md 1 and 2). Rules of the console are in the files beside this one.

import type { Static } from 'typebox'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import {
  Comment,
  Enabled,
  nullable,
  oneOf,
  patchOf,
  StatusItem,
  strictObject,
  text,
} from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'
import { GroupId } from './contract-tables.ts'

export { contentAfter, contentBefore } from './contract-content.ts'
export { forwardAfter, forwardBefore, inputAfter, inputBefore } from './contract-firewall.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'

/** The last label of a name is not a number, so that a mistyped address is not taken for a name. */
const Host = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^(?:${addressPattern}|(?:${label}\\.)*(?![0-9]+$)${label})$`,
  'x-fault': 'Must be an IPv4 address or a domain name such as console.example.com.',
})

const Moment = (description: string) =>
  nullable(Type.Integer({ 'x-time': 'unix', description: `Unix seconds ${description}` }))

export const ConsoleConnection = strictObject({
  cc_server: nullable(Host),
  last_connect: Moment('of the last successful exchange with the console.'),
  last_sync: Moment('at which data was last transferred.'),
  root_ca: nullable(Type.String({ 'x-lines': true, description: 'Root certificate of the console, PEM.' })),
})

const connectionPath = '/central_console/settings'

export const consoleConnection = {
  show: endpoint({
    method: 'GET',
    path: connectionPath,
    access: 'view',
    summary: 'Show the connection to the central console',
    reply: ConsoleConnection,
  }),
  update: endpoint({
    method: 'PATCH',
    path: connectionPath,
    access: 'configure',
    summary: 'Change the connection to the central console',
    body: patchOf(strictObject({ cc_server: nullable(Host) })),
  }),
  disconnect: endpoint({
    method: 'DELETE',
    path: connectionPath,
    access: 'configure',
    summary: 'Disconnect the gateway from the central console',
    description: 'The root certificate is kept; it is removed with a separate call.',
  }),
}

export const maxCertificateBytes = 64 * 1024

export const rootCertificate = {
  upload: endpoint({
    method: 'POST',
    path: '/central_console/root_ca',
    access: 'configure',
    summary: 'Set the root certificate of the central console',
    description: 'The body is one self-signed CA certificate in PEM form that is valid now.',
    rawBodyType: 'application/x-pem-file',
    bodyLimitBytes: maxCertificateBytes,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/central_console/root_ca',
    access: 'configure',
    summary: 'Remove the root certificate of the central console',
  }),
}

export const serversStatus = endpoint({
  method: 'GET',
  path: '/servers/status',
  access: 'view',
  summary: 'Show the status of the central console',
  reply: StatusItem,
})

export const ConsoleSettings = strictObject({
  domain: nullable(
    Type.String({ ...Host, description: 'Address or name by which gateways reach the console from outside.' }),
  ),
})

export const consoleSettings = settingsEndpoints({
  path: '/servers/setting',
  title: 'settings of the central console',
  schema: ConsoleSettings,
  change: 'configure',
})

export const rulesState = settingsEndpoints({
  path: '/servers/state',
  title: 'state of rule synchronization',
  schema: Enabled,
  change: 'configure',
})

const GroupName = text({ minLength: 1, maxLength: 255 })

export const ServerGroup = strictObject({
  id: Type.String(),
  name: GroupName,
  parent_id: nullable(Type.String({ 'x-refers': ['server_group'], description: 'Null for the root group.' })),
  comment: Comment,
})
export type ServerGroup = Static<typeof ServerGroup>

const NewServerGroup = strictObject({ comment: Type.Optional(Comment), name: GroupName, parent_id: GroupId })

export const serverGroups = collectionEndpoints({
  path: '/servers/groups',
  title: 'server groups',
  item: 'a server group',
  idName: 'group_id',
  change: 'configure',
  fields: NewServerGroup,
  shown: ServerGroup,
})

const Version = strictObject({
  major: Type.Integer(),
  minor: Type.Integer(),
  build: Type.Integer(),
  timestamp: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the release.' }),
  vendor: Type.String(),
  product: oneOf(['UTM']),
  kind: oneOf(['FSTEK', 'VPP', 'STANDARD', 'BPF']),
  release_type: oneOf(['release', 'beta', 'devel']),
})

/** What is stored of a gateway that connected. */
export const StoredServer = strictObject({
  id: Type.String(),
  parent_id: GroupId,
  version: Version,
  cl_tunnel_addr: Type.String({ description: 'IPv6 address of the gateway inside the tunnel.' }),
  title: Type.String(),
  approved: Type.Boolean({ description: 'Confirmed on the console; only removing the gateway ends this.' }),
  last_sync: nullable(Type.Integer({ 'x-time': 'unix' })),
  last_connect: Type.Integer({ 'x-time': 'unix' }),
  comment: Comment,
})
export type StoredServer = Static<typeof StoredServer>

export const Server = strictObject({
  ...StoredServer.properties,
  version_diff: Type.Integer({ description: 'Major version of the console minus that of the gateway.' }),
  utm_login_secret: Type.String({
    'x-secret': true,
    description: 'Masked; signing in through the console is not available yet.',
  }),
})
export type Server = Static<typeof Server>

const ServerPatch = strictObject({
  parent_id: Type.Optional(GroupId),
  approved: Type.Optional(Type.Boolean()),
})

export const connectedServers = {
  list: endpoint({
    method: 'GET',
    path: '/servers/servers',
    access: 'view',
    summary: 'List the connected gateways',
    reply: Type.Array(Server),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/servers/servers/:server_id',
    access: 'configure',
    summary: 'Move a connected gateway to a group, or confirm its connection',
    body: ServerPatch,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/servers/servers/:server_id',
    access: 'configure',
    summary: 'Remove a connected gateway',
  }),
}
