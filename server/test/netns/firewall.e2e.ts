// The firewall on the wire: every kind of condition and action, set through the API and seen by real TCP and UDP between
// the lab's client and its internet. What objects mean there is firewall-objects.e2e.ts's.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  client,
  type FirewallLab,
  gatewayInside,
  otherClient,
  server,
  servers,
  startFirewallLab,
} from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'

const gatewayOutside = '203.0.113.2'

describe('the firewall on the wire', () => {
  let lab: FirewallLab
  before(async () => {
    lab = await startFirewallLab()
  })
  after(() => lab.stop())
  beforeEach(() => lab.clear())

  /** Rules look at one protocol where ports count, so a pair of them stands for both. */
  const forBoth = async (add: (fields: object) => Promise<number>, fields: object): Promise<number[]> => [
    await add({ ...fields, protocol: 'protocol.tcp' }),
    await add({ ...fields, protocol: 'protocol.udp' }),
  ]

  it('passes everything without rules, and drops what a rule drops', async () => {
    await lab.wire.passes({ port: 8001 })
    const rule = await lab.forward({ destination_addresses: [await lab.address(server)] })
    await lab.wire.isBlocked({ port: 8001 })
    assert.ok((await lab.hits('forward', rule)) >= 2, 'the hits are counted')
    await lab.wire.passes({ port: 8001, destination: servers[1] })
  })

  it('lets the first match decide, and a move changes the verdict', async () => {
    const target = await lab.address(server)
    const drop = await lab.forward({ destination_addresses: [target] })
    const accept = await lab.forward({ destination_addresses: [target], action: 'accept' })
    await lab.wire.isBlocked({ port: 8001 })
    await lab.api.ok('PATCH', '/firewall/rules/forward/move', {
      params: { id: accept, anchor_item_id: drop, insert_after: false },
    })
    await lab.wire.passes({ port: 8001 })
    await lab.api.ok('PATCH', '/firewall/rules/forward/move', {
      params: { id: accept, anchor_item_id: drop, insert_after: true },
    })
    await lab.wire.isBlocked({ port: 8001 })
    await lab.forward(
      { destination_addresses: [target], action: 'accept' },
      `?anchor_item_id=${drop}&insert_after=false`,
    )
    await lab.wire.passes({ port: 8001 })
  })

  it('matches sources, and everything but a source when negated', async () => {
    const source = await lab.address(client)
    const rule = await lab.forward({ source_addresses: [source] })
    await lab.wire.isBlocked({ port: 8001 })
    await lab.wire.passes({ port: 8001, source: otherClient })
    await lab.api.ok('PATCH', `/firewall/rules/forward/${rule}`, { source_addresses_negate: true })
    await lab.wire.passes({ port: 8001 })
    await lab.wire.isBlocked({ port: 8001, source: otherClient })
  })

  it('matches ports, port ranges and lists of ports, at either end', async () => {
    const range = await lab.make('port_ranges', { start: 8002, end: 8003 })
    const list = await lab.make('lists/ports', { values: [await lab.port(8001), range] })
    const cases: readonly [object, number[], number[]][] = [
      [{ destination_ports: [await lab.port(8001)] }, [8001], [8002, 8010]],
      [{ destination_ports: [range] }, [8002, 8003], [8001, 8004]],
      [{ destination_ports: [list] }, [8001, 8003], [8004, 8010]],
    ]
    for (const [fields, blocked, open] of cases) {
      const rules = await forBoth(lab.forward, fields)
      for (const number of blocked) await lab.wire.isBlocked({ port: number })
      for (const number of open) await lab.wire.passes({ port: number })
      for (const id of rules) await lab.removeRule('forward', id)
    }
    await forBoth(lab.forward, { source_ports: [await lab.port(50123)] })
    await lab.wire.isBlocked({ port: 8001, sourcePort: 50123 })
    await lab.wire.passes({ port: 8001, sourcePort: 50124 })
  })

  it('matches one protocol and not the other', async () => {
    const rule = await lab.forward({ protocol: 'protocol.udp' })
    assert.deepEqual(await lab.wire.whichPass({ port: 8001 }), ['tcp'])
    await lab.api.ok('PATCH', `/firewall/rules/forward/${rule}`, { protocol: 'protocol.tcp' })
    assert.deepEqual(await lab.wire.whichPass({ port: 8001 }), ['udp'])
  })

  it('matches interfaces and zones, coming and going', async () => {
    const lan = await lab.connectionOf('lan')
    const wan = await lab.connectionOf('wan')
    const zone = await lab.make('zones', {})
    await lab.api.ok('PATCH', `/network/connections/${lan.id}`, { zone })
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
      const rule = await lab.forward(fields)
      if (isBlocked) await lab.wire.isBlocked({ port: 8001 })
      else await lab.wire.passes({ port: 8001 })
      await lab.removeRule('forward', rule)
    }
    await lab.api.ok('PATCH', `/network/connections/${lan.id}`, { zone: null })
  })

  it('works inside its hours and not outside', async () => {
    const now = new Date()
    const clock = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toTimeString().slice(0, 5)
    const week = [1, 2, 3, 4, 5, 6, 7]
    const open = await lab.make('time_ranges', { weekdays: week, start: clock(-30), end: clock(30), period: null })
    const shut = await lab.make('time_ranges', { weekdays: week, start: clock(60), end: clock(120), period: null })
    const past = await lab.make('time_ranges', {
      weekdays: week,
      start: '00:00',
      end: '00:00',
      period: { first: 20200101000000, last: 20200201000000 },
    })
    const schedule = await lab.make('lists/times', { values: [shut, open] })
    for (const [timetable, isBlocked] of [
      [[open], true],
      [[shut], false],
      [[past], false],
      [[schedule], true],
      [[shut, open], true],
    ] as const) {
      const rule = await lab.forward({ timetable })
      if (isBlocked) await lab.wire.isBlocked({ port: 8001 })
      else await lab.wire.passes({ port: 8001 })
      await lab.removeRule('forward', rule)
    }
  })

  it('translates destinations: address, port, both, and a range of addresses', async () => {
    const [first, second, third] = servers
    const published = await lab.address(first)
    const dnat = (fields: object) => lab.addRule('dnat', { action: 'dnat', change_destination_port: null, ...fields })
    const expectAt = async (expected: readonly string[], number: number, attempt: { port: number }) => {
      for (const seen of await lab.wire.passes(attempt)) {
        assert.ok(expected.includes(seen.server), `${seen.server} is not one of ${expected.join(', ')}`)
        assert.equal(seen.port, number)
      }
    }
    const toAddress = await dnat({ destination_addresses: [published], change_destination_address: second })
    await expectAt([second], 8001, { port: 8001 })
    assert.ok((await lab.hits('dnat', toAddress)) > 0)
    await lab.removeRule('dnat', toAddress)

    const both = await forBoth(dnat, {
      destination_addresses: [published],
      destination_ports: [await lab.port(8001)],
      change_destination_address: third,
      change_destination_port: '8004',
    })
    await expectAt([third], 8004, { port: 8001 })
    await expectAt([first], 8002, { port: 8002 })
    for (const id of both) await lab.removeRule('dnat', id)

    const range = await lab.make('ip_ranges', { start: second, end: third })
    await dnat({ destination_addresses: [published], change_destination_address: range })
    await expectAt([second, third], 8001, { port: 8001 })
    await lab.addRule(
      'dnat',
      { action: 'accept', change_destination_address: null, change_destination_port: null },
      `?insert_after=false&anchor_item_id=${(await lab.api.ok('GET', '/firewall/rules/dnat'))[0].id}`,
    )
    await expectAt([first], 8001, { port: 8001 })
  })

  it('translates sources: to an address, to that of the interface, or not at all', async () => {
    const wan = await lab.connectionOf('wan')
    await lab.api.ok('PATCH', `/network/connections/${wan.id}`, { addresses: [...wan.addresses, '203.0.113.77/24'] })
    await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    const seenFrom = async () => (await lab.wire.passes({ port: 8001 })).map((seen) => seen.client)
    assert.deepEqual(await seenFrom(), [client, client])
    const rule = await lab.addRule('snat', { action: 'snat', change_source_address: '203.0.113.77' })
    assert.deepEqual(await seenFrom(), ['203.0.113.77', '203.0.113.77'])
    await lab.api.ok('PATCH', `/firewall/rules/snat/${rule}`, { change_source_address: null })
    assert.deepEqual(await seenFrom(), [gatewayOutside, gatewayOutside])
    assert.ok((await lab.hits('snat', rule)) > 0)
    await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true })
    await lab.api.ok('PATCH', `/firewall/rules/snat/${rule}`, { action: 'accept' })
    assert.deepEqual(await seenFrom(), [client, client])
  })

  it('guards the gateway itself with input rules, and forwarding goes on', async () => {
    const self = { port: 8001, destination: gatewayInside }
    await lab.wire.passes(self)
    const rule = await lab.addRule('input', { action: 'drop', source_addresses: [await lab.address(client)] })
    await lab.wire.isBlocked(self)
    await lab.wire.passes({ ...self, source: otherClient })
    await lab.wire.passes({ port: 8001 })
    assert.ok((await lab.hits('input', rule)) > 0)
  })

  it('keeps the system rules when user rules are switched off', async () => {
    await lab.forward({})
    await lab.wire.isBlocked({ port: 8001 })
    await lab.api.ok('PATCH', '/firewall/state', { enabled: false })
    await lab.wire.passes({ port: 8001 })
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/sbin/nft', 'list', 'table', 'inet', 'portcullis'])
    assert.match(stdout, /fwd\.sys\.established/)
    assert.doesNotMatch(stdout, /firewall\.forward\[/)
    await lab.api.ok('PATCH', '/firewall/state', { enabled: true })
    await lab.wire.isBlocked({ port: 8001 })
  })

  it('keeps hits over changes of other rules, over restarts of both processes', async () => {
    const rule = await lab.forward({ destination_addresses: [await lab.address(server)] })
    await lab.wire.isBlocked({ port: 8001 })
    const before = await lab.hits('forward', rule)
    assert.ok(before > 0)
    await lab.forward(
      { destination_addresses: [await lab.address('192.0.2.44')] },
      `?anchor_item_id=${rule}&insert_after=false`,
    )
    await lab.api.ok('PATCH', `/firewall/rules/forward/${rule}`, { comment: 'changed' })
    assert.equal(await lab.hits('forward', rule), before)
    await lab.gateway.killGatewayd()
    await until('it answers', async () => (await lab.api.call('GET', '/firewall/state')).status === 200)
    assert.equal(await lab.hits('forward', rule), before)
    await lab.gateway.killApplyd()
    await until(
      'counters are read',
      async () => (await lab.api.call('GET', '/firewall/counters/forward')).status === 200,
    )
    assert.equal(await lab.hits('forward', rule), before)
    await lab.gateway.exec('gateway', ['/usr/sbin/nft', 'delete', 'table', 'inet', 'portcullis'])
    await lab.rulesAreInKernel()
    assert.ok((await lab.hits('forward', rule)) >= before, 'hits seen before are not lost with the table')
  })

  it('filters in the netdev ingress hook in each mode', async () => {
    const clientMac = '02:00:0a:0a:00:02'
    const rows: readonly [string, string, object][] = [
      ['src-ip', 'hw_rules_src_ip', { source_ip: client }],
      ['dst-ip', 'hw_rules_dst_ip', { destination_ip: server }],
      ['src-and-dst-ip', 'hw_rules_src_dst_ip', { source_ip: client, destination_ip: server }],
    ]
    for (const [mode, path, fields] of rows) {
      await lab.api.ok('PATCH', '/firewall/hw_settings', { mode })
      await lab.wire.passes({ port: 8001 })
      const { id } = await lab.api.ok('POST', `/firewall/${path}`, { enabled: true, comment: '', ...fields })
      await lab.wire.isBlocked({ port: 8001 })
      await lab.api.ok('PATCH', '/firewall/state', { enabled: false })
      await lab.wire.passes({ port: 8001 })
      await lab.api.ok('PATCH', '/firewall/state', { enabled: true })
      await lab.api.ok('DELETE', `/firewall/${path}/${id}`)
      await lab.wire.passes({ port: 8001 })
    }
    await lab.api.ok('PATCH', '/firewall/hw_settings', { mode: 'mac' })
    const { id } = await lab.api.ok('POST', '/firewall/hw_rules_mac', {
      mac: clientMac,
      protocol: 2054,
      comment: '',
      enabled: true,
    })
    // With its ARP dropped the client cannot find the gateway any more.
    await lab.gateway.exec('client', ['/usr/sbin/ip', 'neigh', 'flush', 'all'])
    await lab.gateway.exec('gateway', ['/usr/sbin/ip', 'neigh', 'flush', 'all'])
    await lab.wire.isBlocked({ port: 8001 })
    await lab.api.ok('DELETE', `/firewall/hw_rules_mac/${id}`)
    await lab.wire.passes({ port: 8001 })
  })

  it('tries a change in a dry run without doing it', async () => {
    const rule = await lab.forward({ destination_addresses: [await lab.address('192.0.2.1')] })
    const { body } = await lab.api.call('PATCH', `/firewall/rules/forward/${rule}?dry_run=true`, { action: 'accept' })
    assert.equal(body.dry_run, true)
    assert.equal((await lab.api.ok('GET', '/firewall/rules/forward'))[0].action, 'drop')
    await lab.wire.passes({ port: 8001 })
  })

  it('lets access control lists decide before the rules, entry by entry', async () => {
    const entry = { saddr: '10.10.0.0/24', daddr: '198.51.100.0/24', proto: 'ip', action: 'allow' }
    const ports = { sport_min: 0, sport_max: 0, dport_min: 0, dport_max: 0 }
    const denied = { ...entry, ...ports, proto: 'tcp', dport_min: 8002, dport_max: 8003, action: 'deny' }
    const { id } = await lab.api.ok('POST', '/acl/rules', { name: 'servers', value: [denied, { ...entry, ...ports }] })
    await lab.api.ok('PATCH', '/acl/acl-order', { acl_ordered_list: [{ src: [], hip: [], acl: id }] })
    await lab.api.ok('PATCH', '/acl/acl-state', { enabled: true, default_action: 'deny', logging_enabled: false })
    assert.deepEqual(await lab.wire.whichPass({ port: 8002 }), ['udp'])
    await lab.wire.passes({ port: 8001 })
    await lab.forward({ protocol: 'protocol.udp' })
    assert.deepEqual(await lab.wire.whichPass({ port: 8001 }), ['tcp'])
    await lab.api.ok('PATCH', '/acl/acl-order', { acl_ordered_list: [] })
    assert.deepEqual(await lab.wire.whichPass({ port: 8001 }), [])
    await lab.api.ok('PATCH', '/acl/acl-state', { enabled: false })
    assert.deepEqual(await lab.wire.whichPass({ port: 8001 }), ['tcp'])
  })

  it('tests rules with real packets, and blocks traffic while a test fails', async () => {
    const rule = await lab.forward({ destination_addresses: [await lab.address(server)] })
    const lan = await lab.connectionOf('lan')
    const check = {
      enabled: true,
      comment: '',
      incoming_interface: `interface.id.${lan.id}`,
      src_ip: client,
      src_port: 50_000,
      protocol: 'tcp',
      dst_ip: server,
      dst_port: 8001,
      expected_result: 'drop',
    }
    const dropped = (await lab.api.ok('POST', '/firewall/checks_packets', check)).id
    const other = { ...check, protocol: 'udp', dst_ip: servers[1], expected_result: 'accept' }
    const accepted = (await lab.api.ok('POST', '/firewall/checks_packets', other)).id
    const run = async () => {
      await lab.api.ok('POST', '/firewall/checks_start')
      await until('the run is over', async () => !(await lab.api.ok('GET', '/firewall/checks_result')).in_progress)
      return lab.api.ok('GET', '/firewall/checks_result')
    }
    const first = await run()
    assert.deepEqual(first.data[dropped], { result: 'drop', rule_id: `fwd.ngfw.${rule}`, verdict: true })
    assert.deepEqual(first.data[accepted], { result: 'accept', rule_id: 'fwd.sys.default', verdict: true })
    assert.equal(await lab.hits('forward', rule), 0, 'a test is no traffic')

    await lab.api.ok('PATCH', '/firewall/checks_settings', { block_traffic: true })
    await lab.api.ok('PATCH', `/firewall/checks_packets/${accepted}`, { expected_result: 'drop' })
    assert.equal((await run()).block_status, true)
    await lab.wire.isBlocked({ port: 8001, destination: servers[1] })
    await lab.api.ok('PATCH', '/firewall/checks_settings', { block_traffic: false })
    await lab.wire.isBlocked({ port: 8001, destination: servers[1] })
    await lab.api.ok('PATCH', `/firewall/checks_packets/${accepted}`, { expected_result: 'accept' })
    assert.equal((await run()).block_status, false)
    await lab.wire.passes({ port: 8001, destination: servers[1] })
  })
  it('keeps hits over a stop and a start of the whole gateway', async () => {
    const rule = await lab.forward({ destination_addresses: [await lab.address(server)] })
    await lab.wire.isBlocked({ port: 8001 })
    const seen = await lab.hits('forward', rule)
    assert.ok(seen > 0)
    // No one asks for these before the end.
    await lab.wire.isBlocked({ port: 8002 })
    lab = await lab.restart()
    const kept = await lab.hits('forward', rule)
    assert.ok(kept > seen, `${kept} hits after the start, ${seen} were seen long before the end`)
    await lab.wire.isBlocked({ port: 8001 })
    assert.ok((await lab.hits('forward', rule)) > kept, 'the new kernel table counts on')
  })
})
