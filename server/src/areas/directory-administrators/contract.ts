// Administrators of other systems: rules for groups of AD and ALD directories (docs/behaviour/directory.md 5) and the RADIUS
// servers to ask (docs/behaviour/directory.md 6).

import type { Static } from 'typebox'
import { roleIds } from '../../core/contract/access.ts'
import { collectionEndpoints, settingsEndpoints, tableEndpoint } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, Enabled, nullable, oneOf, secretMask, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const guid = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'

export const NewRule = strictObject({
  enabled: Type.Boolean({ description: 'Whether administrators can sign in through this rule.' }),
  role: Type.Union([Type.Integer({ minimum: 1, maximum: roleIds.length }), oneOf(roleIds)], {
    description: `Access level: its name, or its number in the order ${roleIds.join(', ')}. Shown as it was sent.`,
  }),
  group_alias: Type.String({
    'x-refers': ['security_group'],
    pattern: `^security_group\\.guid\\.${guid}$`,
    maxLength: 56,
    description: 'Alias of a security group of a domain of this type.',
    'x-fault': 'Must be a security group, such as security_group.guid.6f9619ff-8b86-d011-b42d-00cf4fc964ff.',
  }),
  comment: Comment,
})
export type NewRule = Static<typeof NewRule>

export const AdministratorRule = strictObject({ id: Type.String(), ...NewRule.properties })
export type AdministratorRule = Static<typeof AdministratorRule>

export const ruleColumns = ['id', 'enabled', 'role', 'group_alias', 'comment'] as const

const notAskedYet = 'is not part of this release yet: this is stored, but no one can sign in through it.'

function ruleEndpoints(path: string, kind: string) {
  const spec = {
    path,
    title: `administrator rules of ${kind} directories`,
    item: `an administrator rule of an ${kind} directory`,
    change: 'configure',
    idName: 'rule_id',
    fields: NewRule,
    shown: AdministratorRule,
    needsFreshSignIn: true,
  } as const
  const base = collectionEndpoints(spec)
  return {
    ...base,
    list: tableEndpoint({ ...spec, columns: ruleColumns }),
    create: { ...base.create, description: `Signing in through a directory ${notAskedYet} ${base.create.description}` },
  }
}

export const adRules = ruleEndpoints('/web/admins/ad', 'AD')
export const aldRules = ruleEndpoints('/web/admins/ald', 'ALD')

const radiusStateEndpoints = settingsEndpoints({
  path: '/admins-radius-auth/state',
  title: 'state of RADIUS for administrators',
  change: 'configure',
  needsFreshSignIn: true,
  schema: Enabled,
})

export const radiusState = {
  ...radiusStateEndpoints,
  update: {
    ...radiusStateEndpoints.update,
    description: `Asking RADIUS servers ${notAskedYet} ${radiusStateEndpoints.update.description}`,
  },
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter: `2130706433` and `0x7f.1` are addresses to some programs. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

const Server = Type.String({
  pattern: `^(?:${addressPattern}|${domainPattern})?$`,
  maxLength: 253,
  description: 'IPv4 address or domain; may be empty.',
  'x-fault': 'Must be an IPv4 address or a domain name, or empty.',
})
const Port = nullable(Type.Integer({ minimum: 1, maximum: 65_535 }))
const Secret = text({
  'x-secret': true,
  maxLength: 128,
  description: `Never shown: ${secretMask} when one is set, empty otherwise.`,
})

const RadiusServer = strictObject({ server: Server, port: Port, secret: Secret })

const RadiusServerPatch = strictObject({
  server: Type.Optional(Server),
  port: Type.Optional(Port),
  secret: Type.Optional(
    nullable(text({ 'x-secret': true, maxLength: 128, description: `${secretMask} or null keeps the stored one.` })),
  ),
})
export type RadiusServerPatch = Static<typeof RadiusServerPatch>

export const RadiusSettings = strictObject({ primary: RadiusServer, secondary: RadiusServer })
export type RadiusSettings = Static<typeof RadiusSettings>

/** Bodies may say `allow_external` for `secondary`, never both (docs/behaviour/directory.md 6). */
export const RadiusPatch = strictObject({
  primary: Type.Optional(RadiusServerPatch),
  secondary: Type.Optional(RadiusServerPatch),
  allow_external: Type.Optional(
    Type.Unsafe<RadiusServerPatch>({
      ...RadiusServerPatch,
      'x-synonym-of': 'secondary',
      description: 'Another name for secondary.',
    }),
  ),
})
export type RadiusPatch = Static<typeof RadiusPatch>

export const radiusSettings = {
  show: endpoint({
    method: 'GET',
    path: '/admins-radius-auth/settings',
    access: 'view',
    summary: 'Show the RADIUS servers for administrators',
    reply: RadiusSettings,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/admins-radius-auth/settings',
    access: 'configure',
    summary: 'Change the RADIUS servers for administrators',
    description: 'Any subset of the fields; what is not sent stays. The secondary server requires a primary one.',
    needsFreshSignIn: true,
    body: RadiusPatch,
  }),
}
