// The traffic monitor on the wire: connections of the client appear with their ends, interfaces and rates, also through
// translations, and go when they end.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { startUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const client = '10.10.0.2'
const uplink = '203.0.113.2'
const server = '198.51.100.20'
const published = '198.51.100.99'

interface Session {
  readonly id: string
  readonly source_ip: string
  readonly src_aliases: readonly string[]
  readonly destination_ip: string
  readonly source_proto: string
  readonly destination_proto: string
  readonly duration: number
  readonly bps_in: number
  readonly bps_out: number
  readonly pps_out: number
  readonly in_iface_alias: string
  readonly out_iface_alias: string
}

describe('the traffic monitor on the wire', () => {
  let gateway: LabGateway
  let api: ApiClient
  let wire: Wire
  const interfaces = new Map<string, string>()

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    wire = new Wire(gateway, client, server)
    await wire.addAddresses('internet', 'lo', [`${server}/32`])
    await wire.listen('internet', [server], [9000])
    for (const { type, id } of await ok('GET', '/network/connections')) interfaces.set(type, `interface.id.${id}`)
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const find = async (sourceProtocol: string): Promise<Session | undefined> =>
    ((await ok('GET', '/reports/traffic/sessions')) as Session[]).find(
      ({ source_ip, source_proto }) => source_ip === client && source_proto === sourceProtocol,
    )
  it('can tell about sessions and their rates here', async () => {
    const items = (await ok('GET', '/reports/traffic/status')) as { name: string; status: string; msg: string[] }[]
    assert.deepEqual(
      items.map(({ name, status }) => `${name} ${status}`),
      ['sessions active', 'rates active', 'applications inactive'],
    )
  })

  it('shows a TCP connection while it lasts', async () => {
    const alias = (await ok('POST', '/aliases/ip_addresses', { title: 'client', comment: '', value: client })).id
    const upload = startUpload(gateway, '--local-port', '41000')
    await until('the upload carries bytes', async () => ((await find('TCP:41000'))?.bps_out ?? 0) > 0)
    const first = await find('TCP:41000')
    assert.partialDeepStrictEqual(first, {
      destination_ip: webAddress,
      destination_proto: 'TCP:80',
      src_aliases: [alias],
      in_iface_alias: interfaces.get('lan'),
      out_iface_alias: interfaces.get('wan'),
    })
    await until('it has lasted a second', async () => ((await find('TCP:41000'))?.duration ?? 0) > 0)
    assert.equal((await find('TCP:41000'))?.id, first?.id, 'it is still the same session')
    const sources = (await ok('GET', '/reports/traffic/top/sources')) as { source_ip: string; sessions: number }[]
    assert.ok((sources.find(({ source_ip }) => source_ip === client)?.sessions ?? 0) >= 1)
    assert.ok(!sources.some(({ source_ip }) => source_ip === uplink), 'the gateway is no host of its own')
    const { stdout } = await upload.end()
    assert.equal(JSON.parse(stdout).client, uplink, 'the server saw the translated address')
    await until('it is gone', async () => (await find('TCP:41000')) === undefined)
  })

  it('shows UDP through a translated destination, until the kernel forgets it', async () => {
    const forget = ['/usr/bin/tee', '/proc/sys/net/netfilter/nf_conntrack_udp_timeout']
    assert.equal((await gateway.exec('gateway', forget, { input: '3' })).code, 0)
    const [from, to] = await Promise.all(
      [published, server].map((value) => ok('POST', '/aliases/ip_addresses', { title: value, comment: '', value })),
    )
    await ok('POST', '/firewall/rules/dnat', {
      action: 'dnat',
      protocol: 'protocol.udp',
      destination_addresses: [from.id],
      change_destination_address: to.id,
      change_destination_port: null,
    })
    let session: Session | undefined
    await until('the session is there', async () => {
      await wire.whichPass({ destination: published, port: 9000, sourcePort: 41_001 }, 800)
      session = await find('UDP:41001')
      return session !== undefined
    })
    assert.partialDeepStrictEqual(session, {
      destination_ip: server,
      destination_proto: 'UDP:9000',
      in_iface_alias: interfaces.get('lan'),
      out_iface_alias: interfaces.get('wan'),
    })
    assert.ok(session && session.bps_out > 0 && session.bps_in > 0 && session.pps_out > 0)
    await until('it is gone', async () => (await find('UDP:41001')) === undefined)
  })

  it('goes on counting after applyd died', async () => {
    await gateway.killApplyd()
    const upload = startUpload(gateway, '--local-port', '41002')
    await until('the upload carries bytes', async () => ((await find('TCP:41002'))?.bps_out ?? 0) > 0)
    assert.equal((await upload.end()).code, 0)
  })
})
