// What stays open from outside at the first start: what is in use there, and nothing else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { both, facts, lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { evaluate } from '../../domain/policy/evaluate.ts'
import { routingOf } from '../../domain/policy/evaluate-routing.ts'
import { connections } from '../network/public.ts'
import { ports } from '../objects/public.ts'
import { exposedPorts, keepOpen, setUpBehindFirewall } from './adopt.ts'
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

  it('is not what a rule for some, a rule that is off or one that drops names already', () => {
    const kept = keepOpen(both, tools(), [22])
    const [rule] = read(kept, inputRules)
    assert.ok(rule)
    for (const change of [
      { enabled: false },
      { action: 'drop' as const },
      { protocol: 'protocol.udp' },
      { incoming_interface: 'interface.local_any' },
      { source_addresses: ['ip.id.1'] },
      { timetable: ['timetable.id.1'] },
    ]) {
      const narrow: Config = write(kept, inputRules, [{ ...rule, ...change }])
      assert.equal(read(keepOpen(narrow, tools(), [22]), inputRules).length, 2, JSON.stringify(change))
    }
    const wide = write(kept, inputRules, [{ ...rule, incoming_interface: 'any', protocol: 'any' }])
    assert.equal(keepOpen(wide, tools(), [22]), wide)
  })
})

describe('the first set-up', () => {
  const body = {
    outside: { mac: '02:00:00:00:00:01', enable_dhcp: true, addresses: [], gateway: null, dns: [] },
    inside: { mac: '02:00:00:00:00:02', addresses: ['10.99.0.1/24'] },
  }
  const edit = { ...tools(), referencesTo: () => [] }

  it('adds the rule of the port in the same edit, and only where one is named', () => {
    for (const none of [body, { ...body, keep_ssh_port: null }])
      assert.deepEqual(read(setUpBehindFirewall({}, none, edit)[0], inputRules), [])
    const [config, ids] = setUpBehindFirewall({}, { ...body, keep_ssh_port: 2222 }, edit)
    assert.deepEqual(
      read(config, connections).map(({ id }) => id),
      [ids.outside, ids.inside],
    )
    const [rule, ...others] = read(config, inputRules)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [rule?.action, rule?.protocol, rule?.incoming_interface, rule?.enabled],
      ['accept', 'protocol.tcp', 'interface.external_any', true],
    )
    assert.match(rule?.comment ?? '', /by the first set-up, because an administrator was connected/)
    assert.deepEqual(
      read(config, ports).map(({ id, value }) => [id, value]),
      [[rule?.destination_ports[0], 2222]],
    )
    assert.equal(read(setUpBehindFirewall(config, { ...body, keep_ssh_port: 2222 }, edit)[0], inputRules).length, 1)
  })
})
