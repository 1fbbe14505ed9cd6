// Intrusion prevention: enabling, status, the signature base and the protected networks (docs/behaviour/intrusion-prevention.md
// 1). Signatures and profiles are in the files beside this one; exceptions (/ips/bypass) belong to the firewall.

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { CreatedString, Enabled, nullable, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export { ruleArchives, signatureChecks } from './contract-archives.ts'
export { profileRules, profiles } from './contract-profiles.ts'
export {
  customSignatures,
  listSignatureProfiles,
  listSignatures,
  showSignature,
  signatureGroups,
  signatureMatrix,
} from './contract-signatures.ts'

export const showStatus = endpoint({
  method: 'GET',
  path: '/ips/status',
  access: 'view',
  summary: 'Show the status of intrusion prevention',
  reply: Type.Array(StatusItem),
})

export const moduleState = settingsEndpoints({
  path: '/ips/state',
  title: 'state of intrusion prevention',
  schema: Enabled,
  change: 'configure',
})

const UpdateState = strictObject({
  status: oneOf(['up_to_date', 'updating', 'failed_to_update', 'disabled']),
  msg: Type.String(),
  last_update: nullable(Type.Number({ 'x-time': 'unix', description: 'Unix seconds of the newest rule file.' })),
})

export const signatureUpdates = {
  show: endpoint({
    method: 'GET',
    path: '/ips/update',
    access: 'view',
    summary: 'Show the state of the standard signatures',
    reply: UpdateState,
  }),
  showAdvanced: endpoint({
    method: 'GET',
    path: '/ips/update_advanced',
    access: 'view',
    summary: 'Show the state of the advanced signatures',
    reply: UpdateState,
  }),
  start: endpoint({
    method: 'POST',
    path: '/ips/update',
    access: 'configure',
    summary: 'Read the rule files again',
    effect: 'action',
  }),
}

const NetFields = strictObject({
  address: Type.String({
    pattern: `^${addressPattern}/(?:[1-9]|[12][0-9]|3[0-2])$`,
    'x-fault': 'Must be an IPv4 network such as 192.168.0.0/16.',
  }),
})
export const Net = strictObject({ id: Type.String(), ...NetFields.properties })
export type Net = Static<typeof Net>

export const protectedNets = {
  list: endpoint({
    method: 'GET',
    path: '/ips/nets',
    access: 'view',
    summary: 'List the protected networks',
    description: 'Rules name them $HOME_NET; $EXTERNAL_NET is everything else.',
    reply: Type.Array(Net),
  }),
  create: endpoint({
    method: 'POST',
    path: '/ips/nets',
    access: 'configure',
    summary: 'Add a protected network',
    body: NetFields,
    reply: CreatedString,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/ips/nets/:net_id',
    access: 'configure',
    summary: 'Remove a protected network',
  }),
}
