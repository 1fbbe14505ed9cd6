// The firewall on the wire: every kind of condition and action, set through the API and seen by real TCP and UDP between
// the lab's client and its internet.

import assert from 'node:assert/strict'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const client = '10.10.0.2'
const otherClient = '10.10.0.3'
const server = '198.51.100.20'
const servers = ['198.51.100.20', '198.51.100.21', '198.51.100.22', '198.51.100.23']
const gatewayInside = '10.10.0.1'
const gatewayOutside = '203.0.113.2'
const ports = [8001, 8002, 8003, 8004, 8010]

describe('the firewall on the wire', () => {
  let gateway: LabGateway
  let api: ApiClient
  let wire: Wire

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    wire = new Wire(gateway, client, server)
    await wire.addAddresses('client', 'lan0', [`${otherClient}/24`])
    await wire.addAddresses(
      'internet',
      'lo',
      servers.map((address) => `${address}/32`),
    )
    await wire.listen('internet', servers, ports)
    await wire.listen('gateway', [gatewayInside], [8001])
    await until('the rules are in the kernel', async () => {
      const { body } = await api.call('GET', '/firewall/status')
      return body.every(
        (item: { name: string; status: string }) => item.name !== 'rules-in-kernel' || item.status === 'active',
      )
    })
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })
  beforeEach(async () => {
    for (const table of ['forward', 'input', 'dnat', 'snat', 'log']) {
      const { body } = await api.call('GET', `/firewall/rules/${table}`)
      for (const { id } of body) await ok('DELETE', `/firewall/rules/${table}/${id}`)
    }
    await ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] })
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const make = async (kind: string, fields: object): Promise<string> =>
    (await ok('POST', `/aliases/${kind}`, { title: 'object', comment: '', ...fields })).id
  const address = (value: string) => make('ip_addresses', { value })
  const port = (value: number) => make('ports', { value })
  const addRule = async (table: string, fields: object, query = ''): Promise<number> => {
    const shared = {
      enabled: true,
      protocol: 'any',
      comment: '',
      source_addresses: ['any'],
      destination_addresses: ['any'],
    }
    return (await ok('POST', `/firewall/rules/${table}${query}`, { ...shared, ...fields })).id
  }
  const forward = (fields: object, query = '') => addRule('forward', { action: 'drop', ...fields }, query)
  /** Rules look at one protocol where ports count, so a pair of them stands for both. */
  const forBoth = async (add: (fields: object) => Promise<number>, fields: object): Promise<number[]> => [
    await add({ ...fields, protocol: 'protocol.tcp' }),
    await add({ ...fields, protocol: 'protocol.udp' }),
  ]
  const hits = async (table: string, id: number): Promise<number> => {
    const counts = await ok('GET', `/firewall/counters/${table}`)
    return counts.find((count: { id: number }) => count.id === id)?.packets ?? 0
  }

  it('passes everything without rules, and drops what a rule drops', async () => {
    await wire.passes({ port: 8001 })
    const rule = await forward({ destination_addresses: [await address(server)] })
    await wire.isBlocked({ port: 8001 })
    assert.ok((await hits('forward', rule)) >= 2, 'the hits are counted')
    await wire.passes({ port: 8001, destination: servers[1] as string })
  })

  it('lets the first match decide, and a move changes the verdict', async () => {
    const target = await address(server)
    const drop = await forward({ destination_addresses: [target] })
    const accept = await forward({ destination_addresses: [target], action: 'accept' })
    await wire.isBlocked({ port: 8001 })
    await ok('PATCH', '/firewall/rules/forward/move', {
      params: { id: accept, anchor_item_id: drop, insert_after: false },
    })
    await wire.passes({ port: 8001 })
    await ok('PATCH', '/firewall/rules/forward/move', {
      params: { id: accept, anchor_item_id: drop, insert_after: true },
    })
    await wire.isBlocked({ port: 8001 })
    await forward({ destination_addresses: [target], action: 'accept' }, `?anchor_item_id=${drop}&insert_after=false`)
    await wire.passes({ port: 8001 })
  })

  it('matches sources, and everything but a source when negated', async () => {
    const source = await address(client)
    const rule = await forward({ source_addresses: [source] })
    await wire.isBlocked({ port: 8001 })
    await wire.passes({ port: 8001, source: otherClient })
    await ok('PATCH', `/firewall/rules/forward/${rule}`, { source_addresses_negate: true })
    await wire.passes({ port: 8001 })
    await wire.isBlocked({ port: 8001, source: otherClient })
  })

  it('matches networks, ranges, lists of objects and lists of addresses', async () => {
    const kinds: readonly [string, string][] = [
      ['a network', await make('networks', { value: '198.51.100.20/31' })],
      ['a network with a mask', await make('networks', { value: '198.51.100.20/255.255.255.254' })],
      ['a range', await make('ip_ranges', { start: servers[0], end: servers[1] })],
      [
        'a list of addresses',
        await make('ip_address_lists', {
          values: [servers[0], `${servers[1]}/32`, '192.0.2.1', '192.0.2.7', '192.0.2.9'],
        }),
      ],
      [
        'a list of objects',
        await make('lists/addresses', {
          values: [await address(servers[0] as string), await address(servers[1] as string)],
        }),
      ],
    ]
    for (const [title, id] of kinds) {
      const rule = await forward({ destination_addresses: [id] })
      await wire.isBlocked({ port: 8001 })
      await wire.isBlocked({ port: 8001, destination: servers[1] as string })
      await wire.passes({ port: 8001, destination: servers[2] as string })
      assert.ok((await hits('forward', rule)) > 0, title)
      await ok('DELETE', `/firewall/rules/forward/${rule}`)
    }
  })

  it('takes up to 200 objects in a field', async () => {
    const ids: string[] = []
    for (let n = 0; n < 198; n++) ids.push(await address(`192.0.2.${n + 1}`))
    const rule = await forward({ destination_addresses: [...ids, await address(server), await address('192.0.2.254')] })
    await wire.isBlocked({ port: 8001 })
    await wire.passes({ port: 8001, destination: servers[1] as string })
    const tooMany = await api.call('PATCH', `/firewall/rules/forward/${rule}`, {
      destination_addresses: [...ids, ...ids.slice(0, 3)],
    })
    assert.equal(tooMany.status, 422)
  })

  it('follows a change of an object that a rule uses', async () => {
    const target = await address(server)
    await forward({ destination_addresses: [target] })
    await wire.isBlocked({ port: 8001 })
    await ok('PATCH', `/aliases/ip_addresses/${target}`, { value: '192.0.2.200' })
    await wire.passes({ port: 8001 })
  })

  it('matches ports, port ranges and lists of ports, at either end', async () => {
    const range = await make('port_ranges', { start: 8002, end: 8003 })
    const list = await make('lists/ports', { values: [await port(8001), range] })
    const cases: readonly [object, number[], number[]][] = [
      [{ destination_ports: [await port(8001)] }, [8001], [8002, 8010]],
      [{ destination_ports: [range] }, [8002, 8003], [8001, 8004]],
      [{ destination_ports: [list] }, [8001, 8003], [8004, 8010]],
    ]
    for (const [fields, blocked, open] of cases) {
      const rules = await forBoth(forward, fields)
      for (const number of blocked) await wire.isBlocked({ port: number })
      for (const number of open) await wire.passes({ port: number })
      for (const id of rules) await ok('DELETE', `/firewall/rules/forward/${id}`)
    }
    await forBoth(forward, { source_ports: [await port(50123)] })
    await wire.isBlocked({ port: 8001, sourcePort: 50123 })
    await wire.passes({ port: 8001, sourcePort: 50124 })
  })

  it('matches one protocol and not the other', async () => {
    const rule = await forward({ protocol: 'protocol.udp' })
    assert.deepEqual(await wire.whichPass({ port: 8001 }), ['tcp'])
    await ok('PATCH', `/firewall/rules/forward/${rule}`, { protocol: 'protocol.tcp' })
    assert.deepEqual(await wire.whichPass({ port: 8001 }), ['udp'])
  })

  it('matches interfaces and zones, coming and going', async () => {
    const connections = await ok('GET', '/network/connections')
    const lan = connections.find((one: { type: string }) => one.type === 'lan')
    const wan = connections.find((one: { type: string }) => one.type === 'wan')
    const zone = await make('zones', {})
    await ok('PATCH', `/network/connections/${lan.id}`, { zone })
    const rows: readonly [object, boolean][] = [
      [{ incoming_interface: `interface.id.${lan.id}` }, true],
      [{ incoming_interface: `interface.id.${wan.id}` }, false],
      [{ incoming_interface: zone }, true],
      [{ incoming_interface: 'interface.local_any' }, true],
      [{ incoming_interface: 'interface.external_any' }, false],
      [{ outgoing_interface: 'interface.external_any' }, true],
      [{ outgoing_interface: zone }, false],
      [{ incoming_interface: zone, outgoing_interface: `interface.id.${wan.id}` }, true],
    ]
    for (const [fields, isBlocked] of rows) {
      const rule = await forward(fields)
      if (isBlocked) await wire.isBlocked({ port: 8001 })
      else await wire.passes({ port: 8001 })
      await ok('DELETE', `/firewall/rules/forward/${rule}`)
    }
    await ok('PATCH', `/network/connections/${lan.id}`, { zone: null })
  })

  it('works inside its hours and not outside', async () => {
    const now = new Date()
    const clock = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toTimeString().slice(0, 5)
    const week = [1, 2, 3, 4, 5, 6, 7]
    const open = await make('time_ranges', { weekdays: week, start: clock(-30), end: clock(30), period: null })
    const shut = await make('time_ranges', { weekdays: week, start: clock(60), end: clock(120), period: null })
    const past = await make('time_ranges', {
      weekdays: week,
      start: '00:00',
      end: '00:00',
      period: { first: 20200101000000, last: 20200201000000 },
    })
    const schedule = await make('lists/times', { values: [shut, open] })
    for (const [timetable, isBlocked] of [
      [[open], true],
      [[shut], false],
      [[past], false],
      [[schedule], true],
      [[shut, open], true],
    ] as const) {
      const rule = await forward({ timetable })
      if (isBlocked) await wire.isBlocked({ port: 8001 })
      else await wire.passes({ port: 8001 })
      await ok('DELETE', `/firewall/rules/forward/${rule}`)
    }
  })

  it('translates destinations: address, port, both, and a range of addresses', async () => {
    const [first, second, third] = servers as [string, string, string]
    const published = await address(first)
    const dnat = (fields: object) => addRule('dnat', { action: 'dnat', change_destination_port: null, ...fields })
    const expectAt = async (expected: readonly string[], number: number, attempt: { port: number }) => {
      for (const seen of await wire.passes(attempt)) {
        assert.ok(expected.includes(seen.server), `${seen.server} is not one of ${expected.join(', ')}`)
        assert.equal(seen.port, number)
      }
    }
    const toAddress = await dnat({ destination_addresses: [published], change_destination_address: second })
    await expectAt([second], 8001, { port: 8001 })
    assert.ok((await hits('dnat', toAddress)) > 0)
    await ok('DELETE', `/firewall/rules/dnat/${toAddress}`)

    const both = await forBoth(dnat, {
      destination_addresses: [published],
      destination_ports: [await port(8001)],
      change_destination_address: third,
      change_destination_port: '8004',
    })
    await expectAt([third], 8004, { port: 8001 })
    await expectAt([first], 8002, { port: 8002 })
    for (const id of both) await ok('DELETE', `/firewall/rules/dnat/${id}`)

    const range = await make('ip_ranges', { start: second, end: third })
    await dnat({ destination_addresses: [published], change_destination_address: range })
    await expectAt([second, third], 8001, { port: 8001 })
    await addRule(
      'dnat',
      { action: 'accept', change_destination_address: null, change_destination_port: null },
      `?insert_after=false&anchor_item_id=${(await ok('GET', '/firewall/rules/dnat'))[0].id}`,
    )
    await expectAt([first], 8001, { port: 8001 })
  })

  it('translates sources: to an address, to that of the interface, or not at all', async () => {
    const wan = (await ok('GET', '/network/connections')).find((one: { type: string }) => one.type === 'wan')
    await ok('PATCH', `/network/connections/${wan.id}`, { addresses: [...wan.addresses, '203.0.113.77/24'] })
    await ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    const seenFrom = async () => (await wire.passes({ port: 8001 })).map((seen) => seen.client)
    assert.deepEqual(await seenFrom(), [client, client])
    const rule = await addRule('snat', { action: 'snat', change_source_address: '203.0.113.77' })
    assert.deepEqual(await seenFrom(), ['203.0.113.77', '203.0.113.77'])
    await ok('PATCH', `/firewall/rules/snat/${rule}`, { change_source_address: null })
    assert.deepEqual(await seenFrom(), [gatewayOutside, gatewayOutside])
    assert.ok((await hits('snat', rule)) > 0)
    await ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true })
    await ok('PATCH', `/firewall/rules/snat/${rule}`, { action: 'accept' })
    assert.deepEqual(await seenFrom(), [client, client])
  })

  it('guards the gateway itself with input rules, and forwarding goes on', async () => {
    const self = { port: 8001, destination: gatewayInside }
    await wire.passes(self)
    const rule = await addRule('input', { action: 'drop', source_addresses: [await address(client)] })
    await wire.isBlocked(self)
    await wire.passes({ ...self, source: otherClient })
    await wire.passes({ port: 8001 })
    assert.ok((await hits('input', rule)) > 0)
  })

  it('keeps the system rules when user rules are switched off', async () => {
    await forward({})
    await wire.isBlocked({ port: 8001 })
    await ok('PATCH', '/firewall/state', { enabled: false })
    await wire.passes({ port: 8001 })
    const { stdout } = await gateway.exec('gateway', ['/usr/sbin/nft', 'list', 'table', 'inet', 'portcullis'])
    assert.match(stdout, /fwd\.sys\.established/)
    assert.doesNotMatch(stdout, /firewall\.forward\[/)
    await ok('PATCH', '/firewall/state', { enabled: true })
    await wire.isBlocked({ port: 8001 })
  })

  it('keeps hits over changes of other rules, over restarts of both processes', async () => {
    const rule = await forward({ destination_addresses: [await address(server)] })
    await wire.isBlocked({ port: 8001 })
    const before = await hits('forward', rule)
    assert.ok(before > 0)
    await forward(
      { destination_addresses: [await address('192.0.2.44')] },
      `?anchor_item_id=${rule}&insert_after=false`,
    )
    await ok('PATCH', `/firewall/rules/forward/${rule}`, { comment: 'changed' })
    assert.equal(await hits('forward', rule), before)
    await gateway.killGatewayd()
    await until('it answers', async () => (await api.call('GET', '/firewall/state')).status === 200)
    assert.equal(await hits('forward', rule), before)
    await gateway.killApplyd()
    await until('counters are read', async () => (await api.call('GET', '/firewall/counters/forward')).status === 200)
    assert.equal(await hits('forward', rule), before)
    await gateway.exec('gateway', ['/usr/sbin/nft', 'delete', 'table', 'inet', 'portcullis'])
    await until(
      'the rules are back',
      async () => {
        const { body } = await api.call('GET', '/firewall/status')
        return body.find((item: { name: string }) => item.name === 'rules-in-kernel').status === 'active'
      },
      60_000,
    )
    assert.ok((await hits('forward', rule)) >= before, 'hits seen before are not lost with the table')
  })

  it('filters in the netdev ingress hook in each mode', async () => {
    const clientMac = '02:00:0a:0a:00:02'
    const rows: readonly [string, string, object][] = [
      ['src-ip', 'hw_rules_src_ip', { source_ip: client }],
      ['dst-ip', 'hw_rules_dst_ip', { destination_ip: server }],
      ['src-and-dst-ip', 'hw_rules_src_dst_ip', { source_ip: client, destination_ip: server }],
    ]
    for (const [mode, path, fields] of rows) {
      await ok('PATCH', '/firewall/hw_settings', { mode })
      await wire.passes({ port: 8001 })
      const { id } = await ok('POST', `/firewall/${path}`, { enabled: true, comment: '', ...fields })
      await wire.isBlocked({ port: 8001 })
      await ok('PATCH', '/firewall/state', { enabled: false })
      await wire.passes({ port: 8001 })
      await ok('PATCH', '/firewall/state', { enabled: true })
      await ok('DELETE', `/firewall/${path}/${id}`)
      await wire.passes({ port: 8001 })
    }
    await ok('PATCH', '/firewall/hw_settings', { mode: 'mac' })
    const { id } = await ok('POST', '/firewall/hw_rules_mac', {
      mac: clientMac,
      protocol: 2054,
      comment: '',
      enabled: true,
    })
    // With its ARP dropped the client cannot find the gateway any more.
    await gateway.exec('client', ['/usr/sbin/ip', 'neigh', 'flush', 'all'])
    await gateway.exec('gateway', ['/usr/sbin/ip', 'neigh', 'flush', 'all'])
    await wire.isBlocked({ port: 8001 })
    await ok('DELETE', `/firewall/hw_rules_mac/${id}`)
    await wire.passes({ port: 8001 })
  })

  it('tries a change in a dry run without doing it', async () => {
    const rule = await forward({ destination_addresses: [await address('192.0.2.1')] })
    const { body } = await api.call('PATCH', `/firewall/rules/forward/${rule}?dry_run=true`, { action: 'accept' })
    assert.equal(body.dry_run, true)
    assert.equal((await ok('GET', '/firewall/rules/forward'))[0].action, 'drop')
    await wire.passes({ port: 8001 })
  })

  it('resolves domains into addresses and keeps them fresh', async () => {
    const domain = await make('domains', { value: 'www.example.test' })
    await until('the name is resolved', async () => {
      const { body } = await api.call('GET', '/aliases/domains_state')
      return body.find((one: { id: string }) => one.id === domain)?.addresses.includes('198.51.100.10')
    })
    const rule = await forward({ destination_addresses: [domain] })
    const fetchWeb = () => gateway.exec('client', ['/usr/bin/curl', '-sS', '-m', '1', 'http://198.51.100.10/'])
    await until('the web server is blocked', async () => (await fetchWeb()).code !== 0)
    assert.ok((await hits('forward', rule)) > 0)
    await wire.passes({ port: 8001 })
  })

  it('knows countries from the database that the operator supplies', async () => {
    copyFileSync(join(import.meta.dirname, '../fixtures/geoip-test.mmdb'), join(gateway.stateDir, 'geoip.mmdb'))
    chmodSync(join(gateway.stateDir, 'geoip.mmdb'), 0o644)
    const germany = await make('lists/iplists', { values: ['iplist.id.276'] })
    const france = await make('lists/iplists', { values: ['iplist.id.250'] })
    await until('it is read', async () => (await ok('GET', '/aliases/geoip_state')).loaded)
    const rule = await forward({ destination_addresses: [france] })
    await wire.passes({ port: 8001 })
    await ok('PATCH', `/firewall/rules/forward/${rule}`, { destination_addresses: [germany] })
    await wire.isBlocked({ port: 8001 })
  })

  it('lets access control lists decide before the rules, entry by entry', async () => {
    const entry = { saddr: '10.10.0.0/24', daddr: '198.51.100.0/24', proto: 'ip', action: 'allow' }
    const ports = { sport_min: 0, sport_max: 0, dport_min: 0, dport_max: 0 }
    const denied = { ...entry, ...ports, proto: 'tcp', dport_min: 8002, dport_max: 8003, action: 'deny' }
    const { id } = await ok('POST', '/acl/rules', { name: 'servers', value: [denied, { ...entry, ...ports }] })
    await ok('PATCH', '/acl/acl-order', { acl_ordered_list: [{ src: [], hip: [], acl: id }] })
    await ok('PATCH', '/acl/acl-state', { enabled: true, default_action: 'deny', logging_enabled: false })
    assert.deepEqual(await wire.whichPass({ port: 8002 }), ['udp'])
    await wire.passes({ port: 8001 })
    await forward({ protocol: 'protocol.udp' })
    assert.deepEqual(await wire.whichPass({ port: 8001 }), ['tcp'])
    await ok('PATCH', '/acl/acl-order', { acl_ordered_list: [] })
    assert.deepEqual(await wire.whichPass({ port: 8001 }), [])
    await ok('PATCH', '/acl/acl-state', { enabled: false })
    assert.deepEqual(await wire.whichPass({ port: 8001 }), ['tcp'])
  })

  it('tests rules with real packets, and blocks traffic while a test fails', async () => {
    const rule = await forward({ destination_addresses: [await address(server)] })
    const lan = (await ok('GET', '/network/connections')).find((one: { type: string }) => one.type === 'lan')
    const check = {
      ...{ enabled: true, comment: '', incoming_interface: `interface.id.${lan.id}`, src_ip: client, src_port: 50_000 },
      ...{ protocol: 'tcp', dst_ip: server, dst_port: 8001, expected_result: 'drop' },
    }
    const dropped = (await ok('POST', '/firewall/checks_packets', check)).id
    const other = { ...check, protocol: 'udp', dst_ip: servers[1], expected_result: 'accept' }
    const accepted = (await ok('POST', '/firewall/checks_packets', other)).id
    const run = async () => {
      await ok('POST', '/firewall/checks_start')
      await until('the run is over', async () => !(await ok('GET', '/firewall/checks_result')).in_progress, 60_000)
      return ok('GET', '/firewall/checks_result')
    }
    const first = await run()
    assert.deepEqual(first.data[dropped], { result: 'drop', rule_id: `fwd.ngfw.${rule}`, verdict: true })
    assert.deepEqual(first.data[accepted], { result: 'accept', rule_id: 'fwd.sys.default', verdict: true })
    assert.equal(await hits('forward', rule), 0, 'a test is no traffic')

    await ok('PATCH', '/firewall/checks_settings', { block_traffic: true })
    await ok('PATCH', `/firewall/checks_packets/${accepted}`, { expected_result: 'drop' })
    assert.equal((await run()).block_status, true)
    await wire.isBlocked({ port: 8001, destination: servers[1] as string })
    await ok('PATCH', '/firewall/checks_settings', { block_traffic: false })
    await wire.isBlocked({ port: 8001, destination: servers[1] as string })
    await ok('PATCH', `/firewall/checks_packets/${accepted}`, { expected_result: 'accept' })
    assert.equal((await run()).block_status, false)
    await wire.passes({ port: 8001, destination: servers[1] as string })
  })

  it('says in the 409 who uses an object', async () => {
    const target = await address('192.0.2.99')
    const rule = await forward({ destination_addresses: [target] })
    const { status, body } = await api.call('DELETE', `/aliases/ip_addresses/${target}`)
    assert.equal(status, 409)
    assert.match(JSON.stringify(body.problems), new RegExp(`FORWARD rule ${rule}`))
  })
})
