// The connection to a central console, and the console's groups, gateways and rules: what is stored is shown again, what
// must not be is refused with its field, and nothing pretends to be connected.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { servers } from '../../src/areas/central-console/config.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { release } from '../../src/shared/version.ts'
import { earlyRoot, expiredRoot } from '../support/dated-roots.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const root = 'f3ffde22-a562-4f43-ac04-c40fcec6a88c'
const unknown = '00000000-0000-4000-8000-000000000000'

const certificatesOf = (chain: string): string[] =>
  chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? []

const fieldsOf = ({ body }: Answer): string[] => body.problems.map(({ field }: { field: string }) => field)

function refused(answer: Answer, ...fields: string[]): void {
  assert.equal(answer.status, 422, answer.text)
  assert.deepEqual(fieldsOf(answer), fields)
}

describe('the central console', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const done = (answer: Answer): void => {
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }
  const get = async (url: string) => (await admin('GET', url)).body
  const create = async (url: string, body: object) => {
    const answer = await admin('POST', url, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  describe('on the side of the gateway', () => {
    it('is not connected at first', async () => {
      assert.deepEqual(await get('/central_console/settings'), {
        cc_server: null,
        root_ca: null,
        last_connect: null,
        last_sync: null,
      })
    })

    it('is set to a name or an address, and left again', async () => {
      for (const cc_server of ['console.example.com', '192.0.2.7', 'console']) {
        done(await admin('PATCH', '/central_console/settings', { cc_server }))
        assert.equal((await get('/central_console/settings')).cc_server, cc_server)
      }
      done(await admin('PATCH', '/central_console/settings', {}))
      assert.equal((await get('/central_console/settings')).cc_server, 'console', 'nothing sent, nothing changed')
      for (const cc_server of ['', 'a b', '256.1.1.1', '1.2.3', '-a', 'a/b', 'https://a'])
        refused(await admin('PATCH', '/central_console/settings', { cc_server }), 'cc_server')
      done(await admin('DELETE', '/central_console/settings'))
      assert.equal((await get('/central_console/settings')).cc_server, null)
    })

    it('keeps a root certificate, and refuses broken ones with the reason', async () => {
      const [server = '', certificate = ''] = certificatesOf((await makeCertificate(['x'], gateway.clock.now())).chain)
      const upload = (text: string) => admin('POST', '/central_console/root_ca', text)
      done(await upload(certificate))
      assert.equal((await get('/central_console/settings')).root_ca, certificate)
      done(await upload(`\r\n${certificate.replaceAll('\n', '\r\n')}\r\n`))
      assert.equal((await get('/central_console/settings')).root_ca, certificate)

      const wrong: readonly (readonly [string, RegExp])[] = [
        [server, /not a CA certificate/],
        [expiredRoot, /expired on/],
        [earlyRoot, /not valid before/],
        [certificate.replace(/[A-Za-z]{20}/, 'A'.repeat(20)), /damaged|signature is invalid/],
        [certificate + certificate, /exactly one/],
        ['hello', /not a certificate in PEM form/],
        [JSON.stringify(certificate), /not a certificate in PEM form/],
        [`${certificate}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`, /private key/],
      ]
      for (const [text, message] of wrong) {
        const answer = await upload(text)
        refused(answer, 'body')
        assert.match(answer.body.message, message)
      }
      assert.equal((await admin('POST', '/central_console/root_ca')).status, 400)
      assert.equal((await get('/central_console/settings')).root_ca, certificate)
      done(await admin('DELETE', '/central_console/settings'))
      assert.equal((await get('/central_console/settings')).root_ca, certificate, 'disconnecting keeps it')
      done(await admin('DELETE', '/central_console/root_ca'))
      assert.equal((await get('/central_console/settings')).root_ca, null)
    })

    it('accepts an upload as a dry run too', async () => {
      const [, certificate = ''] = certificatesOf((await makeCertificate(['x'], gateway.clock.now())).chain)
      const { body } = await admin('POST', '/central_console/root_ca?dry_run=true', certificate)
      assert.equal(body.dry_run, true)
      assert.equal((await get('/central_console/settings')).root_ca, null)
    })
  })

  it('shows and keeps its settings, and says that nothing is delivered', async () => {
    assert.deepEqual(await get('/servers/setting'), { domain: null })
    done(await admin('PATCH', '/servers/setting', { domain: 'console.example.com' }))
    assert.deepEqual(await get('/servers/setting'), { domain: 'console.example.com' })
    refused(await admin('PATCH', '/servers/setting', { domain: '' }), 'domain')
    assert.deepEqual(await get('/servers/state'), { enabled: false })
    done(await admin('PATCH', '/servers/state', { enabled: true }))
    assert.deepEqual(await get('/servers/state'), { enabled: true })
    const status = await get('/servers/status')
    assert.equal(status.name, 'portcullis-central-console-backend')
    assert.equal(status.status, 'inactive')
    assert.match(status.msg.join(' '), /no gateway can connect.*no rule is delivered/)
    done(await admin('PATCH', '/central_console/settings', { cc_server: 'console.example.com' }))
    assert.match((await get('/servers/status')).msg.join(' '), /this gateway does not connect/)
    done(await admin('DELETE', '/central_console/settings'))
  })

  describe('groups', () => {
    it('are below the root, three levels deep', async () => {
      assert.deepEqual(await get('/servers/groups'), [{ id: root, name: 'Root', parent_id: null, comment: '' }])
      const second = await create('/servers/groups', { name: 'North', parent_id: root, comment: 'n' })
      const third = await create('/servers/groups', { name: 'City', parent_id: second })
      assert.deepEqual((await get('/servers/groups')).slice(1), [
        { id: second, name: 'North', parent_id: root, comment: 'n' },
        { id: third, name: 'City', parent_id: second, comment: '' },
      ])
      refused(await admin('POST', '/servers/groups', { name: 'Street', parent_id: third }), 'parent_id')
      refused(await admin('POST', '/servers/groups', { name: 'Lost', parent_id: unknown }), 'parent_id')
      refused(await admin('POST', '/servers/groups', { name: '', parent_id: root }), 'name')
      refused(await admin('PATCH', `/servers/groups/${second}`, { parent_id: third }), 'parent_id')
      refused(await admin('PATCH', `/servers/groups/${second}`, { parent_id: second }), 'parent_id')
      const other = await create('/servers/groups', { name: 'South', parent_id: root })
      refused(await admin('PATCH', `/servers/groups/${second}`, { parent_id: other }), 'parent_id')
      done(await admin('PATCH', `/servers/groups/${third}`, { parent_id: other, name: 'Town' }))
      assert.deepEqual((await get('/servers/groups'))[2], { id: third, name: 'Town', parent_id: other, comment: '' })
    })

    it('but the root cannot be changed or removed', async () => {
      for (const answer of [
        await admin('PATCH', `/servers/groups/${root}`, { name: 'x' }),
        await admin('DELETE', `/servers/groups/${root}`),
      ]) {
        assert.equal(answer.status, 409)
        assert.equal(answer.body.code, 'conflict')
      }
      assert.equal((await admin('PATCH', `/servers/groups/${unknown}`, { name: 'x' })).status, 404)
      assert.equal((await admin('DELETE', `/servers/groups/${unknown}`)).status, 404)
    })

    it('leave their groups and gateways to the root, and are removed with their rules', async () => {
      const group = await create('/servers/groups', { name: 'Gone', parent_id: root })
      const child = await create('/servers/groups', { name: 'Child', parent_id: group })
      const server = {
        id: 'gateway-1',
        parent_id: group,
        version: {
          major: 18,
          minor: 1,
          build: 2,
          timestamp: 3,
          vendor: 'x',
          product: 'UTM' as const,
          kind: 'STANDARD' as const,
          release_type: 'release' as const,
        },
        cl_tunnel_addr: 'fd00::1',
        title: 'Branch',
        approved: false,
        last_sync: null,
        last_connect: 1,
        comment: '',
      }
      await gateway.engine.change({
        edit: (config) => [addItem(config, servers, server), null],
        actor: { login: 'system', address: '127.0.0.1' },
        reason: 'test',
      })
      const [shown] = await get('/servers/servers')
      assert.equal(shown.version_diff, release.major - 18, 'console minus gateway')
      assert.equal(shown.utm_login_secret, '***')
      assert.equal(shown.approved, false)
      done(await admin('PATCH', '/servers/servers/gateway-1', { approved: true }))
      assert.equal((await admin('PATCH', '/servers/servers/gateway-1', { approved: false })).status, 409)
      refused(await admin('PATCH', '/servers/servers/gateway-1', { parent_id: unknown }), 'parent_id')
      done(await admin('PATCH', '/servers/servers/gateway-1', { parent_id: child }))
      done(await admin('PATCH', '/servers/servers/gateway-1', { parent_id: group }))

      const kept = await create('/firewall/rules/forward/before', { action: 'drop' })
      const gone = await create('/firewall/rules/forward/before', { action: 'drop', parent_id: group })
      done(await admin('DELETE', `/servers/groups/${group}`))
      const groups = await get('/servers/groups')
      assert.ok(!groups.some(({ id }: { id: string }) => id === group))
      assert.equal(groups.find(({ id }: { id: string }) => id === child).parent_id, root)
      assert.equal((await get('/servers/servers'))[0].parent_id, root)
      const rules = (await get('/firewall/rules/forward/before')).map(({ id }: { id: number }) => id)
      assert.ok(rules.includes(kept) && !rules.includes(gone))
      done(await admin('DELETE', '/servers/servers/gateway-1'))
      assert.deepEqual(await get('/servers/servers'), [])
      assert.equal((await admin('DELETE', '/servers/servers/gateway-1')).status, 404)
      done(await admin('DELETE', `/firewall/rules/forward/before/${kept}`))
    })
  })

  const tables: readonly (readonly [path: string, body: object])[] = [
    ['/content-filter/rules/before', { name: 'News', access: 'deny' }],
    ['/content-filter/rules/after', { name: 'News', access: 'deny' }],
    ['/firewall/rules/forward/before', { action: 'accept' }],
    ['/firewall/rules/forward/after', { action: 'drop' }],
    ['/firewall/rules/input/before', { action: 'accept' }],
    ['/firewall/rules/input/after', { action: 'drop' }],
  ]

  for (const [path, body] of tables) {
    it(`${path} keeps rules in their order, group by group`, async () => {
      const group = await create('/servers/groups', { name: 'Rules', parent_id: root })
      const ids = async (query = '') => (await get(path + query)).map(({ id }: { id: number }) => id)
      const [a, b, c] = [await create(path, body), await create(path, body), await create(path, body)]
      assert.deepEqual(await ids(), [a, b, c])
      const d = await create(`${path}?anchor_item_id=${a}`, { ...body, parent_id: group })
      const e = await create(`${path}?anchor_item_id=${a}&insert_after=false`, body)
      assert.deepEqual(await ids(), [e, a, d, b, c])
      done(await admin('PATCH', `${path}/move`, { params: { id: c, anchor_item_id: e, insert_after: false } }))
      done(await admin('PATCH', `${path}/move`, { params: { id: e, anchor_item_id: b, insert_after: true } }))
      assert.deepEqual(await ids(), [c, a, d, b, e])
      assert.deepEqual(await ids(`?groups=[${group}]`), [d])
      assert.deepEqual(await ids(`?groups=["${group}", ${unknown}]`), [d])
      assert.deepEqual(await ids(`?groups=[${root},${group}]`), [c, a, d, b, e])
      assert.deepEqual(await ids(`?groups=[${unknown}]`), [])
      for (const none of ['?groups=[]', '?groups=']) assert.deepEqual(await ids(none), [c, a, d, b, e])

      done(await admin('PATCH', `${path}/${a}`, { parent_id: group, comment: 'moved', enabled: false }))
      const changed = (await get(path))[1]
      assert.deepEqual([changed.id, changed.parent_id, changed.comment, changed.enabled], [a, group, 'moved', false])
      refused(await admin('PATCH', `${path}/${a}`, { parent_id: unknown }), 'parent_id')
      refused(await admin('PATCH', `${path}/${a}`, { id: 7 }), 'id')
      refused(await admin('POST', path, { ...body, timetable: ['ip.id.1'] }), 'timetable[0]')
      refused(await admin('POST', path, { ...body, timetable: ['time_range.id.77'] }), 'timetable[0]')
      assert.equal((await admin('PATCH', `${path}/999`, { comment: '' })).status, 404)
      assert.equal((await admin('DELETE', `${path}/999`)).status, 404)
      for (const id of [a, b, c, d, e]) done(await admin('DELETE', `${path}/${id}`))
      const next = await create(path, body)
      assert.ok(next > e, 'ids do not come back')
      done(await admin('DELETE', `${path}/${next}`))
    })
  }

  it('content filter rules redirect only to an address, and are removed by the published call too', async () => {
    const path = '/content-filter/rules/before'
    const id = await create(path, {
      name: 'Away',
      access: 'redirect',
      redirect_url: 'https://example.com/stop',
      http_methods: ['GET'],
      content_types: ['text/html'],
      categories: ['users.id.1'],
    })
    assert.deepEqual((await get(path)).at(-1), {
      id,
      parent_id: root,
      name: 'Away',
      comment: '',
      aliases: ['any'],
      categories: ['users.id.1'],
      http_methods: ['GET'],
      content_types: ['text/html'],
      access: 'redirect',
      redirect_url: 'https://example.com/stop',
      enabled: true,
      timetable: ['any'],
    })
    refused(await admin('PATCH', `${path}/${id}`, { access: 'deny' }), 'redirect_url')
    refused(await admin('PATCH', `${path}/${id}`, { redirect_url: null }), 'redirect_url')
    refused(await admin('PATCH', `${path}/${id}`, { redirect_url: 'javascript:alert(1)' }), 'redirect_url')
    refused(await admin('PATCH', `${path}/${id}`, { aliases: ['any', 'user.id.1'] }), 'aliases')
    refused(await admin('PATCH', `${path}/${id}`, { categories: ['users.id.1', 'users.id.99'] }), 'categories[1]')
    refused(await admin('DELETE', `${path}/move`, {}), 'id')
    assert.equal((await admin('DELETE', `${path}/move`, { id: 999 })).status, 404)
    done(await admin('DELETE', `${path}/move`, { params: { id } }))
    const again = await create(path, { name: 'Away', access: 'bump' })
    done(await admin('DELETE', `${path}/move`, { id: again }))
    assert.deepEqual(await get(path), [])
  })

  it('firewall rules hold what the gateway’s own must, and can be replaced as a whole', async () => {
    const path = '/firewall/rules/input/after'
    const port = await create('/aliases/ports', { title: 'web', value: 80 })
    refused(await admin('POST', path, { action: 'drop', destination_ports: [port] }), 'destination_ports')
    refused(await admin('POST', path, { action: 'drop', source_addresses: ['ip.id.99'] }), 'source_addresses[0]')
    refused(await admin('POST', path, { action: 'drop', ips_enabled: true }), 'ips_profile')
    refused(await admin('POST', path, { action: 'drop', dpi_enabled: true }), 'dpi_profile')
    refused(
      await admin('POST', path, { action: 'drop', ips_profile: 'gone', dpi_profile: 'x' }),
      'dpi_profile',
      'ips_profile',
    )
    refused(await admin('POST', path, { action: 'drop', incoming_interface: 'interface.id.99' }), 'incoming_interface')
    const id = await create(path, { action: 'drop', protocol: 'protocol.tcp', destination_ports: [port], comment: 'x' })
    const busy = await admin('DELETE', `/aliases/ports/${port}`)
    assert.equal(busy.status, 409)
    assert.deepEqual(fieldsOf(busy), [`central_console.input_after[${id}].destination_ports`])
    refused(await admin('PUT', `${path}/${id}`, { id: id + 1, action: 'accept' }), 'id')
    done(await admin('PUT', `${path}/${id}`, { id, action: 'accept' }))
    const rule = (await get(path)).at(-1)
    assert.deepEqual([rule.action, rule.comment, rule.destination_ports], ['accept', '', ['any']])
    done(await admin('DELETE', `/aliases/ports/${port}`))
    const profile = await create('/ips/profiles', { name: 'Strict', comment: '' })
    done(await admin('PATCH', `${path}/${id}`, { ips_profile: profile }))
    const named = await admin('DELETE', `/ips/profiles/${profile}`)
    assert.deepEqual([named.status, ...fieldsOf(named)], [409, `central_console.input_after[${id}].ips_profile`])
    done(await admin('PATCH', `${path}/${id}`, { ips_profile: '' }))
    done(await admin('DELETE', `/ips/profiles/${profile}`))
  })

  it('keeps everything over a restart', async () => {
    const urls = [
      '/central_console/settings',
      '/servers/setting',
      '/servers/state',
      '/servers/groups',
      ...tables.map(([path]) => path),
    ]
    const shown = await Promise.all(urls.map(get))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await Promise.all(urls.map(get)), shown)
  })
})
