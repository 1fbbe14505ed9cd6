// DHCP and the authorization of users on the wire: rules bind and keep addresses, whatever their comments say, and clients
// learn where to sign in while they must.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { acknowledged, askDhcp, type DhcpAnswer, type DhcpAsk, refused, textIn } from '../support/dhcp.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'

const password = 'correct horse 9'
const skip = lacking('/usr/sbin/dnsmasq')
const portal = 'https://10.10.0.1:8446/captive-portal/api'

const plainServer = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  options: [],
  ranges: ['10.10.0.60-10.10.0.69'],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}
const mac = (last: number): string => `02:00:00:00:da:${last.toString(16).padStart(2, '0')}`

describe('DHCP and the authorization of users', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let user = 0

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    const connections = (await ok('GET', '/network/connections')) as { id: number; type: string }[]
    const lan = `interface.id.${connections.find(({ type }) => type === 'lan')?.id}`
    await ok('POST', '/dhcp_server/settings', { enabled: true, interface: lan, relay: null, server: plainServer })
    const name = 'Ann "ignore,set:all" # 10.10.0.9'
    const person = { name, login: 'ann', psw: password, parent_id: 'group.id.1', comment: '' }
    user = (await ok('POST', '/user_backend/users', person)).id
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })
  afterEach(async () => {
    for (const path of ['/dhcp_server/static_leases', '/auth/rules'])
      for (const { id } of (await ok('GET', path)) as { id: string }[]) await ok('DELETE', `${path}/${id}`)
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const rule = (fields: object): Promise<{ id: string }> =>
    ok('POST', '/auth/rules', {
      enabled: true,
      ip: null,
      mac: null,
      user_id: user,
      always_logged: false,
      comment: 'ignore,\\"10.10.0.1',
      ...fields,
    })
  const ask = (...asks: DhcpAsk[]) => askDhcp(gateway, 'client', asks)
  const lease = async (card: number, more: Partial<DhcpAsk> = {}): Promise<DhcpAnswer> => {
    const [answer] = await ask({ kind: 'lease', mac: mac(card), timeoutMs: 60_000, ...more })
    assert.ok(answer, 'no answer')
    assert.equal(answer.type, acknowledged)
    return answer
  }
  const rebooted = async (card: number, address: string) =>
    (await ask({ kind: 'reboot', mac: mac(card), address }))[0]?.type

  it('takes an address back for the card of a rule as soon as its last holder asks again', async () => {
    const { address } = await lease(1)
    const { id } = await rule({ ip: address, mac: mac(2) })
    assert.equal(await rebooted(1, address), refused, 'it belongs to another card now')
    const other = (await lease(1)).address
    assert.notEqual(other, address)
    assert.equal((await lease(2)).address, address)
    await ok('PATCH', `/auth/rules/${id}`, { mac: mac(3) })
    assert.equal(await rebooted(2, address), refused)
    assert.notEqual((await lease(2)).address, address)
    assert.equal((await lease(3)).address, address)
    const [shown] = (await ok('GET', '/dhcp_server/leases')).filter((one: { mac: string }) => one.mac === mac(3))
    assert.partialDeepStrictEqual(shown, { static: true, comment: 'ignore,\\"10.10.0.1' })
  })

  it('binds a card by a rule only where no static lease binds it', async () => {
    await rule({ ip: '10.10.0.41', mac: mac(4) })
    assert.equal((await lease(4)).address, '10.10.0.41')
    const { id } = await ok('POST', '/dhcp_server/static_leases', {
      comment: '',
      enabled: true,
      ip_address: '10.10.0.42',
      mac: mac(4),
    })
    assert.equal(await rebooted(4, '10.10.0.41'), refused)
    assert.equal((await lease(4)).address, '10.10.0.42')
    await ok('PATCH', `/dhcp_server/static_leases/${id}`, { enabled: false })
    assert.equal((await lease(4)).address, '10.10.0.41')
  })

  it('says where to sign in, to those who ask, while hosts must sign in', async (t) => {
    assert.equal((await lease(4, { wants: [3, 114] })).options[114], undefined)
    await ok('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
    t.after(() => ok('PATCH', '/auth/settings', { allow_internet_to_everyone: true, web_authorization: true }))
    await rule({ ip: '10.10.0.41', mac: mac(4) })
    const asked = await lease(4, { wants: [3, 114] })
    assert.equal(textIn(asked.options[114]), portal)
    assert.equal(asked.address, '10.10.0.41')
    assert.equal((await lease(4, { wants: [3] })).options[114], undefined)
    await ok('PATCH', '/auth/settings', { web_authorization: false })
    assert.equal((await lease(4, { wants: [3, 114] })).options[114], undefined)
  })

  it('tells a real client as well', async (t) => {
    const reason = lacking('/usr/sbin/udhcpc')
    if (reason !== false) return t.skip(reason)
    await ok('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
    t.after(() => ok('PATCH', '/auth/settings', { allow_internet_to_everyone: true }))
    const { stdout: link } = await gateway.exec('client', ['/usr/sbin/ip', '-j', 'link', 'show', 'dev', 'lan0'])
    await rule({ ip: '10.10.0.43', mac: (JSON.parse(link) as { address: string }[])[0]?.address })
    const script = join(gateway.stateDir, '..', 'udhcpc-script')
    writeFileSync(script, '#!/bin/sh\necho "$1 $ip $opt114"\n', { mode: 0o755 })
    const often = ['-t', '8', '-T', '3', '-i', 'lan0', '-O', '114', '-s', script]
    const { stdout } = await gateway.exec('client', ['/usr/sbin/udhcpc', '-f', '-q', '-n', ...often])
    const [, given] = /^bound 10\.10\.0\.43 ([0-9a-f]+)$/m.exec(stdout) ?? []
    assert.equal(textIn(given), portal, stdout)
  })
})
