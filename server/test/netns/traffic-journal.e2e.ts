// The traffic journal on the wire: as many records as connections were sent, each with its user, zones, countries and translations,
// and in a flood every hit is a record or is counted as lost.

import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { client, gatewayInside } from '../support/firewall-lab.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'
import { server, UserLab } from '../support/user-lab.ts'

const skip = lacking('/usr/sbin/ulogd')
const support = join(appRoot, 'server/test/support')
/** In a network of the country database, and no machine has it. */
const published = '203.0.113.77'
const outside = '203.0.113.2'

interface TrafficRow {
  readonly rule_id: number
  readonly src_port: number
  readonly [column: string]: string | number
}

interface Reply {
  readonly data: readonly TrafficRow[]
  readonly rows_before_limit_at_least: number
}

interface Hit {
  readonly lost: number
}

type Protocol = 'tcp' | 'udp' | 'icmp'

describe('the traffic journal on the wire', { skip }, () => {
  let lab: UserLab
  let sourcePort = 20_000
  let marking = 0

  before(async () => {
    lab = await UserLab.start()
    copyFileSync(join(appRoot, 'server/test/fixtures/geoip-test.mmdb'), join(lab.gateway.stateDir, 'geoip.mmdb'))
    await until('the countries are known', async () => (await lab.api.ok('GET', '/aliases/geoip_state')).loaded)
    const group = await lab.addGroup('Sales')
    const { id } = await lab.addUser({ login: 'ann', name: 'Ann Lee', parent_id: group })
    await lab.addRule({ ip: client, user_id: id, always_logged: true })
    await lab.sessionOf(client)
    const zone = await lab.firewall.make('zones', { title: 'Offices' })
    const { id: lan } = await lab.firewall.connectionOf('lan')
    await lab.api.ok('PATCH', `/network/connections/${lan}`, { zone })
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await lab.firewall.clear()
    await lab.api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: [] })
    marking = await lab.firewall.addRule('log', { action: 'mark_log' })
    await until('the reader runs', async () => {
      const items = (await lab.api.ok('GET', '/firewall/status')) as { name: string; status: string }[]
      return items.find(({ name }) => name === 'log')?.status === 'active'
    })
  })

  /** The first packets of so many connections, each from another port; returns the ports. */
  const send = async (protocol: Protocol, destination: string, port: number, count: number): Promise<number[]> => {
    const ports = Array.from({ length: count }, () => sourcePort++)
    const packets = ports.map((source_port) => ({
      protocol,
      source: client,
      source_port,
      destination,
      destination_port: port,
    }))
    const command = [runtimePath(appRoot), join(support, 'packet-sender.ts')]
    const { code, stderr } = await lab.gateway.exec('client', command, { input: JSON.stringify(packets) })
    assert.equal(code, 0, stderr)
    return ports
  }
  const where = (column_name: string, value: string | number) => ({ column_name, operator: 'equals', value: [value] })
  const journal = (...items: readonly object[]): Promise<Reply> => {
    const filter = encodeURIComponent(JSON.stringify([{ items }]))
    return lab.api.ok('GET', `/reports/report/firewall/journal?limit=10000&filter=${filter}`)
  }
  /** Waits until there are so many, and looks whether there are more. */
  const recordsOf = async (count: number, ...items: readonly object[]): Promise<readonly TrafficRow[]> => {
    await until(`there are ${count} records`, async () => (await journal(...items)).rows_before_limit_at_least >= count)
    const { data, rows_before_limit_at_least: total } = await journal(...items)
    assert.equal(total, count)
    assert.equal(data.length, count)
    return data
  }
  const portsOf = (rows: readonly TrafficRow[]): number[] => rows.map(({ src_port }) => src_port).sort((a, b) => a - b)
  /** Columns that all of the records have in common. */
  const shared = (rows: readonly TrafficRow[], columns: readonly string[]) => {
    const all = new Set(rows.map((row) => JSON.stringify(columns.map((column) => row[column]))))
    assert.equal(all.size, 1, [...all].join('\n'))
    return Object.fromEntries(columns.map((column) => [column, rows[0]?.[column]]))
  }
  const people = { src_user_login: 'ann', src_user_name: 'Ann Lee', src_group: 'Sales', src_zone: 'Offices' }

  it('has exactly the connections that were sent through FORWARD, with user, zone and country', async () => {
    const accept = await lab.firewall.forward({ action: 'accept', protocol: 'protocol.udp' })
    const drop = await lab.firewall.forward({ protocol: 'protocol.tcp' })
    const reject = await lab.firewall.forward({ action: 'reject', protocol: 'protocol.icmp' })
    const udp = await send('udp', server, 9000, 150)
    const tcp = await send('tcp', server, 9001, 150)
    await send('icmp', server, 0, 20)
    const accepted = await recordsOf(150, where('rule_id', accept), where('table', 'fwd'))
    assert.deepEqual(portsOf(accepted), udp)
    const common = { table: 'fwd', src_ip: client, dst_ip: server, src_location_code: '', dst_location_code: 'DE' }
    const nat = { dnat_rule_id: 0, dnat_ip: '', dnat_port: 0, snat_rule_id: 0, snat_ip: '' }
    const expected = {
      ...common,
      ...people,
      ...nat,
      dst_location_name: 'Germany',
      dst_user_login: '',
      dst_zone: 'wan0',
      protocol: 'UDP',
      action: 'accept',
      result: 'accept',
      dst_port: 9000,
    }
    assert.deepEqual(shared(accepted, Object.keys(expected)), expected)
    const dropped = await recordsOf(150, where('rule_id', drop), where('table', 'fwd'))
    assert.deepEqual(portsOf(dropped), tcp)
    const refused = { ...common, ...people, protocol: 'TCP', action: 'drop', result: 'drop', dst_port: 9001 }
    assert.deepEqual(shared(dropped, Object.keys(refused)), refused)
    const pings = await recordsOf(20, where('rule_id', reject), where('table', 'fwd'))
    const rejected = {
      ...common,
      ...people,
      protocol: 'ICMP',
      action: 'drop',
      result: 'drop',
      src_port: 0,
      dst_port: 0,
    }
    assert.deepEqual(shared(pings, Object.keys(rejected)), rejected)
  })

  it('has exactly what was sent to the gateway itself', async () => {
    const drop = await lab.firewall.addRule('input', { action: 'drop', protocol: 'protocol.udp' })
    const ports = await send('udp', gatewayInside, 7777, 100)
    const records = await recordsOf(100, where('rule_id', drop), where('table', 'inp'))
    assert.deepEqual(portsOf(records), ports)
    const expected = { ...people, table: 'inp', dst_ip: gatewayInside, dst_port: 7777, action: 'drop', dst_zone: '' }
    assert.deepEqual(shared(records, Object.keys(expected)), expected)
  })

  it('has one record of a connection that is translated twice, and the log each of its hits', async () => {
    const target = await lab.firewall.address(published)
    const port = await lab.firewall.port(80)
    const dnat = await lab.firewall.addRule('dnat', {
      action: 'dnat',
      protocol: 'protocol.udp',
      destination_addresses: [target],
      destination_ports: [port],
      change_destination_address: server,
      change_destination_port: '8001',
      comment: 'published',
    })
    const accept = await lab.firewall.forward({ action: 'accept', protocol: 'protocol.udp' })
    const snat = await lab.firewall.addRule('snat', { action: 'snat', change_source_address: null })
    const ports = await send('udp', published, 80, 150)
    const records = await recordsOf(150, where('rule_id', accept), where('table', 'fwd'))
    assert.deepEqual(portsOf(records), ports)
    const expected = {
      ...people,
      dst_ip: published,
      dst_port: 80,
      action: 'accept',
      dnat_rule_id: dnat,
      dnat_ip: server,
      dnat_port: 8001,
      snat_rule_id: snat,
      snat_ip: outside,
    }
    assert.deepEqual(shared(records, Object.keys(expected)), expected)
    for (const [column, rule] of [
      ['dnat_rule_id', dnat],
      ['snat_rule_id', snat],
    ] as const)
      await recordsOf(150, where(column, rule))
    for (const [table, rule] of [
      ['DNAT', dnat],
      ['FWD', accept],
      ['SNAT', snat],
      ['LOG', marking],
    ] as const) {
      const lines = await lab.api.ok('GET', `/firewall/log?table=${table}&rule_id=${rule}&limit=1000`)
      assert.equal(lines.length, 150, table)
    }
    const rules = encodeURIComponent(JSON.stringify([{ table: 'DNAT', rule_id: `${dnat}` }]))
    const [found] = await lab.api.ok('GET', `/firewall/log/rules?rules=${rules}`)
    assert.partialDeepStrictEqual(found, { exists: true, name: 'published', path: `/firewall/rules/dnat/${dnat}` })
  })

  it('counts every hit of a flood: each is a record, or a record says that it is lost', async () => {
    const drop = await lab.firewall.forward({ protocol: 'protocol.udp' })
    const lostNow = async (): Promise<number> => {
      const notes = (await lab.api.ok('GET', '/firewall/log?table=SYS&limit=1000')) as Hit[]
      return notes.reduce((sum, { lost }) => sum + lost, 0)
    }
    const before = await lostNow()
    // From many ports: what one connection repeats too fast is refused by the limit of its host, and is not a hit of the rule.
    const flood = `let left = 60000
      for (let port = 39000; port < 39100; port++) {
        const socket = require('dgram').createSocket('udp4')
        const next = () => { if (left-- > 0) socket.send('?', 9000, '${server}', next); else socket.close() }
        socket.bind(port, '${client}', next)
      }`
    const { code, stderr } = await lab.gateway.exec('client', [runtimePath(appRoot), '-e', flood], {
      timeoutMs: 120_000,
    })
    assert.equal(code, 0, stderr)
    // What is lost at the end of a flood is known with the next hit, if that is not lost too.
    await until('the reader has read what waits for it', async () => {
      const { stdout } = await lab.gateway.exec('gateway', ['/bin/cat', '/proc/net/netlink'])
      return netfilterQueues(stdout).every((bytes) => bytes === 0)
    })
    await send('udp', server, 9000, 1)
    const [marks, drops] = [await lab.firewall.hits('log', marking), await lab.firewall.hits('forward', drop)]
    assert.equal(drops, marks)
    assert.ok(drops > 50_000)
    const total = async (view: string): Promise<number> => {
      const filter = encodeURIComponent(
        JSON.stringify([{ items: [{ column_name: 'message', operator: 'contains', value: [view] }] }]),
      )
      return (await lab.api.ok('GET', `/logs_backend/logs?limit=1&filter=${filter}`)).rows_before_limit_at_least
    }
    const counted = async (): Promise<number> =>
      (await total(`table LOG rule ${marking} `)) +
      (await total(`table FWD rule ${drop} `)) +
      (await lostNow()) -
      before
    await until('every hit is counted', async () => (await counted()) >= marks + drops)
    assert.equal(await counted(), marks + drops)
  })
})

/** Bytes that wait in each socket for messages of netfilter, from `/proc/net/netlink`. */
const netfilterQueues = (table: string): number[] =>
  table
    .split('\n')
    .map((line) => line.split(/\s+/))
    .flatMap(([, protocol, , , waiting]) => (protocol === netfilterProtocol ? [Number(waiting)] : []))
const netfilterProtocol = '12'
