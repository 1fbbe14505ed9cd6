// DHCP on the wire: what each field of an entry puts into an answer, who gets which address, and that neither a change
// nor a killed daemon costs anyone a lease.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { acknowledged, addressesIn, askDhcp, type DhcpAnswer, type DhcpAsk, refused, textIn } from '../support/dhcp.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const skip = lacking('/usr/sbin/dnsmasq')

const plainServer = {
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
const option = (text: string, forced = false) => ({ comment: '', enabled: true, forced, option: text })
const mac = (last: number): string => `02:00:00:00:dd:${last.toString(16).padStart(2, '0')}`

interface StatusItem {
  readonly name: string
  readonly status: string
  readonly msg: readonly string[]
}

describe('the DHCP server on the wire', { skip }, () => {
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
    const body = { enabled: true, interface: lan, relay: null, server: plainServer }
    entry = (await ok('POST', '/dhcp_server/settings', body)).id
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })
  afterEach(async () => {
    for (const path of [
      '/dhcp_server/static_leases',
      '/auth/rules',
      '/firewall/rules/input',
      '/firewall/rules/forward',
    ])
      for (const { id } of (await ok('GET', path)) as { id: string }[]) await ok('DELETE', `${path}/${id}`)
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const serve = (fields: object = {}) =>
    ok('PATCH', `/dhcp_server/settings/${entry}`, { enabled: true, server: { ...plainServer, ...fields } })
  const ask = (...asks: DhcpAsk[]) => askDhcp(gateway, 'client', asks)
  const lease = async (card: number, more: Partial<DhcpAsk> = {}): Promise<DhcpAnswer> => {
    const [answer] = await ask({ kind: 'lease', mac: mac(card), timeoutMs: 60_000, ...more })
    assert.ok(answer, 'no answer')
    assert.equal(answer.type, acknowledged)
    return answer
  }
  const rebooted = async (card: number, address: string) =>
    (await ask({ kind: 'reboot', mac: mac(card), address }))[0]?.type
  const leases = (): Promise<{ ip_address: string; mac: string }[]> => ok('GET', '/dhcp_server/leases')
  const bind = (ip_address: string, card: number, comment = '') =>
    ok('POST', '/dhcp_server/static_leases', { comment, enabled: true, ip_address, mac: mac(card) })
  const statusOf = async (name: string): Promise<StatusItem> => {
    const items = (await ok('GET', '/dhcp_server/status')) as StatusItem[]
    const found = items.find((item) => item.name === name)
    assert.ok(found, `no status of ${name}`)
    return found
  }
  const pid = async (): Promise<number> => {
    const { stdout } = await gateway.exec('gateway', ['/usr/bin/ss', '-Hlnup', 'sport = :67'])
    return Number(/pid=(\d+)/.exec(stdout)?.[1] ?? 0)
  }

  it('gives an address of the range, and is itself gateway and DNS server when none is set', async () => {
    const answer = await lease(1, { wants: [1, 3, 6, 15, 28, 44, 121, 252] })
    assert.match(answer.address, /^10\.10\.0\.(?:5\d|[6-9]\d)$/)
    const { options } = answer
    assert.equal(addressesIn(options[1]), '255.255.255.0')
    assert.equal(addressesIn(options[3]), '10.10.0.1')
    assert.equal(addressesIn(options[6]), '10.10.0.1')
    assert.equal(addressesIn(options[54]), '10.10.0.1')
    assert.equal(Number.parseInt(options[51] ?? '', 16), 3600)
    for (const code of [15, 44, 121, 252]) assert.equal(options[code], undefined, `option ${code}`)
    assert.equal((await statusOf('dhcp-server')).status, 'active')
    assert.equal((await statusOf('dhcp-relay')).status, 'inactive')
    const { stdout } = await gateway.exec('gateway', ['/usr/bin/grep', 'Uid:', `/proc/${await pid()}/status`])
    assert.doesNotMatch(stdout, /\t0\b/, 'it has stepped down')
  })

  it('sends clients what every field says', async () => {
    await serve({
      dns: ['192.0.2.53', '192.0.2.54'],
      domain: 'office.example',
      gateway: '10.10.0.254',
      lease_time: 5,
      options: [
        option('176,"MCIPADD=1.2.3.4,MCPORT=1719"', true),
        option('224,"say \\"#1\\", then"'),
        option('option:ntp-server,10.10.0.7,10.10.0.8'),
        option('43,01:02:03'),
        { ...option('225,"never"', true), enabled: false },
      ],
      ranges: ['10.10.0.100-10.10.0.109', '10.10.0.120-10.10.0.120'],
      routes: [
        { destination: '10.99.0.0/16', gateway: '10.10.0.2' },
        { destination: '10.98.0.7', gateway: '10.10.0.3' },
      ],
      tftp_filename: 'boot/a,b "c".0',
      tftp_server: '10.10.0.5',
      wins: ['10.10.0.6', '10.10.0.9'],
      wpad_enabled: true,
    })
    const answer = await lease(2, { wants: [3, 6, 15, 42, 43, 44, 66, 67, 121, 150, 224, 225, 249, 252] })
    assert.match(answer.address, /^10\.10\.0\.1(?:0\d|20)$/)
    const { options } = answer
    assert.equal(addressesIn(options[3]), '10.10.0.254')
    assert.equal(addressesIn(options[6]), '192.0.2.53,192.0.2.54')
    assert.equal(textIn(options[15]), 'office.example')
    assert.equal(addressesIn(options[42]), '10.10.0.7,10.10.0.8')
    assert.equal(options[43], '010203')
    assert.equal(addressesIn(options[44]), '10.10.0.6,10.10.0.9')
    assert.equal(Number.parseInt(options[51] ?? '', 16), 300)
    assert.equal(textIn(options[66]), '10.10.0.5')
    assert.equal(textIn(options[67]), 'boot/a,b "c".0')
    assert.equal(answer.nextServer, '10.10.0.5')
    const routes = ['10 0a63 0a0a0002', '20 0a620007 0a0a0003', '00 0a0a00fe'].join('').replaceAll(' ', '')
    assert.equal(options[121], routes)
    assert.equal(options[249], routes)
    assert.equal(addressesIn(options[150]), '10.10.0.5')
    assert.equal(textIn(options[176]), 'MCIPADD=1.2.3.4,MCPORT=1719')
    assert.equal(textIn(options[224]), 'say "#1", then')
    assert.equal(options[225], undefined)
    assert.equal(textIn(options[252]), 'http://10.10.0.1/wpad.dat')
    const silent = await lease(2, { wants: [1] })
    assert.equal(silent.file, 'boot/a,b "c".0')
    assert.equal(textIn(silent.options[176]), 'MCIPADD=1.2.3.4,MCPORT=1719', 'forced')
    assert.equal(silent.options[224], undefined, 'neither asked for nor forced')
  })

  it('lets an option of the administrator beat a field, and keeps options of a vendor to its clients', async () => {
    await serve({
      domain: 'office.example',
      wins: ['10.10.0.6'],
      options: [
        option('15,"other.example"'),
        option('44,10.10.0.77'),
        option('3'),
        option('vendor:PXEClient,1,0.0.0.0'),
      ],
    })
    const wants = [3, 15, 43, 44]
    const { options } = await lease(3, { wants })
    assert.equal(textIn(options[15]), 'other.example')
    assert.equal(addressesIn(options[44]), '10.10.0.77')
    assert.equal(options[3], undefined)
    assert.equal(options[43], undefined)
    const vendor = await lease(3, { wants, options: { 60: Buffer.from('PXEClient:Arch').toString('hex') } })
    assert.match(vendor.options[43] ?? '', /^010400000000/)
  })

  it('serves a real client, which needs an answer before it has an address', async (t) => {
    const reason = lacking('/usr/sbin/udhcpc')
    if (reason !== false) return t.skip(reason)
    await serve({ domain: 'office.example' })
    const script = join(gateway.stateDir, '..', 'udhcpc-script')
    writeFileSync(script, '#!/bin/sh\necho "$1 $ip $router $domain"\n', { mode: 0o755 })
    const command = [
      '/usr/sbin/udhcpc',
      '-f',
      '-q',
      '-n',
      '-t',
      '8',
      '-T',
      '3',
      '-i',
      'lan0',
      '-O',
      'domain',
      '-s',
      script,
    ]
    const { stdout } = await gateway.exec('client', command)
    assert.match(stdout, /^bound 10\.10\.0\.[5-9]\d 10\.10\.0\.1 office\.example$/m)
  })

  it('gives a bound card its address at once, without a restart, and lists who has what', async () => {
    await serve()
    const before = await pid()
    await bind('10.10.0.40', 4, 'The printer')
    const hostname = Buffer.from('printer').toString('hex')
    assert.equal((await lease(4, { options: { 12: hostname } })).address, '10.10.0.40')
    assert.equal(await pid(), before)
    const [shown] = ((await leases()) as object[]).filter((one) => 'mac' in one && one.mac === mac(4))
    assert.partialDeepStrictEqual(shown, {
      ip_address: '10.10.0.40',
      hostname: 'printer',
      interface: lan,
      static: true,
      comment: 'The printer',
    })
    const [binding] = (await ok('GET', '/dhcp_server/static_leases')) as { id: string }[]
    await ok('PATCH', `/dhcp_server/static_leases/${binding?.id}`, { ip_address: '10.10.0.41' })
    assert.equal(await rebooted(4, '10.10.0.40'), refused, 'another address waits for it')
    assert.equal((await lease(4)).address, '10.10.0.41')
    assert.equal(await pid(), before)
  })

  it('gives no one an address by which a user is authorized, but the card of the rule', async () => {
    await serve({ ranges: ['10.10.0.60-10.10.0.63'] })
    const person = { name: 'Ann', login: 'ann', psw: password, parent_id: 'group.id.1', comment: '' }
    const user = (await ok('POST', '/user_backend/users', person)) as { id: number }
    const rule = (fields: object) =>
      ok('POST', '/auth/rules', {
        enabled: true,
        ip: null,
        mac: null,
        user_id: user.id,
        always_logged: false,
        comment: '',
        ...fields,
      })
    await rule({ ip: '10.10.0.60' })
    await rule({ ip: '10.10.0.61', mac: mac(11) })
    await rule({ ip: '10.10.0.62', mac: mac(12) })
    await bind('10.10.0.45', 12)
    assert.equal((await lease(11)).address, '10.10.0.61')
    assert.equal((await lease(12)).address, '10.10.0.45', 'the static lease wins')
    assert.equal((await lease(13)).address, '10.10.0.63')
    const [none] = await ask({ kind: 'discover', mac: mac(14), timeoutMs: 5000 })
    assert.equal(none, null, 'all others are taken')
    assert.notEqual(await rebooted(14, '10.10.0.60'), acknowledged)
  })

  it('loses no lease by a change, also when a range goes and comes back', async () => {
    await serve()
    const { address } = await lease(21)
    const known = await leases()
    const first = await pid()
    await serve({ lease_time: 120, domain: 'other.example' })
    assert.notEqual(await pid(), first, 'the settings are read at a start')
    assert.deepEqual(await leases(), known)
    assert.equal(await rebooted(21, address), acknowledged)
    await serve({ ranges: ['10.10.0.200-10.10.0.209'] })
    await ok('PATCH', `/dhcp_server/settings/${entry}`, { enabled: false })
    assert.equal(await pid(), 0)
    assert.equal((await statusOf('dhcp-server')).status, 'inactive')
    assert.ok((await leases()).some((one) => one.ip_address === address))
    await serve()
    assert.equal(await rebooted(21, address), acknowledged)
  })

  it('names the option that dnsmasq itself refuses, and changes nothing', async () => {
    await serve()
    const before = await pid()
    const names = Array.from({ length: 80 }, (_, at) => `${String.fromCharCode(97 + (at % 26))}${at}`).join(',')
    const body = { server: { ...plainServer, options: [option('42,10.10.0.7'), option(`119,${names}`)] } }
    const { status, body: answer } = await api.call('PATCH', `/dhcp_server/settings/${entry}`, body)
    assert.equal(status, 422, JSON.stringify(answer))
    assert.equal(answer.problems[0].field, `dhcp.settings[${entry}].server.options[1].option`)
    assert.match(answer.problems[0].message, /^dnsmasq: /)
    assert.equal(await pid(), before)
    const [stored] = (await ok('GET', '/dhcp_server/settings')) as { server: { options: unknown[] } }[]
    assert.deepEqual(stored?.server.options, [])
  })

  it('comes back when it is killed, and the status shows it', async () => {
    await serve()
    const { address } = await lease(31)
    let seen: StatusItem | null = null
    gateway.log.expect(/^error: applyd: dhcp ended with signal SIGKILL/)
    // The pauses between restarts grow, so the state in between is seen sooner or later.
    while (seen === null) {
      const victim = await pid()
      assert.equal((await gateway.exec('gateway', ['/usr/bin/kill', '-KILL', `${victim}`])).code, 0)
      await until('it is back', async () => {
        const item = await statusOf('dhcp-server')
        if (item.status === 'failed') seen = item
        return item.status === 'active' && ![0, victim].includes(await pid())
      })
    }
    assert.deepEqual((seen as StatusItem | null)?.msg, ['Service stopped.', 'dhcp ended with signal SIGKILL.'])
    const [retry = ''] =
      /"message":"dhcp ended with signal SIGKILL[^\n]*/.exec(gateway.logs()['applyd.log'] ?? '') ?? []
    assert.ok(Number(/"retryMs":(\d+)/.exec(retry)?.[1]) < 2000, retry)
    assert.equal(await rebooted(31, address), acknowledged)
  })
})
