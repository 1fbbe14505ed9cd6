// The client agent over the interface: switch and settings are kept, and what could not verify a device is refused.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { agentSockets } from '../../src/areas/client-agent/index.ts'
import { serveSockets } from '../../src/gatewayd/http/websocket.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { expiredRoot } from '../support/dated-roots.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const statePath = '/agent_backend/agent-server/state'
const settingPath = '/agent_backend/agent-server/setting'

describe('the client agent', () => {
  let gateway: TestGateway
  let admin: Client
  let root = ''
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const { chain } = await makeCertificate(['device-root'], gateway.clock.now())
    root = chain.slice(chain.lastIndexOf('-----BEGIN'))
  })
  after(() => gateway.close())

  const patch = async (path: string, body: unknown) => {
    const answer = await admin('PATCH', path, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }
  const get = async (path: string) => (await admin('GET', path)).body
  const refused = async (body: unknown, field: string, message?: RegExp) => {
    const before = await get(settingPath)
    const answer = await admin('PATCH', settingPath, body)
    assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`)
    const problem = answer.body.problems.find((one: { field: string }) => one.field === field)
    assert.ok(problem, answer.text)
    if (message) assert.match(problem.message, message)
    assert.deepEqual(await get(settingPath), before)
  }

  it('is switched off at first, and can be switched on', async () => {
    assert.deepEqual(await get(statePath), { enabled: false })
    await patch(statePath, { enabled: true })
    assert.deepEqual(await get(statePath), { enabled: true })
  })

  it('keeps each setting by itself', async () => {
    const first = { auth_domain: null, local_tunnel: false, device_vpn: false, trusted_ca_cert: null }
    assert.deepEqual(await get(settingPath), first)
    await patch(settingPath, { auth_domain: 'gw.example.com' })
    await patch(settingPath, { local_tunnel: true })
    assert.deepEqual(await get(settingPath), { ...first, auth_domain: 'gw.example.com', local_tunnel: true })
    await patch(settingPath, { auth_domain: '192.0.2.1' })
    assert.equal((await get(settingPath)).auth_domain, '192.0.2.1')
  })

  it('lets devices connect only with a certificate to verify them by', async () => {
    await refused({ device_vpn: true }, 'trusted_ca_cert')
    await refused({ device_vpn: true, trusted_ca_cert: null }, 'trusted_ca_cert')
    await patch(settingPath, { device_vpn: true, trusted_ca_cert: root })
    await refused({ trusted_ca_cert: null }, 'trusted_ca_cert')
    await patch(settingPath, { device_vpn: false, trusted_ca_cert: null })
    await patch(settingPath, { trusted_ca_cert: root })
    await patch(settingPath, { device_vpn: true })
    assert.equal((await get(settingPath)).trusted_ca_cert, root)
  })

  it('says what is wrong with a certificate', async () => {
    await refused({ trusted_ca_cert: '' }, 'trusted_ca_cert')
    await refused({ trusted_ca_cert: 'certificate' }, 'trusted_ca_cert', /PEM form/)
    await refused({ trusted_ca_cert: `${root}\u0000` }, 'trusted_ca_cert', /PEM form/)
    await refused({ trusted_ca_cert: `${root.slice(0, 300)}\n-----END CERTIFICATE-----` }, 'trusted_ca_cert', /damaged/)
    await refused({ trusted_ca_cert: expiredRoot }, 'trusted_ca_cert', /expired/)
    const { key } = await makeCertificate(['device'], gateway.clock.now())
    await refused({ trusted_ca_cert: key }, 'trusted_ca_cert', /private key/)
  })

  for (const auth_domain of ['', 'a b', 'a_b.example', '300.1.1.1', '10.0.0.1/24', 'https://gw.example', '::1', 7]) {
    it(`refuses the domain ${JSON.stringify(auth_domain)}`, () => refused({ auth_domain }, 'auth_domain'))
  }

  it('can still be changed when its certificate has expired', async () => {
    gateway.clock.advance(20 * 365 * 24 * 3600)
    admin = await gateway.client('predefined_admin_write')
    await patch(settingPath, { ...(await get(settingPath)), local_tunnel: false })
    assert.equal((await get(settingPath)).local_tunnel, false)
  })

  it('exchanges the version with an agent, whether it is on or off, and lets no one in', async () => {
    const faults: unknown[] = []
    const server = createServer()
    const sockets = serveSockets(server, {
      path: '/connect',
      ...agentSockets(gateway.services),
      onFault: (error) => faults.push(error),
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const version = { major: 19, minor: 1, build: 22, os: 'windows' }
    for (const enabled of [false, true]) {
      await patch(statePath, { enabled })
      const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/connect`)
      await once(socket, 'open')
      const ask = async (message: object) => {
        socket.send(JSON.stringify(message))
        const [event] = (await once(socket, 'message')) as [MessageEvent]
        return JSON.parse(String(event.data))
      }
      assert.deepEqual(await ask({ type: 'version', ...version }), {
        type: 'update',
        need_update: false,
        download_url: null,
        version,
      })
      const { message, ...answer } = await ask({ type: 'authorize', login: 'bob', password: 'secret' })
      assert.deepEqual(answer, { type: 'auth_state', authorized: false, need_tunnel: false, timeout: 0 })
      assert.match(message, enabled ? /does not contain/ : /switched off/)
      const isRefusal = ({ type, authorized, timeout }: { type: string; authorized: boolean; timeout: number }) =>
        assert.deepEqual([type, authorized, timeout], ['auth_state', false, 0])
      isRefusal(await ask({ type: 'nobody knows this' }))
      const last = once(socket, 'message')
      socket.send('{"type":')
      isRefusal(JSON.parse(String(((await last) as [MessageEvent])[0].data)))
      const [event] = (await once(socket, 'close')) as [CloseEvent]
      assert.equal(event.code, 1008)
    }
    sockets.close()
    server.close()
    assert.deepEqual(faults, [])
  })

  it('keeps everything across a restart', async () => {
    const kept = [await get(statePath), await get(settingPath)]
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual([await get(statePath), await get(settingPath)], kept)
  })
})
