// Rule tests: packets that are sent through a copy of the rules, and what is expected of them (docs/behaviour/firewall.md 6).

import type { Static } from 'typebox'
import { interfaceKinds, refers } from '../../core/contract/annotations.ts'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Address } from './contract-hardware.ts'
import { ObjectId } from './contract-rules.ts'

const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

const fields = {
  enabled: Type.Boolean({ description: 'A disabled test is not run.' }),
  protocol: oneOf(['tcp', 'udp']),
  src_ip: Address,
  dst_ip: Address,
  src_port: Port,
  dst_port: Port,
  incoming_interface: refers(interfaceKinds, ObjectId),
  expected_result: oneOf(['drop', 'accept']),
  comment: Comment,
}

export const CheckFields = strictObject({
  ...fields,
  enabled: Type.Optional(fields.enabled),
  comment: Type.Optional(fields.comment),
})

export const Check = strictObject({ id: Type.String(), ...fields })
export type Check = Static<typeof Check>

const base = collectionEndpoints({
  path: '/firewall/checks_packets',
  title: 'rule tests',
  item: 'a rule test',
  idName: 'check_id',
  change: 'firewall',
  fields: CheckFields,
  shown: Check,
})

export const checks = {
  ...base,
  update: endpoint({
    method: 'PATCH',
    path: base.update.path,
    access: 'firewall',
    summary: base.update.summary,
    description: 'Any subset of the fields. Without a body the test is removed.',
    body: patchOf(strictObject(fields)),
    isBodyOptional: true,
  }),
  copy: endpoint({
    method: 'POST',
    path: '/firewall/checks_packets/:check_id/copy',
    access: 'firewall',
    summary: 'Copy a rule test',
    reply: CreatedString,
  }),
}

export const startChecks = endpoint({
  method: 'POST',
  path: '/firewall/checks_start',
  errors: ['conflict'],
  access: 'firewall',
  effect: 'action',
  summary: 'Run the enabled rule tests',
  description: 'Discards the results of the last run and answers at once; checks_result shows the progress.',
})

export const CheckResult = strictObject({
  result: oneOf(['drop', 'accept']),
  rule_id: Type.String({
    description: 'fwd.ngfw.<n>: FORWARD rule n; inp.ngfw: an INPUT rule; fwd.sys.<x>, inp.sys.<x>: a system rule.',
  }),
  verdict: Type.Boolean({ description: 'The result is the expected one.' }),
})
export type CheckResult = Static<typeof CheckResult>

export const CheckResults = strictObject({
  block_status: Type.Boolean({ description: 'Traffic is blocked now because tests failed.' }),
  in_progress: Type.Boolean(),
  check_datetime: Type.Integer({
    'x-time': 'stamp',
    description: 'Time of the last run as YYYYMMDDhhmmss; 0 when there was none.',
  }),
  data: Type.Record(Type.String(), CheckResult, { description: 'By id of the test.' }),
})

export const checkResults = endpoint({
  method: 'GET',
  path: '/firewall/checks_result',
  access: 'view',
  summary: 'Show the results of the rule tests',
  reply: CheckResults,
})

export const ChecksSettings = strictObject({
  block_traffic: Type.Boolean({
    description: 'Block all traffic through the gateway when a test fails; only a run without failures lifts it.',
  }),
})

export const checksSettings = settingsEndpoints({
  path: '/firewall/checks_settings',
  title: 'settings of the rule tests',
  schema: ChecksSettings,
  change: 'firewall',
})
