// The DNS endpoints over the whole service: settings, external servers, zones and dynamic DNS, what is refused and how it is
// named, the provider's password, and what stays while it is in use.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ddns } from '../../src/areas/dns/config.ts'
import { isSealed } from '../../src/core/model/secret.ts'
import { read } from '../../src/core/model/slots.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const zoneText = (serial = 1): string =>
  `$TTL 86400\n@ SOA localhost. root.localhost. ( ${serial} 28800 14400 3600000 86400 )\n@ NS ns1\nns1 A 1.2.3.4\n`

const server = (more: object = {}) => ({ enabled: true, type: 'ip', object: '192.0.2.53', comment: '', ...more })
const forward = (more: object = {}) => ({
  name: 'corp.example',
  enabled: true,
  servers: ['192.0.2.53'],
  comment: '',
  ...more,
})
const master = (more: object = {}) => ({
  name: 'example.com',
  enabled: true,
  config: zoneText(),
  comment: '',
  ...more,
})
const connection = (type: string, last: number) => ({
  type,
  title: `${type} ${last}`,
  enabled: true,
  mac: `02:00:00:00:0d:0${last}`,
  enable_dhcp: false,
  addresses: [`10.99.${last}.1/24`],
})

describe('DNS', () => {
  let gateway: TestGateway
  let admin: Client
  let reader: Client
  let wan = ''
  let lan = ''
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    reader = await gateway.client('predefined_admin_readonly')
    wan = `interface.id.${await add('/network/connections', connection('wan', 1))}`
    lan = `interface.id.${await add('/network/connections', connection('lan', 2))}`
  })
  after(() => gateway.close())

  const add = async (path: string, body: unknown) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const shown = async (path: string, client = admin) => (await client('GET', path)).body
  const fieldsOf = (answer: Answer, status = 422): string[] => {
    assert.equal(answer.status, status, answer.text)
    return answer.body.problems.map((problem: { field: string }) => problem.field)
  }
  const refused = async (path: string, body: unknown, status = 422) => fieldsOf(await admin('POST', path, body), status)
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }

  it('says of a server that does not run that it does not, and what is switched off', async () => {
    const backend = 'portcullis-dns-backend'
    const { applied } = gateway.applier
    gateway.applier.applied = null
    assert.deepEqual(await shown('/dns/status'), [
      { name: 'unbound', status: 'failed', msg: ['The DNS server is not running.'] },
      { name: 'nsd', status: 'inactive', msg: ['No authoritative zone is enabled.'] },
      { name: backend, status: 'failed', msg: ['The DNS server is not running.'] },
    ])
    gateway.applier.applied = applied
    await done('PATCH', '/dns/settings', { intercept_enabled: false })
    assert.deepEqual(await shown('/dns/status'), [
      { name: 'unbound', status: 'active', msg: ['Names are resolved through the root servers.'] },
      { name: 'nsd', status: 'inactive', msg: ['No authoritative zone is enabled.'] },
      { name: backend, status: 'inactive', msg: ['Interception, safe search and dynamic DNS are disabled.'] },
    ])
    await done('PATCH', '/dns/settings', { intercept_enabled: true })
  })

  for (const [path, field, isOn] of [
    ['/dns/settings', 'intercept_enabled', true],
    ['/dns/safesearch', 'enabled', false],
    ['/dns/ddns/state', 'enabled', false],
  ] as const)
    it(`has the switch ${path}, which is ${isOn ? 'on' : 'off'} at first`, async () => {
      assert.deepEqual(await shown(path), { [field]: isOn })
      await done('PATCH', path, { [field]: !isOn })
      assert.deepEqual(await shown(path), { [field]: !isOn })
    })

  for (const [path, bodies, patch] of [
    ['/dns/zones/root', [server(), server({ object: '198.51.100.53', comment: 'second' })], { enabled: false }],
    [
      '/dns/zones/forward',
      [forward(), forward({ name: '1.168.192.in-addr.arpa' }), forward({ name: '_msdcs.corp' })],
      { servers: ['192.0.2.54', '192.0.2.55'] },
    ],
    [
      '/dns/zones/master',
      [master(), master({ name: 'corp.example', comment: 'own' })],
      { config: zoneText(2), enabled: false },
    ],
  ] as const)
    it(`keeps ${path} in order, changes and removes in it`, async () => {
      const items = []
      for (const body of bodies) items.push({ ...body, id: await add(path, body) })
      assert.deepEqual(await shown(path), items)
      const [first, ...others] = items
      await done('PATCH', `${path}/${first?.id}`, patch)
      assert.deepEqual(await shown(path), [{ ...first, ...patch }, ...others])
      await done('DELETE', `${path}/${first?.id}`)
      assert.deepEqual(await shown(path), others)
      assert.equal((await admin('PATCH', `${path}/${first?.id}`, patch)).status, 404)
      assert.equal((await admin('DELETE', `${path}/${first?.id}`)).status, 404)
      assert.notEqual(await add(path, bodies[0]), first?.id)
    })

  it('takes external servers by address or by provider connection', async () => {
    const id = await add('/dns/zones/root', server({ type: 'interface', object: wan }))
    const refusals = [
      '127.0.0.1',
      '0.0.0.0',
      '169.254.1.1',
      '224.0.0.1',
      '255.255.255.255',
      '10.99.1.1',
      '10.99.2.1',
      wan,
      '',
      '1.2.3',
      '010.0.0.1',
      'dns.example',
      '::1',
      '192.0.2.53/32',
    ]
    for (const object of refusals) {
      assert.deepEqual(await refused('/dns/zones/root', server({ object })), ['object'], object)
    }
    for (const object of [lan, 'interface.id.999', '192.0.2.53', 'interface.external_any']) {
      assert.deepEqual(await refused('/dns/zones/root', server({ type: 'interface', object })), ['object'], object)
    }
    assert.deepEqual(fieldsOf(await admin('PATCH', `/dns/zones/root/${id}`, { type: 'ip' })), ['object'])
    await done('PATCH', `/dns/zones/root/${id}`, { type: 'ip', object: '192.0.2.99' })
    await done('DELETE', `/dns/zones/root/${id}`)
  })

  it('keeps a provider connection that an external server uses', async () => {
    const id = await add('/dns/zones/root', server({ type: 'interface', object: wan }))
    const path = `/network/connections/${wan.split('.')[2]}`
    assert.deepEqual(fieldsOf(await admin('DELETE', path), 409), [`dns.root_servers[${id}].object`])
    await done('DELETE', `/dns/zones/root/${id}`)
  })

  it('lets no interface take the address of an external server', async () => {
    const id = await add('/dns/zones/root', server({ object: '10.99.2.53' }))
    const path = `/network/connections/${lan.split('.')[2]}`
    const answer = await admin('PATCH', path, { addresses: ['10.99.2.53/24'] })
    assert.deepEqual(fieldsOf(answer), [`dns.root_servers[${id}].object`])
    await done('DELETE', `/dns/zones/root/${id}`)
  })

  it('requires a unique name and servers of forward zones', async () => {
    const path = '/dns/zones/forward'
    const id = await add(path, forward({ name: 'taken.example' }))
    const other = await add(path, forward({ name: 'free.example' }))
    for (const name of ['', '.', 'a..b', 'a.example.', '-a.example', 'bücher.example', '192.0.2.1', 'a b', '*.example'])
      assert.deepEqual(await refused(path, forward({ name })), ['name'], name)
    assert.deepEqual(await refused(path, forward({ name: 'TAKEN.example' }), 409), ['name'])
    assert.deepEqual(fieldsOf(await admin('PATCH', `${path}/${other}`, { name: 'taken.example' }), 409), ['name'])
    await done('PATCH', `${path}/${id}`, { name: 'Taken.example' })
    assert.deepEqual(await refused(path, forward({ name: 'x.example', servers: [] })), ['servers'])
    assert.deepEqual(await refused(path, forward({ name: 'x.example', servers: ['192.0.2.1', '127.0.0.1'] })), [
      'servers[1]',
    ])
    assert.deepEqual(await refused(path, forward({ name: 'x.example', servers: ['192.0.2.1', '10.99.1.1'] })), [
      'servers[1]',
    ])
    assert.deepEqual(await refused(path, forward({ name: 'x.example', servers: ['192.0.2.1', '192.0.2.1'] })), [
      'servers',
    ])
    assert.deepEqual(await refused(path, forward({ name: 'x.example', comment: 'x'.repeat(256) })), ['comment'])
  })

  it('reads the text of authoritative zones and names every fault with its line', async () => {
    const path = '/dns/zones/master'
    const id = await add(path, master({ name: 'zone.example' }))
    assert.deepEqual(await refused(path, master({ name: 'Zone.Example' }), 409), ['name'])
    const answer = await admin('POST', path, master({ name: 'bad.example', config: '@ A 1.2.3\nwww CNAME\n' }))
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body.problems, [
      { field: 'config', message: 'Line 1: A record of the type A needs an IPv4 address.' },
      { field: 'config', message: 'Line 2: A record of the type CNAME needs one name.' },
    ])
    for (const config of ['', 'x', '; nothing', '@ NS a.', zoneText().replace('SOA', 'A'), `${zoneText()}\u0000`])
      assert.ok((await refused(path, master({ name: 'bad.example', config }))).includes('config'), config)
    assert.deepEqual(await refused(path, master({ config: zoneText().padEnd(10_001, ';') })), ['config'])
    await add(path, master({ name: 'long.example', config: zoneText().padEnd(10_000, ';') }))
    const patched = await admin('PATCH', `${path}/${id}`, { config: '@ NS ns1' })
    assert.deepEqual(new Set(fieldsOf(patched)), new Set(['config']))
    const absolute = await add(
      path,
      master({ name: 'a.example', config: zoneText().replaceAll('ns1', 'ns1.a.example.') }),
    )
    assert.deepEqual(fieldsOf(await admin('PATCH', `${path}/${absolute}`, { name: 'b.example' })), ['config'])
  })

  it('shows the password of the dynamic DNS provider to full administrators only, and keeps it sealed', async () => {
    assert.deepEqual(await shown('/dns/ddns'), { domain: '', service_login: '', service_password: '' })
    const whole = { domain: 'example.com', service_login: 'me', service_password: 'canary-7d1' }
    await done('PATCH', '/dns/ddns', whole)
    assert.deepEqual(await shown('/dns/ddns'), whole)
    assert.deepEqual(await shown('/dns/ddns', reader), { ...whole, service_password: '***' })
    assert.ok(isSealed(read(gateway.engine.config, ddns).service_password))
    const records = await admin('GET', '/journal/records')
    assert.match(records.text, /The password of the dynamic DNS provider was shown\./)
    for (const path of ['/journal/records', '/config/revisions', `/config/revisions/${gateway.engine.revision}`])
      assert.ok(!(await admin('GET', path)).text.includes('canary-7d1'), path)
    for (const keeping of [{ service_password: '***' }, { service_password: null }, {}]) {
      await done('PATCH', '/dns/ddns', { service_login: 'you', ...keeping })
      assert.deepEqual(await shown('/dns/ddns'), { ...whole, service_login: 'you' })
    }
    await done('POST', '/config/keys/rotate')
    assert.equal((await shown('/dns/ddns')).service_password, 'canary-7d1')
    await done('PATCH', '/dns/ddns', { service_password: '' })
    assert.equal((await shown('/dns/ddns', reader)).service_password, '')
    assert.match((await shown('/dns/status'))[2].msg.join(), /Dynamic DNS is enabled, but/)
  })

  it('wants a bare domain and a short password for dynamic DNS', async () => {
    for (const domain of [
      'https://example.com',
      'www.example.com',
      'WWW.example.com',
      'example',
      'a b.example',
      '192.0.2.1',
    ])
      assert.deepEqual(fieldsOf(await admin('PATCH', '/dns/ddns', { domain })), ['domain'], domain)
    assert.deepEqual(fieldsOf(await admin('PATCH', '/dns/ddns', { service_password: 'x'.repeat(43) })), [
      'service_password',
    ])
    await done('PATCH', '/dns/ddns', { service_password: 'x'.repeat(42) })
  })

  it('is the same after a restart', async () => {
    const paths = ['settings', 'safesearch', 'zones/root', 'zones/forward', 'zones/master', 'ddns/state', 'ddns']
    const all = () => Promise.all(paths.map((path) => shown(`/dns/${path}`)))
    const before = await all()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await all(), before)
    assert.ok(before.every((value) => !Array.isArray(value) || value.length > 0))
  })
})
