// The monitoring agent and its servers, with the protocol of Zabbix on the wire: passive checks from listed servers only, active
// checks to a server that speaks the protocol, and nothing left when it is off.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { ApiClient } from '../support/api-client.ts'
import { client, gatewayInside, otherClient, password } from '../support/firewall-lab.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const skip = lacking('/usr/sbin/zabbix_agentd')
const url = '/monitor_backend/zabbix_agent'
const [outside, gatewayOutside] = ['203.0.113.1', '203.0.113.2']
const script = (name: string) => [runtimePath(appRoot), join(import.meta.dirname, '..', 'support', name)]

describe('the monitoring agent on the wire', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await run('client', '/usr/sbin/ip', 'address', 'add', `${otherClient}/24`, 'dev', 'lan0')
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
  const run = async (namespace: string, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await gateway.exec(namespace, command)
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const set = (fields: object) => ok('PATCH', url, fields)
  const runs = async (): Promise<boolean> => (await ok('GET', `${url}/status`)).enabled
  const ask = async (key: string, source = client, port = 10_050): Promise<string | null> =>
    JSON.parse(await run('client', ...script('zabbix-ask.ts'), gatewayInside, String(port), key, source))
  const askFromInternet = async (key: string): Promise<string | null> =>
    JSON.parse(await run('internet', ...script('zabbix-ask.ts'), gatewayOutside, '10050', key, outside))
  const ports = async (): Promise<string[]> => {
    const listed = await run('gateway', '/usr/bin/ss', '-Hlnt', 'sport >= :10050 and sport <= :10051')
    return [...listed.matchAll(/:(1005[01]) /g)].map(([, port]) => port ?? '')
  }

  it('does not run at first', async () => {
    assert.equal(await runs(), false)
    assert.deepEqual(await ports(), [])
  })

  it('answers passive checks of its servers and of no one else', async () => {
    await set({ enabled: true, passive_mode_enabled: true, passive_mode_servers: [client], hostname: 'lab gateway' })
    assert.equal(await runs(), true)
    assert.equal(await ask('agent.ping'), '1')
    assert.equal(await ask('agent.hostname'), 'lab gateway')
    assert.match((await ask('net.if.in[wan0]')) ?? '', /^\d+$/)
    assert.equal(await ask('agent.ping', otherClient), null)
    assert.equal(await askFromInternet('agent.ping'), null)
  })

  it('runs no command of a server, and shows no file of the gateway', async () => {
    assert.match((await ask('system.run[id]')) ?? '', /^ZBX_NOTSUPPORTED/)
    const records = join(gateway.stateDir, 'applyd', 'units.json')
    assert.equal(existsSync(records), true)
    assert.match((await ask(`vfs.file.contents[${records}]`)) ?? '', /^ZBX_NOTSUPPORTED/)
    // What every account of the machine can read it shows.
    assert.match((await ask('vfs.file.contents[/etc/os-release]')) ?? '', /^ID=debian$/m)
  })

  it('answers servers behind external interfaces, with a port that means nothing', async () => {
    await set({ passive_mode_servers: [client, `${outside}:10051`] })
    assert.equal(await askFromInternet('agent.ping'), '1')
    assert.equal(await ask('agent.ping'), '1')
  })

  it('listens on the other port when it is told to', async () => {
    await set({ listen_port: 10_051 })
    assert.deepEqual([...new Set(await ports())], ['10051'])
    assert.equal(await ask('agent.ping', client, 10_051), '1')
  })

  const itemKeys = new Map([[1, 'agent.hostname']])

  it('sends values to the server of the active mode, and listens nowhere without the passive one', async () => {
    const received = run('client', ...script('zabbix-server.ts'), client, '10077', 'agent.hostname')
    const listens = async () => (await run('client', '/usr/bin/ss', '-Hlnt', 'sport = :10077')) !== ''
    await until('the server listens', listens)
    await set({ passive_mode_enabled: false, active_mode_enabled: true, active_mode_servers: [`${client}:10077`] })
    assert.deepEqual(await ports(), [])
    assert.equal(await runs(), true)
    const { host, data } = JSON.parse(await received)
    // Since version 7 the agent names its host once, and items by the number that the server gave them.
    const [{ key = itemKeys.get(data[0].itemid), value }] = data
    assert.deepEqual([host ?? data[0].host, key, value], ['lab gateway', 'agent.hostname', 'lab gateway'])
  })

  it('is started again when it dies', async () => {
    const find = ['/usr/bin/pgrep', '-o', '-f', 'zabbix_agentd .*zabbix-agent.conf']
    // Empty while there is none.
    const pidOf = async (): Promise<string> => (await gateway.exec('gateway', find)).stdout.trim()
    const before = await pidOf()
    assert.notEqual(before, '')
    gateway.log.expect(/monitoring-agent ended with signal SIGKILL/)
    await run('gateway', '/usr/bin/kill', '-KILL', before)
    await until('another one runs', async () => (await runs()) && !['', before].includes(await pidOf()))
  })

  it('ends when it is switched off', async () => {
    await set({ active_mode_enabled: false, passive_mode_enabled: true })
    assert.equal(await ask('agent.ping', client, 10_051), '1')
    await set({ enabled: false })
    assert.equal(await runs(), false)
    assert.deepEqual(await ports(), [])
    assert.equal(await ask('agent.ping', client, 10_051), null)
  })
})
