// The firewall log on the wire: what a rule does to a marked connection becomes a record with table, rule and action, and
// nothing else does.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { startUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const client = '10.10.0.2'
const server = '198.51.100.20'
const skip = lacking('/usr/sbin/ulogd')

interface LogRecord {
  readonly table: string
  readonly rule_id: string
  readonly action: string
  readonly protocol: string
  readonly source_port: number
  readonly text: string
}

describe('the firewall log on the wire', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let wire: Wire
  let port = ''
  let target = ''
  let sourcePort = 40_000

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    wire = new Wire(gateway, client, server)
    await wire.addAddresses('internet', 'lo', [`${server}/32`])
    await wire.listen('internet', [server], [9000])
    port = (await api.ok('POST', '/aliases/ports', { title: 'test', comment: '', value: 9000 })).id
    target = (await api.ok('POST', '/aliases/ip_addresses', { title: 'server', comment: '', value: server })).id
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })
  beforeEach(async () => {
    for (const table of ['forward', 'log']) {
      const rules = (await api.ok('GET', `/firewall/rules/${table}`)) as { id: number }[]
      for (const { id } of rules) await api.ok('DELETE', `/firewall/rules/${table}/${id}`)
    }
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: [] })
  })

  const addRule = async (table: string, fields: object): Promise<string> =>
    `${(await api.ok('POST', `/firewall/rules/${table}`, fields)).id}`
  const mark = (protocol: 'tcp' | 'udp', action: 'mark_log' | 'mark_not_log') =>
    addRule('log', { action, protocol: `protocol.${protocol}`, destination_ports: [port] })
  const markUdp = (action: 'mark_log' | 'mark_not_log') => mark('udp', action)
  const dropTarget = () => addRule('forward', { action: 'drop', destination_addresses: [target] })
  const recordsFrom = async (from: number): Promise<LogRecord[]> => {
    const records = (await api.ok('GET', `/firewall/log?source_ip=${client}&limit=1000`)) as LogRecord[]
    return records.filter(({ source_port }) => source_port === from)
  }
  /** TCP and UDP from their own port, by which the records are known. */
  const tryBlocked = async (): Promise<number> => {
    sourcePort++
    await wire.isBlocked({ port: 9000, sourcePort })
    return sourcePort
  }
  const appears = (from: number) => until('the record is there', async () => (await recordsFrom(from)).length > 0)

  for (const protocol of ['tcp', 'udp'] as const) {
    it(`tells which rule dropped a marked ${protocol} connection, and nothing about others`, async () => {
      const marking = await mark(protocol, 'mark_log')
      const drop = await dropTarget()
      const from = await tryBlocked()
      await until('the drop is recorded', async () => (await recordsFrom(from)).some(({ table }) => table === 'FWD'))
      const name = protocol.toUpperCase()
      const shown = (await recordsFrom(from)).map((one) => `${one.protocol} ${one.table} ${one.rule_id} ${one.action}`)
      assert.deepEqual(new Set(shown), new Set([`${name} FWD ${drop} drop`, `${name} LOG ${marking} mark_log`]))
      const [dropped] = (await api.ok('GET', `/firewall/log?table=FWD&rule_id=${drop}&limit=1`)) as object[]
      assert.partialDeepStrictEqual(dropped, {
        source_ip: client,
        destination_ip: server,
        destination_port: 9000,
        in_interface: 'lan0',
        out_interface: 'wan0',
        lost: 0,
        text: `${name} src ${client} sport ${from} dst ${server} dport 9000 table FWD rule ${drop} action drop`,
      })
    })
  }

  it('shows the reader in the status', async () => {
    await markUdp('mark_log')
    const items = (await api.ok('GET', '/firewall/status')) as { name: string; status: string }[]
    assert.equal(items.find(({ name }) => name === 'log')?.status, 'active')
  })

  it('is also there as CSV', async () => {
    await markUdp('mark_log')
    await dropTarget()
    const from = await tryBlocked()
    await appears(from)
    const columns = encodeURIComponent('["protocol","source_port","action"]')
    const csv = await api.ok('GET', `/firewall/log?format_type=CSV&columns=${columns}&limit=5`)
    assert.match(csv, /^protocol,source_port,action\r\n/)
    assert.match(csv, new RegExp(`^UDP,${from},drop\r$`, 'm'))
  })

  it('leaves out what a later rule takes the mark from, and only that', async () => {
    await addRule('log', { action: 'mark_log', protocol: 'any' })
    const unmark = await mark('tcp', 'mark_not_log')
    await dropTarget()
    const protocolsFrom = async (from: number) => new Set((await recordsFrom(from)).map(({ protocol }) => protocol))
    const halfSilent = await tryBlocked()
    await api.ok('DELETE', `/firewall/rules/log/${unmark}`)
    const told = await tryBlocked()
    await until('both are recorded', async () => (await protocolsFrom(told)).size === 2)
    assert.deepEqual(await protocolsFrom(halfSilent), new Set(['UDP']))
  })

  it('holds only the selected actions', async () => {
    await markUdp('mark_log')
    await dropTarget()
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'selected', log_actions: ['accept'] })
    const silent = await tryBlocked()
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'selected', log_actions: ['drop'] })
    const told = await tryBlocked()
    await appears(told)
    assert.deepEqual(await recordsFrom(silent), [])
    assert.deepEqual(new Set((await recordsFrom(told)).map(({ action }) => action)), new Set(['drop']))
  })

  it('says nothing about connections that were there before the mark', async () => {
    const upload = startUpload(gateway)
    const localPort = async (): Promise<number> => {
      const established = ['/usr/bin/ss', '-Htn', 'state', 'established', `dst ${webAddress}`]
      const { stdout } = await gateway.exec('client', established)
      return Number(/:(\d+)\s+198\.51\.100\.10:80\b/.exec(stdout)?.[1] ?? 0)
    }
    await until('the upload is under way', async () => (await localPort()) > 0)
    const before = await localPort()
    await addRule('log', { action: 'mark_log', protocol: 'any' })
    const accept = await addRule('forward', { action: 'accept', protocol: 'protocol.tcp' })
    assert.equal((await gateway.exec('client', ['/usr/bin/curl', '-sS', '-m', '60', `http://${webAddress}/`])).code, 0)
    const accepted = async () => (await api.ok('GET', `/firewall/log?rule_id=${accept}&action=accept`)) as LogRecord[]
    await until('the new connection is recorded', async () => (await accepted()).length > 0)
    assert.ok((await localPort()) === before, 'the upload still goes on')
    assert.equal((await upload.end()).code, 0)
    assert.deepEqual(await recordsFrom(before), [])
  })

  it('is kept when gatewayd dies, each record once', async () => {
    const marking = await markUdp('mark_log')
    await dropTarget()
    const from = await tryBlocked()
    const counters = (await api.ok('GET', '/firewall/counters/log')) as { id: number; packets: number }[]
    const packets = counters.find(({ id }) => `${id}` === marking)?.packets ?? 0
    assert.ok(packets > 0)
    // Each packet is marked and dropped.
    await until('all records are there', async () => (await recordsFrom(from)).length === 2 * packets)
    const known = await recordsFrom(from)
    await gateway.killGatewayd()
    await api.signIn('admin', password)
    assert.deepEqual(await recordsFrom(from), known)
  })
})
