// Hardware filtering: packets that are dropped before all other rules (docs/behaviour/firewall.md 7).

import type { Static, TObject, TOptional, TProperties } from 'typebox'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export const maxHardwareRules = 2_500

export const Address = Type.String({
  pattern: `^${addressPattern}$`,
  'x-fault': 'Must be an IPv4 address such as 192.0.2.1.',
})

export const HardwareSettings = strictObject({
  mode: oneOf(['mac', 'src-ip', 'dst-ip', 'src-and-dst-ip'], 'Which of the four lists is used.'),
})

export const hardwareSettings = settingsEndpoints({
  path: '/firewall/hw_settings',
  title: 'mode of hardware filtering',
  schema: HardwareSettings,
  change: 'firewall',
})

const shared = { enabled: Type.Boolean(), comment: Comment }

const Mac = Type.String({
  pattern: '^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$',
  'x-fault': 'Must be a MAC address in lower case such as 11:22:33:aa:bb:cc.',
})

const macFields = {
  mac: Mac,
  protocol: Type.Integer({ minimum: 1, maximum: 65_535, description: 'EtherType; 2048 (IPv4) must not be used.' }),
}
const sourceFields = { source_ip: Address }
const destinationFields = { destination_ip: Address }
const pairFields = { ...sourceFields, ...destinationFields }

const stored = <P extends TProperties>(fields: P) => strictObject({ id: Type.String(), ...fields, ...shared })
const creation = <P extends TProperties>(fields: P) =>
  strictObject({ ...fields, enabled: Type.Optional(shared.enabled), comment: Type.Optional(shared.comment) })
type Changes<P extends TProperties> = { [N in keyof P]: TOptional<P[N]> }

const changes = <P extends TProperties>(fields: P): TObject<Changes<P & typeof shared>> =>
  strictObject(
    Object.fromEntries(
      Object.entries({ ...fields, ...shared }).map(([name, schema]) => [name, Type.Optional(schema)]),
    ) as Changes<P & typeof shared>,
  )

export const MacRule = stored(macFields)
export const SourceRule = stored(sourceFields)
export const DestinationRule = stored(destinationFields)
export const PairRule = stored(pairFields)
export type MacRule = Static<typeof MacRule>
export type SourceRule = Static<typeof SourceRule>
export type DestinationRule = Static<typeof DestinationRule>
export type PairRule = Static<typeof PairRule>

const hardwareEndpoints = <N extends TObject, V extends TObject, C extends TObject>(
  name: string,
  title: string,
  fields: N,
  shown: V,
  patch: C,
) =>
  collectionEndpoints({
    path: `/firewall/hw_rules_${name}`,
    title: `hardware rules by ${title}`,
    item: `a hardware rule by ${title}`,
    idName: 'rule_id',
    change: 'firewall',
    fields,
    patch,
    shown,
  })

/** The published form of a change has no id in its path. */
const idInBody = <P extends TProperties>(name: string, title: string, fields: P) =>
  endpoint({
    method: 'PATCH',
    path: `/firewall/hw_rules_${name}`,
    errors: ['not_found'],
    access: 'firewall',
    summary: `Change a hardware rule by ${title}, its id in the body`,
    body: strictObject({ id: Type.String({ minLength: 1, maxLength: 80 }), ...changes(fields).properties }),
  })

export const macRules = hardwareEndpoints('mac', 'MAC', creation(macFields), MacRule, changes(macFields))

export const sourceRules = {
  ...hardwareEndpoints('src_ip', 'source', creation(sourceFields), SourceRule, changes(sourceFields)),
  updateByBody: idInBody('src_ip', 'source', sourceFields),
}

export const destinationRules = {
  ...hardwareEndpoints(
    'dst_ip',
    'destination',
    // With a source it makes a pair rule: the published form of that creation.
    strictObject({ ...creation(destinationFields).properties, source_ip: Type.Optional(Address) }),
    DestinationRule,
    changes(destinationFields),
  ),
  updateByBody: idInBody('dst_ip', 'destination', destinationFields),
}

export const pairRules = hardwareEndpoints(
  'src_dst_ip',
  'source and destination',
  creation(pairFields),
  PairRule,
  changes(pairFields),
)
