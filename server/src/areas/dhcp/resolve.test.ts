// What entries mean on a machine: which networks are served, who is bound to what, and what the firewall lets through.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { card, facts, freeMac, lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { parseAddress, printAddress } from '../../shared/net/ipv4.ts'
import { authorizationRules } from '../authorization/config.ts'
import type { AuthorizationRule } from '../authorization/contract.ts'
import { type Connection, connections } from '../network/config.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, StaticLease } from './contract.ts'
import { showLeases } from './leases.ts'
import { bindingsOf, countUselessLeases, openServices, serviceOf } from './resolve.ts'

const server = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  options: [],
  ranges: [],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}
const annex: Connection = { ...lan, id: 4, title: 'Annex', mac: freeMac, addresses: ['10.20.0.1/24'] }
const entry = (id: number, more: Partial<Entry> = {}): Entry => ({
  id: `e${id}`,
  enabled: true,
  interface: `interface.id.${id}`,
  relay: null,
  server,
  ...more,
})
const relay = { external_servers: ['192.0.2.68', '192.0.2.67'] }

const configOf = (list: readonly Entry[], all: readonly Connection[] = [lan, wan, annex]): Config =>
  write(write({}, connections, all), entries, list)

describe('entries', () => {
  it('serve every network of their interface', () => {
    const { served } = serviceOf(configOf([entry(1), entry(4)]), facts)
    assert.deepEqual(
      served.map(({ device, tag, network }) => [device, tag, printAddress(network.address)]),
      [
        ['lan0', 'c1n0', '10.10.0.1'],
        ['eth2', 'c4n0', '10.20.0.1'],
      ],
    )
  })

  it('that cannot be served are reported, and do not stop the others', () => {
    const why = (change: Partial<typeof lan>, from = facts) => {
      const { served, unserved } = serviceOf(
        configOf([entry(1), entry(4)], [lan, wan, { ...annex, ...change } as Connection]),
        from,
      )
      assert.deepEqual(
        served.map(({ device }) => device),
        ['lan0'],
      )
      return unserved[0]?.reason
    }
    assert.equal(why({ enabled: false }), '“Annex” is disabled.')
    assert.equal(why({ mac: '02:00:00:00:00:99' }), '“Annex” has no device in this machine.')
    assert.equal(why({ addresses: [] }), '“Annex” has no address.')
    const odd = { ...facts, interfaces: [...facts.interfaces.slice(0, 2), card('a b', freeMac)] }
    assert.equal(why({}, odd), '“Annex” has a device with a name that dnsmasq does not understand.')
    assert.deepEqual(serviceOf(configOf([entry(1, { enabled: false })]), facts), {
      served: [],
      relayed: [],
      unserved: [],
    })
  })
})

describe('bindings', () => {
  const lease = (id: string, ip_address: string, last: number, enabled = true): StaticLease => ({
    id,
    enabled,
    comment: `lease ${id}`,
    ip_address,
    mac: `02:00:00:00:aa:0${last}`,
  })
  const rule = (id: string, ip: string | null, last: number | null, enabled = true): AuthorizationRule => ({
    id,
    enabled,
    ip,
    mac: last === null ? null : `02:00:00:00:aa:0${last}`,
    user_id: 1,
    always_logged: false,
    comment: `rule ${id}`,
  })
  const config = write(
    write(configOf([entry(1), entry(4)]), staticLeases, [
      lease('a', '10.10.0.40', 1),
      lease('b', '10.10.0.41', 2, false),
      lease('c', '192.168.7.7', 3),
    ]),
    authorizationRules,
    [
      rule('alone', '10.10.0.50', null),
      rule('off', '10.10.0.51', null, false),
      rule('mac', null, 4),
      rule('both', '10.10.0.52', 5),
      rule('second', '10.10.0.53', 5),
      rule('elsewhere', '10.20.0.52', 5),
      rule('clash of cards', '10.10.0.54', 1),
      rule('clash of addresses', '10.10.0.40', 6),
      rule('outside', '192.0.2.9', 7),
    ],
  )
  const { served } = serviceOf(config, facts)

  it('keep addresses that hosts use without a lease for their cards, behind everything that is set', () => {
    const usedAddresses = ['10.10.0.40', '10.10.0.50', '10.10.0.60', '10.10.0.61', '192.0.2.9'].map((text) => ({
      address: parseAddress(text) ?? 0,
      mac: '02:00:00:00:00:09',
    }))
    const found = bindingsOf(config, { ...facts, usedAddresses }, served)
    const shown = found.map(({ address, mac }) => `${printAddress(address)} ${mac?.slice(-1) ?? '-'}`)
    assert.deepEqual(
      shown.filter((line) => / 9$|\.6[01] /.test(line)),
      ['10.10.0.60 9', '10.10.0.61 -'],
    )
    assert.ok(shown.includes('10.10.0.40 1') && shown.includes('10.10.0.50 -'))
  })

  it('put static leases before rules, and never give out the address of a rule that lost or has no MAC', () => {
    assert.deepEqual(
      bindingsOf(config, facts, served).map(({ address, mac }) => `${printAddress(address)} ${mac?.slice(-1) ?? '-'}`),
      [
        '10.10.0.1 -',
        '10.10.0.40 1',
        '10.10.0.50 -',
        '10.10.0.52 5',
        '10.10.0.53 -',
        '10.10.0.54 -',
        '10.20.0.1 -',
        '10.20.0.52 5',
      ],
    )
    assert.equal(countUselessLeases(config, served), 1)
  })

  it('show in the list of leases, with their comment and interface', () => {
    const given = { hostname: 'x', expiresAt: 9 }
    const shown = showLeases(config, [
      { ...given, address: 0x0a0a0028, mac: '02:00:00:00:aa:01' },
      { ...given, address: 0x0a0a0034, mac: '02:00:00:00:aa:05' },
      { ...given, address: 0x0a14003c, mac: '02:00:00:00:aa:01' },
      { ...given, address: 0xc0000201, mac: '02:00:00:00:aa:01' },
    ])
    assert.deepEqual(
      shown.map((one) => [one.ip_address, one.interface, one.static, one.comment]),
      [
        ['10.10.0.40', 'interface.id.1', true, 'lease a'],
        ['10.10.0.52', 'interface.id.1', true, 'rule both'],
        ['10.20.0.60', 'interface.id.4', false, ''],
        ['192.0.2.1', '', false, ''],
      ],
    )
  })
})

describe('the firewall', () => {
  const opened = (...list: Entry[]) =>
    openServices(configOf(list), facts).map((one) =>
      [one.name, one.way, one.devices?.join('+') ?? '*', one.peers?.map(printAddress).join('+') ?? '*']
        .concat([`${one.sourcePort ?? '*'}->${one.destinationPort}`])
        .join(' '),
    )

  it('is opened for what is on, where it is on', () => {
    assert.deepEqual(opened(), [])
    assert.deepEqual(opened(entry(1, { enabled: false })), [])
    assert.deepEqual(opened(entry(1), entry(4)), ['dhcp input eth2+lan0 * *->67', 'dhcp output eth2+lan0 * 67->68'])
    assert.deepEqual(opened(entry(1, { server: null, relay })), [
      'dhcp input lan0 * *->67',
      'dhcp output lan0 * 67->68',
      'dhcp_relay input * 192.0.2.67+192.0.2.68 67->67',
      'dhcp_relay output * 192.0.2.67+192.0.2.68 67->67',
    ])
    assert.deepEqual(opened(entry(1), entry(4, { server: { ...server, wpad_enabled: true } })).slice(2), [
      'wpad input eth2 * *->80',
    ])
  })
})
