// Which hosts are believed: in the segment only what the neighbour table or a lease confirms, behind a router only what a router
// can have sent, and never one that the configuration knows.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { facts, freeMac, lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import type { Neighbour } from '../../shared/net/neighbours.ts'
import { authorizationRules } from '../authorization/config.ts'
import { connections } from '../network/config.ts'
import { users } from '../users/config.ts'
import { slot } from './config.ts'
import { addDevices, type FoundHost, mostDevices } from './edits.ts'
import { createJudge } from './resolve.ts'

const card = '02:00:00:00:00:aa'
const neighbour = (ip: string, mac = card, device = 'lan0'): Neighbour => ({
  address: parseAddress(ip) ?? 0,
  mac,
  device,
  isReachable: true,
  confirmedAgo: null,
})
const annex = { ...lan, id: 4, title: 'Annex', mac: freeMac, addresses: ['10.20.0.1/24'] }
const plain = write(write({}, connections, [lan, wan, annex]), slot, { enabled: true, group_id: 1, networks: [] })
const limited = (...networks: string[]): Config => write(plain, slot, { enabled: true, group_id: 1, networks })
const rule = (ip: string | null, mac: string | null, enabled = true) => ({
  id: 'r',
  enabled,
  ip,
  mac,
  user_id: 7,
  always_logged: false,
  comment: '',
})
const withRule = (...given: Parameters<typeof rule>): Config => write(plain, authorizationRules, [rule(...given)])

const seen = (ip: string, neighbours: readonly Neighbour[], config = plain, device: string | null = 'lan0') => {
  const verdict = createJudge({ config, facts, neighbours, leases: [] })({
    address: ip,
    mac: card,
    device,
    seconds: null,
  })
  return typeof verdict === 'string' ? verdict : `${verdict.ip} ${verdict.mac ?? 'routed'}`
}

describe('a host of the segment', () => {
  it('is believed when the neighbour table or a lease has its address with its card', () => {
    assert.equal(seen('10.10.0.9', [neighbour('10.10.0.9')]), `10.10.0.9 ${card}`)
    assert.equal(seen('10.10.0.9', []), 'later')
    assert.equal(seen('10.10.0.9', [neighbour('10.10.0.8'), neighbour('10.10.0.9', card, 'eth2')]), 'later')
    const lease = { address: parseAddress('10.10.0.9') ?? 0, mac: card, hostname: '', expiresAt: 9 }
    const element = { address: '10.10.0.9', mac: card.toUpperCase(), device: 'lan0', seconds: null }
    assert.notEqual(createJudge({ config: plain, facts, neighbours: [], leases: [lease] })(element), 'later')
  })

  it('is not believed when another card has the address', () => {
    assert.equal(seen('10.10.0.9', [neighbour('10.10.0.9', '02:00:00:00:00:bb')]), 'passed over')
  })

  it('is passed over when a rule names it, also a disabled one, or its user is still there', () => {
    const table = [neighbour('10.10.0.9')]
    for (const config of [
      withRule(null, card),
      withRule(null, card, false),
      withRule('10.10.0.9', null),
      withRule('10.10.0.9', '02:00:00:00:00:bb'),
      withRule('10.10.0.77', card),
      withRule('10.10.0.0/28', null),
    ])
      assert.equal(seen('10.10.0.9', table, config), 'passed over')
    assert.equal(seen('10.10.0.9', table, withRule('10.10.0.128/28', null)), `10.10.0.9 ${card}`)
    const user = {
      id: 'user.id.1',
      name: 'x',
      login: 'device-02-00-00-00-00-aa',
      parent_id: 'group.id.1',
      enabled: false,
      comment: '',
      domain_type: 'local' as const,
      domain_name: '',
      ldap_guid: '',
      phone_number: null,
      password_hash: null,
    }
    assert.equal(seen('10.10.0.9', table, write(plain, users, [user])), 'passed over')
  })

  it('is passed over outside of the networks of the settings, on other devices and as the gateway', () => {
    const table = [neighbour('10.10.0.9'), neighbour('10.10.0.1'), neighbour('203.0.113.9', card, 'wan0')]
    assert.equal(seen('10.10.0.9', table, limited('10.10.0.0/29')), 'passed over')
    assert.equal(seen('10.10.0.9', table, limited('10.99.0.0/16', '10.10.0.0/24')), `10.10.0.9 ${card}`)
    assert.equal(seen('203.0.113.9', table, plain, 'wan0'), 'passed over')
    assert.equal(seen('10.10.0.9', table, plain, null), 'passed over')
    assert.equal(seen('10.10.0.1', table), 'passed over')
    assert.equal(seen('no address', table), 'passed over')
  })
})

describe('a host behind a router', () => {
  const router = [neighbour('10.10.0.254')]

  it('is believed by its address when a neighbour sent the packet', () => {
    assert.equal(seen('192.168.7.7', router), '192.168.7.7 routed')
    assert.equal(seen('192.168.7.7', []), 'later')
    assert.equal(seen('192.168.7.7', router, withRule('192.168.7.7', null, false)), 'passed over')
    assert.equal(seen('192.168.7.7', router, withRule(null, card)), '192.168.7.7 routed', 'the rule is for the router')
  })

  it('is not believed with an address of another local network, nor with a public one unless that is named', () => {
    assert.equal(seen('10.20.0.7', [...router, neighbour('10.20.0.7', card, 'eth2')]), 'passed over')
    assert.equal(seen('198.51.100.7', router), 'passed over')
    assert.equal(seen('198.51.100.7', router, limited('198.51.100.0/24')), '198.51.100.7 routed')
  })
})

describe('users for hosts', () => {
  let last = 0
  const tools = { nextId: () => ++last }
  const host = (ip: string, more: Partial<FoundHost> = {}): FoundHost => ({
    ip,
    address: parseAddress(ip) ?? 0,
    mac: null,
    hostname: '',
    vendor: '',
    ruleId: `rule-${ip}`,
    ...more,
  })
  const made = (config: Config) => (config[users.key] as { name: string; login: string; comment: string }[]) ?? []

  it('have unique names, whatever hosts call themselves, and one login for a host', () => {
    const first = addDevices(plain, tools, [host('10.10.0.9', { mac: card, hostname: 'printer', vendor: 'Maker "x"' })])
    const config = addDevices(first, tools, [
      host('10.10.0.9', { mac: card, hostname: 'printer' }),
      host('10.10.0.10', { mac: '02:00:00:00:00:ab', hostname: 'printer' }),
      host('10.10.0.11', { mac: '02:00:00:00:00:ac', hostname: '10.10.0.9' }),
      host('10.10.0.12', { mac: '02:00:00:00:00:ac' }),
      host('192.168.7.7', { hostname: 'x'.repeat(255) }),
    ])
    assert.deepEqual(
      made(config).map(({ name, login }) => `${login} ${name.slice(0, 24)}`),
      [
        'device-02-00-00-00-00-aa printer',
        'device-02-00-00-00-00-ab printer (10.10.0.10)',
        'device-02-00-00-00-00-ac 10.10.0.12',
        `device-192-168-7-7 ${'x'.repeat(24)}`,
      ],
    )
    assert.equal(made(config)[0]?.comment, `Found by device discovery at 10.10.0.9; MAC ${card}, Maker "x"`)
    const rules = config[authorizationRules.key] as { ip: string | null; mac: string | null }[]
    assert.deepEqual(
      rules.map(({ ip, mac }) => [ip, mac]),
      [
        [null, card],
        [null, '02:00:00:00:00:ab'],
        [null, '02:00:00:00:00:ac'],
        ['192.168.7.7', null],
      ],
    )
  })

  it('are not made beyond the limit, nor when discovery was turned off in the meantime', () => {
    const off = write(plain, slot, { enabled: false, group_id: 1, networks: [] })
    assert.equal(addDevices(off, tools, [host('192.168.7.7')]), off)
    const [sample] = made(addDevices(plain, tools, [host('192.168.7.7')]))
    const many = Array.from({ length: mostDevices - 1 }, (_, at) => ({
      ...sample,
      id: `user.id.${10_000 + at}`,
      name: `n${at}`,
      login: `device-${at}`,
    }))
    const full = { ...plain, [users.key]: many }
    assert.equal(made(addDevices(full, tools, [host('192.168.7.8'), host('192.168.7.9')])).length, mostDevices)
  })
})
