// What stays open from outside at the first start: what is in use there, and nothing else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { both, facts, lan, wan } from '../../../test/support/network-samples.ts'
import { read } from '../../model/slots.ts'
import { evaluate } from '../../policy/evaluate.ts'
import { routingOf } from '../../policy/evaluate-routing.ts'
import { ports } from '../objects/public.ts'
import { exposedPorts, keepOpen } from './adopt.ts'
import { inputRules } from './config.ts'
import { policyOf } from './resolve.ts'

const addressOf = ({ addresses }: { readonly addresses: readonly string[] }): string =>
  addresses[0]?.split('/')[0] ?? ''
const [outside, inside] = [addressOf(wan), addressOf(lan)]
const tools = () => {
  let last = 0
  return { nextId: () => ++last }
}

describe('what stays open from outside', () => {
  it('is a port of an address of an external interface, or of all addresses', () => {
    const ends = [
      ...[outside, inside, '127.0.0.1', outside].map((address) => ({ address, port: 22 })),
      { address: inside, port: 80 },
      { address: '0.0.0.0', port: 8443 },
    ]
    assert.deepEqual(exposedPorts(both, facts, ends), [22, 8443])
    assert.deepEqual(exposedPorts(both, { ...facts, interfaces: [] }, ends), [])
  })

  it('is accepted by an INPUT rule that says why, once', () => {
    const kept = keepOpen(both, tools(), [22, 8443])
    assert.deepEqual(
      read(kept, ports).map(({ value }) => value),
      [22, 8443],
    )
    assert.equal(read(kept, inputRules).length, 2)
    assert.match(read(kept, inputRules)[0]?.comment ?? '', /it was in use/)
    assert.equal(keepOpen(kept, tools(), [22, 8443]), kept)
    const verdict = (port: number) => {
      const policy = policyOf(kept, facts)
      const packet = {
        protocol: 'tcp',
        source: '192.0.2.9',
        source_port: 40_000,
        destination: outside,
        time: 0,
      } as const
      const asked = { ...packet, destination_port: port, incoming_interface: policy.externalDevices[0] ?? '' }
      return evaluate(policy, asked, routingOf(facts, policy)).verdict
    }
    assert.deepEqual([22, 8443, 80].map(verdict), ['accept', 'accept', 'drop'])
  })
})
