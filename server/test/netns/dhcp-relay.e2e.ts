// The DHCP relay, the proxy file and the firewall around them, on the wire: a server in its own namespace answers
// through the gateway, and everything is open where it is switched on and nowhere else.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { acknowledged, addressesIn, askDhcp, type DhcpAnswer, textIn } from '../support/dhcp.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const skip = lacking('/usr/sbin/dnsmasq')
const relayServer = '203.0.113.1'

const server = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  options: [],
  ranges: ['10.10.0.50-10.10.0.99'],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}
let lastCard = 0

describe('the DHCP relay and what is open around it', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let lan = ''
  let entry = ''

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    const connections = (await ok('GET', '/network/connections')) as { id: number; type: string }[]
    lan = `interface.id.${connections.find(({ type }) => type === 'lan')?.id}`
    const body = { enabled: false, interface: lan, relay: null, server }
    entry = (await ok('POST', '/dhcp_server/settings', body)).id
    // The other server: it knows nothing of our network but what the relay sends.
    const options = ['--conf-file=/dev/null', '--port=0', '--no-ping', '--leasefile-ro', '--user=root', '--pid-file=']
    const range = ['--interface=gw1', '--dhcp-range=10.10.0.200,10.10.0.219,255.255.255.0,10m']
    const more = ['--dhcp-option=option:domain-name,far.example']
    const command = ['/usr/sbin/dnsmasq', '--no-daemon', ...options, ...range, ...more]
    void gateway.exec('internet', command, { timeoutMs: 900_000 }).catch(() => {})
    await until('the other server listens', async () => {
      const { stdout } = await gateway.exec('internet', ['/usr/bin/ss', '-Hlnu', 'sport = :67'])
      return stdout !== ''
    })
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })
  afterEach(async () => {
    for (const path of ['/firewall/rules/input', '/firewall/rules/forward'])
      for (const { id } of (await ok('GET', path)) as { id: number }[]) await ok('DELETE', `${path}/${id}`)
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const change = (fields: object) => ok('PATCH', `/dhcp_server/settings/${entry}`, { enabled: true, ...fields })
  const lease = async (timeoutMs = 60_000): Promise<DhcpAnswer | null> => {
    const mac = `02:00:00:00:ee:${(++lastCard).toString(16).padStart(2, '0')}`
    return (await askDhcp(gateway, 'client', [{ kind: 'lease', mac, wants: [3, 15], timeoutMs }]))[0] ?? null
  }
  const status = async (name: string) =>
    ((await ok('GET', '/dhcp_server/status')) as { name: string; status: string; msg: string[] }[]).find(
      (item) => item.name === name,
    )
  /** All that comes to the gateway and all that it sends itself, but what its own services need. */
  const closeEverything = async () => {
    await ok('POST', '/firewall/rules/input', { action: 'drop', protocol: 'protocol.udp' })
    const own = { action: 'drop', protocol: 'protocol.udp', incoming_interface: 'interface.utm_outgoing' }
    await ok('POST', '/firewall/rules/forward', own)
  }
  const fetchFrom = async (namespace: string, url: string, limitSeconds = 60) =>
    gateway.exec(namespace, ['/usr/bin/curl', '-sS', '-m', `${limitSeconds}`, '-w', '\n%{content_type}', url])
  /** A port that is closed by silence; the same client gets answers from it a moment earlier or later. */
  const expectNothing = async (namespace: string, url: string) =>
    assert.notEqual((await fetchFrom(namespace, url, 2)).code, 0)

  it('brings the answers of another server, also when rules drop everything else', async () => {
    await change({ relay: { external_servers: [relayServer, '203.0.113.77'] } })
    await closeEverything()
    const answer = await lease()
    assert.equal(answer?.type, acknowledged)
    assert.match(answer?.address ?? '', /^10\.10\.0\.2[01]\d$/)
    assert.equal(textIn(answer?.options[15]), 'far.example')
    assert.equal((await status('dhcp-relay'))?.status, 'active')
    assert.equal((await status('dhcp-server'))?.status, 'inactive')
    assert.deepEqual(await ok('GET', '/dhcp_server/leases'), [], 'the gateway leases nothing itself')
  })

  it('leases again itself when the entry is turned around', async () => {
    await change({ server })
    await closeEverything()
    const answer = await lease()
    assert.match(answer?.address ?? '', /^10\.10\.0\.[5-9]\d$/)
    assert.equal(addressesIn(answer?.options[3]), '10.10.0.1')
  })

  it('is explained as a service of the gateway, only while it is on', async () => {
    const packet = {
      source: '10.10.0.9',
      destination: '10.10.0.1',
      protocol: 'udp',
      source_port: 68,
      destination_port: 67,
      incoming_interface: lan,
    }
    const decidedBy = async () =>
      (await ok('POST', '/firewall/explain', { packet })).outcomes?.[0]?.decided_by as string | null
    await change({ server })
    await closeEverything()
    assert.equal(await decidedBy(), 'inp.sys.dhcp')
    await change({ enabled: false })
    assert.match((await decidedBy()) ?? '', /^firewall\.input\[/)
    assert.equal(await lease(3000), null, 'nobody answers while it is off')
  })

  /** M9: 800 connections of a client that says nothing neither make processes nor keep others from the file. */
  async function holdOut(): Promise<void> {
    const script = `
      const [net, http, fs] = ['net', 'http', 'fs'].map((name) => require('node:' + name))
      const served = () => fs.readdirSync('/proc').filter((pid) => {
        try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('wpad/' + 'serve.ts') } catch { return false }
      }).length
      let count = 0
      const silent = Array.from({ length: 800 }, () => net.connect(80, '10.10.0.1'))
      for (const socket of silent) socket.on('error', () => {}).on('connect', () => {
        if (++count === 800) http.get('http://10.10.0.1/wpad.dat', (answer) => {
          console.log(answer.statusCode, served())
          process.exit(0)
        })
      })`
    const { stdout } = await gateway.exec('client', [process.execPath, '-e', script])
    assert.equal(stdout.trim(), '200 1')
  }

  it('serves the proxy file where it is announced, and nowhere else', async () => {
    await change({ server: { ...server, wpad_enabled: true } })
    await ok('POST', '/firewall/rules/input', { action: 'drop', protocol: 'protocol.tcp', incoming_interface: lan })
    const { stdout } = await fetchFrom('client', 'http://10.10.0.1/wpad.dat')
    assert.equal(
      stdout,
      'function FindProxyForURL(url, host) { return "DIRECT"; }\n\napplication/x-ns-proxy-autoconfig',
    )
    assert.match((await fetchFrom('client', 'http://10.10.0.1/')).stdout, /404/)
    await holdOut()
    await expectNothing('internet', 'http://203.0.113.2/wpad.dat')
    const item = await status('wpad')
    assert.equal(item?.status, 'active')
    assert.match(item?.msg.join() ?? '', /PROXY while the direct web proxy is on, and DIRECT otherwise/)
    await change({ server })
    await expectNothing('client', 'http://10.10.0.1/wpad.dat')
  })

  it('goes on with the other interfaces when one has no card', async () => {
    const body = { type: 'lan', title: 'Annex', enabled: true, mac: '02:00:00:00:ff:01', enable_dhcp: false }
    const { id } = await ok('POST', '/network/connections', { ...body, addresses: ['10.77.0.1/24'] })
    const annex = { ...server, ranges: ['10.77.0.10-10.77.0.20'] }
    await ok('POST', '/dhcp_server/settings', {
      enabled: true,
      interface: `interface.id.${id}`,
      relay: null,
      server: annex,
    })
    await change({ server })
    assert.match((await lease())?.address ?? '', /^10\.10\.0\.[5-9]\d$/)
    const item = await status('dhcp-server')
    assert.equal(item?.status, 'active')
    assert.deepEqual(item?.msg, ['Not served: “Annex” has no device in this machine.'])
  })
})
