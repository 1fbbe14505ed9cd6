// Objects on the wire: what a rule that names one does to packets, and that it follows what the object means, be that
// known from the configuration, from DNS, from a database or from who sits at an address.

import assert from 'node:assert/strict'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { client, type FirewallLab, otherClient, server, servers, startFirewallLab } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'

describe('objects on the wire', () => {
  let lab: FirewallLab
  before(async () => {
    lab = await startFirewallLab()
  })
  after(() => lab.stop())
  beforeEach(() => lab.clear())

  it('matches networks, ranges, lists of objects and lists of addresses', async () => {
    const kinds: readonly [string, string][] = [
      ['a network', await lab.make('networks', { value: '198.51.100.20/31' })],
      ['a network with a mask', await lab.make('networks', { value: '198.51.100.20/255.255.255.254' })],
      ['a range', await lab.make('ip_ranges', { start: servers[0], end: servers[1] })],
      [
        'a list of addresses',
        await lab.make('ip_address_lists', {
          values: [servers[0], `${servers[1]}/32`, '192.0.2.1', '192.0.2.7', '192.0.2.9'],
        }),
      ],
      [
        'a list of objects',
        await lab.make('lists/addresses', {
          values: [await lab.address(servers[0]), await lab.address(servers[1])],
        }),
      ],
    ]
    for (const [title, id] of kinds) {
      const rule = await lab.forward({ destination_addresses: [id] })
      await lab.wire.isBlocked({ port: 8001 })
      await lab.wire.isBlocked({ port: 8001, destination: servers[1] })
      await lab.wire.passes({ port: 8001, destination: servers[2] })
      assert.ok((await lab.hits('forward', rule)) > 0, title)
      await lab.removeRule('forward', rule)
    }
  })

  it('takes up to 200 objects in a field', async () => {
    const ids: string[] = []
    for (let n = 0; n < 198; n++) ids.push(await lab.address(`192.0.2.${n + 1}`))
    const rule = await lab.forward({
      destination_addresses: [...ids, await lab.address(server), await lab.address('192.0.2.254')],
    })
    await lab.wire.isBlocked({ port: 8001 })
    await lab.wire.passes({ port: 8001, destination: servers[1] })
    const tooMany = await lab.api.call('PATCH', `/firewall/rules/forward/${rule}`, {
      destination_addresses: [...ids, ...ids.slice(0, 3)],
    })
    assert.equal(tooMany.status, 422)
  })

  it('follows a change of an object that a rule uses', async () => {
    const target = await lab.address(server)
    await lab.forward({ destination_addresses: [target] })
    await lab.wire.isBlocked({ port: 8001 })
    await lab.api.ok('PATCH', `/aliases/ip_addresses/${target}`, { value: '192.0.2.200' })
    await lab.wire.passes({ port: 8001 })
  })

  const resolution = async (domain: string): Promise<{ addresses: string[]; error: string | null } | undefined> => {
    const states = (await lab.api.ok('GET', '/aliases/domains_state')) as { id: string }[]
    return states.find(({ id }) => id === domain) as never
  }
  const resolvesTo = (domain: string, address: string) =>
    until('the name is resolved', async () => (await resolution(domain))?.addresses.includes(address) ?? false)

  it('resolves domains into addresses and keeps them fresh', async () => {
    const domain = await lab.make('domains', { value: 'www.example.test' })
    await resolvesTo(domain, '198.51.100.10')
    const rule = await lab.forward({ destination_addresses: [domain] })
    const fetchWeb = () => lab.gateway.exec('client', ['/usr/bin/curl', '-sS', '-m', '1', 'http://198.51.100.10/'])
    await until('the web server is blocked', async () => (await fetchWeb()).code !== 0)
    assert.ok((await lab.hits('forward', rule)) > 0)
    await lab.wire.passes({ port: 8001 })
  })

  it('asks the DNS server of a connection for domains', async () => {
    const dns = '198.51.100.54'
    const name = 'known-to-one-server.example.test'
    await lab.wire.addAddresses('internet', 'lo', [`${dns}/32`])
    const { code, stderr } = await lab.gateway.exec('internet', [
      '/usr/sbin/dnsmasq',
      '--conf-file=/dev/null',
      '--no-resolv',
      '--no-hosts',
      '--user=root',
      '--bind-interfaces',
      `--listen-address=${dns}`,
      '--except-interface=gw1',
      '--except-interface=gw2',
      '--pid-file=/run/second-dns.pid',
      `--address=/${name}/${server}`,
    ])
    assert.equal(code, 0, stderr)
    const domain = await lab.make('domains', { value: name })
    await until(
      'the other server denies it',
      async () => (await resolution(domain))?.error === 'The name does not exist.',
    )
    const rule = await lab.forward({ destination_addresses: [domain] })
    await lab.wire.passes({ port: 8001 })
    const unresolved = async () =>
      ((await lab.api.ok('GET', '/firewall/status')) as { name: string; status: string; msg: string[] }[]).find(
        (item) => item.name === 'unresolved-names',
      )
    const reported = await unresolved()
    assert.equal(reported?.status, 'failed')
    assert.match(reported?.msg.join(' ') ?? '', new RegExp(`FORWARD rule ${rule}: No address is known for ${name}`))
    const wan = await lab.connectionOf('wan')
    await lab.api.ok('PATCH', `/network/connections/${wan.id}`, { dns: [dns] })
    await resolvesTo(domain, server)
    await until('it is blocked', async () => (await lab.wire.whichPass({ port: 8001 })).length === 0)
    assert.equal(await unresolved(), undefined)
    await lab.wire.passes({ port: 8001, destination: servers[1] })
    await lab.api.ok('PATCH', `/network/connections/${wan.id}`, { dns: [] })
  })

  it('knows at which address a user is who is always authorized', async () => {
    const user = { name: 'holder', login: 'holder', psw: 'wooden bridge 31', parent_id: 1, comment: '' }
    const { id: user_id } = await lab.api.ok('POST', '/user_backend/users', user)
    const authorization = { enabled: true, ip: client, mac: null, user_id, always_logged: true, comment: '' }
    const { id } = await lab.api.ok('POST', '/auth/rules', authorization)
    const rule = await lab.forward({ source_addresses: [`user.id.${user_id}`] })
    const isBlocked = async (source: string) => (await lab.wire.whichPass({ port: 8001, source })).length === 0
    await until('he is blocked', () => isBlocked(client))
    assert.ok((await lab.hits('forward', rule)) > 0)
    await lab.wire.passes({ port: 8001, source: otherClient })
    await lab.api.ok('PATCH', `/auth/rules/${id}`, { ip: otherClient })
    await until('he is blocked where he went', () => isBlocked(otherClient))
    await lab.wire.passes({ port: 8001, source: client })
    await lab.api.ok('DELETE', `/auth/rules/${id}`)
    await until('nobody is known to be there', async () => !(await isBlocked(otherClient)))
  })

  it('knows countries from the database that the operator supplies', async () => {
    copyFileSync(
      join(import.meta.dirname, '..', 'fixtures', 'geoip-test.mmdb'),
      join(lab.gateway.stateDir, 'geoip.mmdb'),
    )
    chmodSync(join(lab.gateway.stateDir, 'geoip.mmdb'), 0o644)
    const germany = await lab.make('lists/iplists', { values: ['iplist.id.276'] })
    const france = await lab.make('lists/iplists', { values: ['iplist.id.250'] })
    await until('it is read', async () => (await lab.api.ok('GET', '/aliases/geoip_state')).loaded)
    const rule = await lab.forward({ destination_addresses: [france] })
    await lab.wire.passes({ port: 8001 })
    await lab.api.ok('PATCH', `/firewall/rules/forward/${rule}`, { destination_addresses: [germany] })
    await lab.wire.isBlocked({ port: 8001 })
  })

  it('says in the 409 who uses an object', async () => {
    const target = await lab.address('192.0.2.99')
    const rule = await lab.forward({ destination_addresses: [target] })
    const { status, body } = await lab.api.call('DELETE', `/aliases/ip_addresses/${target}`)
    assert.equal(status, 409)
    assert.match(JSON.stringify(body.problems), new RegExp(`FORWARD rule ${rule}`))
  })
})
