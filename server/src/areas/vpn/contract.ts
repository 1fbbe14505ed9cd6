// VPN servers for clients (docs/behaviour/vpn.md): settings, status, the connection script, who may connect, which addresses
// and which routes they get.

import type { Static } from 'typebox'
import { orderedEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, nullable, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter, so that an address is not taken for a name. */
const topLabel = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

const Sstp = strictObject({
  enabled: Type.Boolean(),
  domain: nullable(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: `^(?:${label}\\.)+${topLabel}$`,
      'x-fault': 'Must be a domain name such as vpn.example.com.',
      description: 'Domain name of the external interface; null while it is not set.',
    }),
  ),
  port: Type.Unsafe<1443 | 2443 | 3443 | 4443>({ type: 'integer', enum: [1443, 2443, 3443, 4443] }),
})

const settingsFields = {
  pptp_enabled: Type.Boolean(),
  network: Type.String({
    pattern: `^${addressPattern}/(?:1[6-9]|2[0-9]|30)$`,
    maxLength: 18,
    'x-fault': 'Must be an IPv4 network with a prefix from 16 to 30, such as 10.128.0.0/16.',
    description: 'Addresses for clients; the first one is the server.',
  }),
  zone: nullable(
    Type.String({
      'x-refers': ['zone'],
      pattern: '^zone\\.id\\.[1-9][0-9]{0,14}$',
      maxLength: 23,
      'x-fault': 'Must be the id of a zone, such as zone.id.1.',
      description: 'Zone of the interface that all VPN clients share (Lvpn0).',
    }),
  ),
  dns_suffix: Type.String({
    maxLength: 253,
    pattern: `^(?:(?:${label}\\.)*${topLabel})?$`,
    'x-fault': 'Must be a domain name such as office.example, or empty.',
    description: 'Given to clients; may be empty.',
  }),
  netflow_index: Type.Integer({ minimum: 0, maximum: 65_535 }),
}

export const VpnSettings = strictObject({ ...settingsFields, sstp: Sstp })
export type VpnSettings = Static<typeof VpnSettings>

export const vpnSettings = {
  show: endpoint({
    method: 'GET',
    path: '/vpn_servers/settings',
    access: 'view',
    summary: 'Show the settings of the VPN servers',
    reply: VpnSettings,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/vpn_servers/settings',
    access: 'configure',
    summary: 'Change the settings of the VPN servers',
    description: 'Any subset of the fields, inside sstp too; what is not sent stays.',
    body: patchOf(strictObject({ ...settingsFields, sstp: patchOf(Sstp) })),
  }),
}

export const vpnStatus = endpoint({
  method: 'GET',
  path: '/vpn_servers/status',
  access: 'view',
  summary: 'Show the status of the VPN servers',
  reply: strictObject({
    name: Type.String({ description: 'Domain name of the VPN servers; the name of the machine while none is set.' }),
    status: Type.String(),
    msg: Type.Array(Type.String()),
  }),
})

export const powershell = {
  status: endpoint({
    method: 'GET',
    path: '/vpn_servers/powershell/status',
    access: 'view',
    summary: 'Show whether connection scripts are available',
    reply: strictObject({
      sstp_available: Type.Boolean({ description: 'SSTP is enabled and its domain is set.' }),
    }),
  }),
  sstp: endpoint({
    method: 'GET',
    path: '/vpn_servers/powershell/sstp',
    errors: ['conflict'],
    access: 'view',
    summary: 'Download the script that sets up an SSTP connection on a Windows client',
    reply: Type.String(),
    alsoReplies: ['application/octet-stream'],
  }),
}

export const vpnTypes = ['pptp', 'l2tp', 'sstp', 'ikev2', 'agent-vpn-ng'] as const
export const secondFactors = ['smssvc', 'totp', 'multifactor'] as const

const idNumber = '[1-9][0-9]{0,14}'
const guid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const maxEntries = 200

const SourceId = Type.String({
  'x-refers': ['any', 'ip', 'ip_range', 'subnet', 'ip_address_list', 'list_of_iplists', 'domain'],
  pattern: `^(?:any|(?:ip|ip_range|subnet|ip_address_list|list_of_iplists|domain)\\.id\\.${idNumber})$`,
  'x-fault':
    'Must be any, or the id of one of: ip, ip_range, subnet, ip_address_list, list_of_iplists, domain; such as ip.id.1.',
})

const SubjectId = Type.String({
  'x-refers': ['any', 'user', 'group', 'security_group'],
  pattern: `^(?:any|(?:user|group)\\.id\\.(?:0|${idNumber})|security_group\\.guid\\.${guid})$`,
  'x-fault': 'Must be any, or the id of a user, a group or a security group, such as user.id.1.',
})

const RouteId = Type.String({
  'x-refers': ['ip', 'subnet', 'domain'],
  pattern: `^(?:ip|subnet|domain)\\.id\\.${idNumber}$`,
  'x-fault': 'Must be the id of one of: ip, subnet, domain; such as subnet.id.1.',
})

const limits = { minItems: 1, maxItems: maxEntries, uniqueItems: true }
const Title = text({ maxLength: 42, description: 'May be empty.' })
const Subjects = Type.Array(SubjectId, { ...limits, description: '["any"], or users, groups and security groups.' })

const accessFields = {
  sources: Type.Array(SourceId, { ...limits, description: '["any"], or objects the client connects from.' }),
  objects: Subjects,
  vpns: Type.Array(oneOf(['any', ...vpnTypes]), { ...limits, description: '["any"], or kinds of VPN.' }),
  action: oneOf(['allow', 'deny']),
}
const factors = ['not_required', ...secondFactors] as const
const optional = {
  enabled: Type.Optional(Type.Boolean({ description: 'true when left out.' })),
  title: Type.Optional(Title),
  comment: Type.Optional(Comment),
}

export const AccessRule = strictObject({
  id: Type.Integer(),
  enabled: Type.Boolean(),
  title: Title,
  ...accessFields,
  two_factor: oneOf(factors),
  comment: Comment,
})
export type AccessRule = Static<typeof AccessRule>

/** `smsaero` is another word for `smssvc`, accepted in bodies only. */
const accessBody = strictObject({
  ...optional,
  ...accessFields,
  two_factor: oneOf([...factors, 'smsaero'], 'not_required when the action is deny; smsaero means smssvc.'),
})
export type AccessFields = Static<typeof accessBody>

const leaseFields = {
  objects: Subjects,
  address: Type.String({
    pattern: `^${addressPattern}(?:/(?:[0-9]|[12][0-9]|3[0-2]|${addressPattern}))?$`,
    maxLength: 31,
    'x-fault': 'Must be an IPv4 address or network, such as 10.128.1.5 or 10.128.1.0/24.',
    description: 'One address, or a network inside that of the VPN servers.',
  }),
}

export const LeaseRule = strictObject({
  id: Type.Integer(),
  enabled: Type.Boolean(),
  title: Title,
  ...leaseFields,
  comment: Comment,
})
export type LeaseRule = Static<typeof LeaseRule>

const leaseBody = strictObject({ ...optional, ...leaseFields })

/** One place up or down, beside the move by an anchor that all ordered lists have. */
const positionEndpoint = <const Path extends string>(path: Path, item: string) =>
  endpoint({
    method: 'PATCH',
    path: `${path}/:rule_id/position` as const,
    access: 'configure',
    summary: `Move ${item} one place up or down`,
    description: 'At the edge of the list nothing changes.',
    body: strictObject({ direction: oneOf(['up', 'down']) }),
  })

const accessEndpoints = orderedEndpoints({
  path: '/vpn_servers/access_rules',
  title: 'VPN access rules in their order',
  item: 'a VPN access rule',
  idName: 'rule_id',
  change: 'configure',
  fields: accessBody,
  shown: AccessRule,
})

export const accessRules = {
  ...accessEndpoints,
  position: positionEndpoint('/vpn_servers/access_rules', 'a VPN access rule'),
}

const leaseEndpoints = orderedEndpoints({
  path: '/vpn_servers/lease_rules',
  title: 'VPN address rules in their order',
  item: 'a VPN address rule',
  idName: 'rule_id',
  change: 'configure',
  fields: leaseBody,
  shown: LeaseRule,
})

export const leaseRules = {
  ...leaseEndpoints,
  position: positionEndpoint('/vpn_servers/lease_rules', 'a VPN address rule'),
}

const flags = <const T extends readonly string[]>(names: T) =>
  strictObject(
    Object.fromEntries(names.map((name) => [name, Type.Boolean()])) as Record<
      T[number],
      ReturnType<typeof Type.Boolean>
    >,
  )

export const accessOverview = {
  vpns: endpoint({
    method: 'GET',
    path: '/vpn_servers/vpns_in_access_rules',
    access: 'view',
    summary: 'Show which kinds of VPN the access rules use',
    reply: flags(vpnTypes),
  }),
  factors: endpoint({
    method: 'GET',
    path: '/vpn_servers/two_factor_in_access_rules',
    access: 'view',
    summary: 'Show which second factors the access rules use',
    reply: flags([...secondFactors, 'smsaero']),
  }),
  ofUser: endpoint({
    method: 'GET',
    path: '/vpn_servers/user_access_rules/:user_id',
    access: 'view',
    summary: 'List the VPN access rules of a user',
    description: 'Rules that name the user, a group of the user, or any. Empty for an unknown user.',
    reply: Type.Array(AccessRule),
  }),
}

const RouteIds = Type.Array(RouteId, { maxItems: maxEntries, uniqueItems: true })

export const PushedRoutes = strictObject({
  mode: oneOf(
    ['all', 'utm', 'local', 'none', 'custom'],
    'all: everything; utm: every network behind the gateway; local: its own local networks; custom: only networks.',
  ),
  networks: RouteIds,
  excluded_networks: RouteIds,
})
export type PushedRoutes = Static<typeof PushedRoutes>

export const pushedRoutes = {
  show: endpoint({
    method: 'GET',
    path: '/vpn_servers/dhcp',
    access: 'view',
    summary: 'Show the routes pushed to VPN clients',
    reply: PushedRoutes,
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/vpn_servers/dhcp',
    access: 'configure',
    summary: 'Replace the routes pushed to VPN clients',
    body: PushedRoutes,
  }),
}
