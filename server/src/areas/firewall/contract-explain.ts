// Which rule decides about a packet, and which rules are useless or risky: questions that change nothing.

import type { Static } from 'typebox'
import { interfaceKinds } from '../../core/contract/annotations.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const port = { minimum: 0, maximum: 65_535 }

const IpAddress = Type.String({
  pattern: '^[0-9A-Fa-f.:]{2,45}$',
  'x-fault': 'Must be an IPv4 or IPv6 address.',
  description: 'IPv4 or IPv6; both of the same kind.',
})

const UserId = Type.Union(
  [
    Type.String({
      pattern: '^(?:user\\.id\\.)?[1-9]\\d{0,14}$',
      'x-fault': 'Must be the id of a user, such as user.id.1.',
    }),
    Type.Integer({ minimum: 1 }),
  ],
  {
    'x-refers': ['user'],
    description:
      'user.id.<n>, or the number alone. Without a source, the packet comes from a session that the user has now, connected ' +
      'ones first; with one, it is judged as if the user were there.',
  },
)

export const ExplainedPacket = strictObject({
  source: Type.Optional(IpAddress),
  user: Type.Optional(UserId),
  destination: IpAddress,
  protocol: oneOf(['tcp', 'udp', 'icmp', 'gre', 'esp', 'ah']),
  source_port: Type.Optional(Type.Integer({ ...port, description: '49152 when absent.' })),
  destination_port: Type.Optional(Type.Integer({ ...port, description: 'Needed with TCP and UDP.' })),
  incoming_interface: nullable(
    Type.String({
      'x-refers': interfaceKinds,
      pattern: '^[A-Za-z0-9_.-]{1,80}$',
      'x-fault': 'Must be the id of an interface or the name of a device.',
      description: 'Id of an interface or zone, or name of a device; null when the gateway itself sends the packet.',
    }),
  ),
  time: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 253_402_300_799, 'x-time': 'unix', description: 'Unix seconds; now.' }),
  ),
})

export type ExplainedPacket = Static<typeof ExplainedPacket>

const Call = strictObject({
  method: oneOf(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'With its query, such as /firewall/rules/input?...',
  }),
  body: Type.Optional(Type.Unknown()),
})

const RuleMention = {
  table: oneOf(['forward', 'input', 'dnat', 'snat', 'log']),
  id: Type.Integer(),
  origin: Type.String({ description: 'As in the kernel, such as firewall.forward[7].' }),
}

const Step = strictObject({
  stage: Type.String({
    description:
      'hardware_filter, log_marks, dnat, routing, authorization, web_proxy, access_lists, forward, input, inspection ...',
  }),
  text: Type.String(),
  rule: nullable(strictObject(RuleMention)),
  passed: Type.Array(strictObject({ ...RuleMention, field: Type.String(), reason: Type.String() }), {
    description: 'Rules that did not match, and why: the last thousand before the decision.',
  }),
  passed_count: Type.Integer(),
})

const Verdict = oneOf(['accept', 'drop', 'reject'], 'reject: dropped with an answer to the sender.')

const OutcomeInspection = strictObject({
  ips_profile: nullable(Type.String({ description: 'Id of the profile of intrusion prevention.' })),
  dpi_profile: nullable(Type.String({ description: 'Id of the profile of application control.' })),
  application_rule: nullable(
    Type.Integer({ description: 'Id of the application control rule from which on these are asked.' }),
  ),
  on_failure: oneOf(['pass', 'block'], 'What happens to the connection while the inspection engine does not run.'),
  ready: Type.Boolean({ description: 'False: the engine does not inspect this yet, and on_failure holds.' }),
})
export type OutcomeInspection = Static<typeof OutcomeInspection>

const Outcome = strictObject({
  destination: nullable(Type.String()),
  destination_port: nullable(Type.String()),
  path: oneOf(['input', 'forward', 'output', 'none']),
  outgoing_interface: nullable(Type.String()),
  verdict: Verdict,
  decided_by: nullable(Type.String({ description: 'Origin of the rule that decided; null for the default.' })),
  new_source: nullable(Type.String({ description: 'interface: the address of the outgoing interface.' })),
  inspection: nullable(OutcomeInspection),
  steps: Type.Array(Step),
  logged: Type.Array(strictObject({ table: Type.String(), id: nullable(Type.Integer()), action: Type.String() }), {
    description: 'Records that would be written.',
  }),
})

const PacketUser = strictObject({
  user_id: Type.String({ 'x-refers': ['user'], description: 'user.id.<n>' }),
  login: Type.String(),
  name: Type.String(),
  session_id: nullable(Type.String({ description: 'The session by which the address belongs to the user.' })),
  type: nullable(oneOf(['ip', 'mac', 'ip_mac', 'net', 'web'], 'How the host is recognised.')),
})
export type PacketUser = Static<typeof PacketUser>

export const Explanation = strictObject({
  source: Type.String({ description: 'Where the packet comes from: as asked, or the address of the session.' }),
  source_user: nullable(PacketUser),
  destination_user: nullable(PacketUser),
  verdict: oneOf(['accept', 'drop', 'reject', 'depends'], 'depends: on what DNAT picks from its range.'),
  is_marked: Type.Boolean({ description: 'A logging rule marks the connection.' }),
  steps: Type.Array(Step),
  outcomes: Type.Array(Outcome),
  is_complete: Type.Boolean({ description: 'False when something about the answer is not certain.' }),
  incomplete_because: Type.Array(Type.String(), {
    description:
      'Why it is not complete: a rule names a domain whose addresses are not known, or there are too many paths.',
  }),
})

export const explainPacket = endpoint({
  method: 'POST',
  path: '/firewall/explain',
  errors: ['not_found'],
  example: {
    body: {
      packet: { source: '192.168.1.10', destination: '198.51.100.10', protocol: 'icmp', incoming_interface: null },
    },
  },
  access: 'view',
  effect: 'read',
  summary: 'Explain which rule decides about a packet',
  description:
    'The path of the first packet of a connection through the running configuration, through that of a past revision, ' +
    'or through the one that another call would produce; that call changes nothing. Users are where their sessions are now.',
  body: strictObject({
    packet: ExplainedPacket,
    revision: Type.Optional(Type.Integer({ minimum: 0 })),
    change: Type.Optional(Call),
  }),
  reply: Explanation,
})

export const Finding = strictObject({
  kind: oneOf(['shadowed', 'redundant', 'never_hit', 'expired', 'too_wide', 'unresolved']),
  severity: oneOf(['high', 'medium', 'low']),
  table: RuleMention.table,
  rule_id: Type.Integer(),
  text: Type.String(),
  sentences: Type.Optional(Spoken),
  proof: strictObject({
    rules: Type.Array(Type.Integer(), { description: 'Rules of the same table that cause it.' }),
    fields: Type.Array(Type.String(), { description: 'Fields in which those are wider, or which are too wide.' }),
    since: nullable(
      Type.Integer({ 'x-time': 'unix', description: 'Unix seconds since when no packet has hit the rule.' }),
    ),
  }),
})

export const showHygiene = endpoint({
  method: 'GET',
  path: '/firewall/hygiene',
  access: 'view',
  summary: 'List rules that never decide, repeat others, are never hit, have expired, are too wide or lack addresses',
  reply: Type.Array(Finding),
})

const Side = oneOf(
  ['named', 'any', 'no'],
  'named: by an address, object, user or group of the rule; any: the rule takes every address.',
)

export const TouchingRule = strictObject({
  table: oneOf(['forward', 'input', 'dnat', 'snat', 'log']),
  id: Type.Integer({ description: 'Id of the rule.' }),
  source: Side,
  destination: Side,
})
export type TouchingRule = Static<typeof TouchingRule>

export const listTouching = endpoint({
  method: 'GET',
  path: '/firewall/rules_of_address',
  access: 'view',
  summary: 'List the rules that name an address',
  description:
    'Enabled rules of all tables whose source or destination can be the address: by themselves, by their objects as they are ' +
    'resolved now, or by the user who is signed in there. Rules that take every address on both sides are left out.',
  query: strictObject({
    address: Type.String({
      pattern: '^[0-9./]{7,18}$',
      'x-fault': 'Must be an IPv4 address or network.',
      description: 'An IPv4 address, or a network such as 192.168.0.0/24: rules that name a part of it.',
    }),
  }),
  reply: Type.Array(TouchingRule),
})

export const lookUpName = endpoint({
  method: 'GET',
  path: '/firewall/name_addresses',
  access: 'view',
  summary: 'Resolve a name the way the gateway does',
  description: 'For questions about packets to a name.',
  query: strictObject({
    name: Type.String({
      maxLength: 253,
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(?:\\.[A-Za-z0-9_-]{1,63}){0,126}\\.?$',
      'x-fault': 'Must be a domain name in ASCII, such as www.example.com.',
    }),
  }),
  reply: strictObject({
    addresses: Type.Array(Type.String(), { description: 'IPv4 addresses; empty when there are none.' }),
    error: nullable(Type.String({ description: 'Why there are none, in words.' })),
  }),
})
