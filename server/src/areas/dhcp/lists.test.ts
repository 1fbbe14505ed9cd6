// Whatever way it came about, a configuration with a wrong entry or lease is refused.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { connections } from '../network/config.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, StaticLease } from './contract.ts'
import { dhcp } from './index.ts'

const relayed: Entry = {
  id: 'e',
  enabled: true,
  interface: 'interface.id.1',
  relay: { external_servers: ['192.0.2.7'] },
  server: null,
}
const lease: StaticLease = {
  id: 'l',
  enabled: true,
  ip_address: '10.10.0.7',
  mac: '02:00:00:00:00:77',
  comment: '',
}
const configOf = (stored: readonly Entry[], leases: readonly StaticLease[] = []): Config =>
  write(write(write({}, connections, [lan, wan]), entries, stored), staticLeases, leases)

describe('verification of DHCP', () => {
  const { verify } = createPlanner([dhcp])
  const fieldsOf = (config: Config) => verify(config).map(({ field }) => field)

  it('accepts what belongs together', () => {
    assert.deepEqual(fieldsOf(configOf([relayed], [lease, { ...lease, id: 'off', enabled: false }])), [])
  })

  const rows: [title: string, config: Config, fields: string[]][] = [
    ['an entry of a missing interface', configOf([{ ...relayed, interface: 'interface.id.9' }]), ['[e].interface']],
    ['an entry of a provider', configOf([{ ...relayed, interface: 'interface.id.2' }]), ['[e].interface']],
    ['an entry without service', configOf([{ ...relayed, relay: null }]), ['[e].server']],
    [
      'a relay to the gateway itself',
      configOf([{ ...relayed, relay: { external_servers: ['10.10.0.1'] } }]),
      ['[e].relay.external_servers[0]'],
    ],
    ['two entries of an interface', configOf([relayed, { ...relayed, id: 'f' }]), ['[f].interface']],
    ['a lease of an own address', configOf([], [{ ...lease, ip_address: '10.10.0.1' }]), ['[l].ip_address']],
    ['an address and a card leased twice', configOf([], [lease, { ...lease, id: 'm' }]), ['[m].ip_address', '[m].mac']],
  ]
  for (const [title, config, expected] of rows)
    it(`refuses ${title}`, () =>
      assert.deepEqual(
        fieldsOf(config).map((field) => field.replace(/^dhcp\.\w+/, '')),
        expected,
      ))

  it('refuses an entry whose interface is removed', () => {
    const { verify: again } = createPlanner([dhcp])
    assert.deepEqual(again(configOf([relayed])), [])
    assert.equal(again(write(configOf([relayed]), connections, [wan])).length, 1)
  })
})
