// What the internet can reach by default, over every port and protocol there is: nothing. A new service cannot open itself.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { labFacts } from '../../../test/support/test-gateway.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { evaluate } from '../../domain/policy/evaluate.ts'
import { routingOf } from '../../domain/policy/evaluate-routing.ts'
import { type ProtocolName, protocols } from '../../domain/policy/model.ts'
import { state as agentState } from '../client-agent/public.ts'
import { settings } from './config.ts'
import { policyOf } from './resolve.ts'

const agentPort = 14_765
const facts = { ...labFacts, agentPort }

/** Ports that are reached, or the protocol where it has none. */
function reachedFrom(config: Config, incoming: string, source: string, destination: string): (number | string)[] {
  const policy = policyOf(config, facts)
  const routing = routingOf(facts, policy)
  const isReached = (protocol: ProtocolName, destination_port: number): boolean => {
    const packet = { source, destination, protocol, incoming_interface: incoming, time: 0 }
    const asked =
      protocol === 'tcp' || protocol === 'udp' ? { ...packet, source_port: 50_000, destination_port } : packet
    return evaluate(policy, asked, routing, { reasons: false }).verdict === 'accept'
  }
  return (Object.keys(protocols) as ProtocolName[]).flatMap((protocol): (number | string)[] =>
    protocol === 'tcp' || protocol === 'udp'
      ? Array.from({ length: 65_536 }, (_, port) => port).filter((port) => isReached(protocol, port))
      : isReached(protocol, 0)
        ? [protocol]
        : [],
  )
}

describe('from the internet', () => {
  for (const [title, destination] of [
    ['the gateway', '203.0.113.2'],
    ['the inner address of the gateway', '10.10.0.1'],
    ['a host of a local network', '10.10.0.2'],
  ] as const)
    it(`no port of ${title} can be reached by default`, () =>
      assert.deepEqual(reachedFrom({}, 'wan0', '198.51.100.9', destination), []))

  it('one port of the gateway can be reached while agents are enabled', () => {
    const enabled = write({}, agentState, { enabled: true })
    assert.deepEqual(reachedFrom(enabled, 'wan0', '198.51.100.9', '203.0.113.2'), [agentPort])
    assert.deepEqual(reachedFrom(enabled, 'wan0', '198.51.100.9', '10.10.0.2'), [])
  })
})

it('rejections are recorded where drops are', () => {
  const loggedWith = (log_mode: 'all' | 'selected' | 'nothing', log_actions: readonly 'drop'[] = []) =>
    policyOf(write({}, settings, { ...settings.initial, log_mode, log_actions: [...log_actions] }), facts).loggedActions
  assert.ok(loggedWith('all').includes('reject'))
  assert.deepEqual(loggedWith('selected', ['drop']), ['drop', 'reject'])
  assert.deepEqual(loggedWith('selected'), [])
  assert.deepEqual(loggedWith('nothing'), [])
})
