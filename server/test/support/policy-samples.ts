// Rules, policies and a packet for tests of the policy, which need only the fields that matter to the test.

import type { Packet } from '../../src/domain/policy/evaluate-trace.ts'
import {
  type Action,
  emptyPolicy,
  type Policy,
  type PolicyRule,
  type RuleTable,
} from '../../src/domain/policy/model.ts'
import { sampleWorld } from './random-policy.ts'

/** Without conditions it matches everything. */
export const ruleIn = (
  table: RuleTable,
  id: number,
  action: Action,
  conditions: Partial<PolicyRule> = {},
): PolicyRule => ({
  id,
  table,
  origin: `firewall.${table}[${id}]`,
  protocol: null,
  source: null,
  destination: null,
  sourcePorts: null,
  destinationPorts: null,
  incoming: null,
  outgoing: null,
  holders: null,
  times: null,
  action,
  ...conditions,
})

export const withRules = (rules: Partial<Policy['rules']>, more: Partial<Policy> = {}): Policy => ({
  ...emptyPolicy,
  rules: { ...emptyPolicy.rules, ...rules },
  ...more,
})

/** From inside of the sample network to a server outside. */
export const samplePacket: Packet = {
  source: '10.66.0.11',
  destination: '192.0.2.10',
  protocol: 'tcp',
  source_port: 40_000,
  destination_port: 443,
  incoming_interface: 'lan0',
  time: sampleWorld.now,
}
