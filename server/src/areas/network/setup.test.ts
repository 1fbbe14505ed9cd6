import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GatewayError } from '../../core/contract/error.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { type Connection, connections } from './config.ts'
import type { FirstSetup } from './contract.ts'
import { setUp } from './setup.ts'

const [wan, lan, other] = ['02:00:00:00:00:01', '02:00:00:00:00:02', '02:00:00:00:00:03']
const connection = (id: number, type: 'lan' | 'wan', mac: string, address: string): Connection => ({
  id,
  type,
  title: `c${id}`,
  enabled: true,
  mac,
  enable_dhcp: false,
  addresses: [address],
  gateway: null,
  dns: [],
  vlan_tag: null,
  zone: null,
  is_vce_vlan: false,
  netflow_index: 7,
})
const configOf = (...items: Connection[]): Config => write({}, connections, items)
const wanted: FirstSetup = {
  outside: { mac: wan, enable_dhcp: false, addresses: ['203.0.113.2/24'], gateway: '203.0.113.1', dns: ['192.0.2.53'] },
  inside: { mac: lan, addresses: ['10.10.0.1/24'] },
}
const unused = { referencesTo: () => [] }
function run(config: Config, body: FirstSetup = wanted, tools: Parameters<typeof setUp>[3] = unused) {
  let last = 100
  const [next, ids] = setUp(config, body, () => ++last, tools)
  return { list: read(next, connections), ids }
}
const shown = (list: readonly Connection[]) =>
  list.map((one) => [one.id, one.type, one.mac, 'addresses' in one ? one.addresses.join() : ''])

describe('the first set-up', () => {
  it('makes both connections on a machine without any', () => {
    const { list, ids } = run(configOf())
    assert.deepEqual(ids, { outside: 101, inside: 102 })
    assert.deepEqual(shown(list), [
      [101, 'wan', wan, '203.0.113.2/24'],
      [102, 'lan', lan, '10.10.0.1/24'],
    ])
    assert.deepEqual(
      list.map(({ title, enabled }) => [title, enabled]),
      [
        ['Outside', true],
        ['Inside', true],
      ],
    )
  })

  it('keeps what names a connection of the same type, and puts the provider first', () => {
    const { list, ids } = run(
      configOf(
        connection(1, 'lan', lan, '192.168.1.1/24'),
        connection(2, 'wan', other, '198.51.100.2/24'),
        connection(3, 'wan', wan, '192.0.2.2/24'),
      ),
    )
    assert.deepEqual(ids, { outside: 3, inside: 1 })
    assert.deepEqual(shown(list), [
      [3, 'wan', wan, '203.0.113.2/24'],
      [1, 'lan', lan, '10.10.0.1/24'],
      [2, 'wan', other, '198.51.100.2/24'],
    ])
    assert.deepEqual(
      list.map(({ title, netflow_index }) => [title, netflow_index]),
      [
        ['c3', 7],
        ['c1', 7],
        ['c2', 7],
      ],
    )
  })

  it('replaces a connection of the other type, also when the cards swap their addresses', () => {
    const { list } = run(
      configOf(connection(1, 'wan', lan, '203.0.113.2/24'), connection(2, 'lan', wan, '10.10.0.1/24')),
    )
    assert.deepEqual(shown(list), [
      [101, 'wan', wan, '203.0.113.2/24'],
      [102, 'lan', lan, '10.10.0.1/24'],
    ])
  })

  it('leaves VLANs of the cards alone', () => {
    const tagged = { ...connection(1, 'lan', lan, '172.16.0.1/24'), vlan_tag: 5 } as Connection
    assert.deepEqual(run(configOf(tagged)).list.length, 3)
  })

  const refusalOf = (config: Config, body: FirstSetup, tools?: Parameters<typeof setUp>[3]): GatewayError => {
    try {
      run(config, body, tools)
    } catch (error) {
      assert.ok(error instanceof GatewayError)
      return error
    }
    return assert.fail('it was accepted')
  }

  it('names the side of a fault', () => {
    const cases: [FirstSetup, string, string][] = [
      [{ ...wanted, inside: { ...wanted.inside, mac: wan } }, 'invalid', 'inside.mac'],
      [{ ...wanted, inside: { ...wanted.inside, addresses: ['10.10.0.0/24'] } }, 'invalid', 'inside.addresses[0]'],
      [{ ...wanted, inside: { ...wanted.inside, addresses: [] } }, 'invalid', 'inside.addresses'],
      [{ ...wanted, inside: { ...wanted.inside, addresses: ['203.0.113.9/24'] } }, 'conflict', 'inside.addresses[0]'],
      [{ ...wanted, outside: { ...wanted.outside, gateway: '192.0.2.1' } }, 'invalid', 'outside.gateway'],
    ]
    for (const [body, code, field] of cases) {
      const refusal = refusalOf(configOf(), body)
      assert.deepEqual([refusal.code, refusal.problems.map((problem) => problem.field)], [code, [field]])
      assert.ok(refusal.message.startsWith(`${field}: `) || refusal.message.startsWith('The two'), refusal.message)
    }
  })

  it('refuses to replace a connection that rules name', () => {
    const tools = { referencesTo: () => [{ object: 'firewall.forward[1]', title: 'rule 1' }] } as never
    const refusal = refusalOf(configOf(connection(1, 'wan', lan, '192.0.2.2/24')), wanted, tools)
    assert.deepEqual([refusal.code, refusal.reason], ['conflict', 'in_use'])
  })
})
