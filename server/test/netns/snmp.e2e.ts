// SNMP from hosts of the lab with the programs that administrators use: who can read with which secret, what is read, that a
// change keeps the process, and that nothing answers when it is off.

import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { ApiClient } from '../support/api-client.ts'
import { client, gatewayInside, otherClient, password } from '../support/firewall-lab.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const skip = lacking('/usr/sbin/snmpd', '/usr/bin/snmpget')
const [outside, gatewayOutside] = ['203.0.113.1', '203.0.113.2']
const oids = { name: '1.3.6.1.2.1.1.5.0', location: '1.3.6.1.2.1.1.6.0', contact: '1.3.6.1.2.1.1.4.0' }
const community = 'a "secret" \\ word'
const [authKey, privacyKey] = ['an authentication "key"', 'a \\ privacy key']

interface Reading {
  readonly from?: 'client' | 'internet'
  readonly source?: string
  readonly to?: string
  readonly secret: readonly string[]
}

const v2 = (text = community) => ['-v2c', '-c', text]
const v3 = (auth = authKey, privacy: string | null = privacyKey) => [
  '-v3',
  '-u',
  'reader',
  '-a',
  'MD5',
  '-A',
  auth,
  ...(privacy === null ? ['-l', 'authNoPriv'] : ['-l', 'authPriv', '-x', 'AES', '-X', privacy]),
]

describe('SNMP on the wire', { skip }, () => {
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
  const set = (fields: object) => ok('PATCH', '/monitor_backend/snmp/settings', fields)
  const turn = (enabled: boolean) => ok('PATCH', '/monitor_backend/snmp/state', { enabled })
  const status = async () => (await ok('GET', '/monitor_backend/snmp/status'))[0]
  const pids = async (): Promise<string> => {
    const listed = await run('gateway', '/usr/bin/ss', '-Hlnup', 'sport = :161')
    return [...listed.matchAll(/pid=(\d+)/g)].map(([, pid]) => pid).join()
  }

  const ask = (
    { from = 'client', source = from === 'client' ? client : outside, to = gatewayInside, secret }: Reading,
    oid: string,
    tries: readonly string[],
  ) =>
    gateway.exec(from, ['/usr/bin/snmpget', '-m', '', '-Oqv', ...tries, `--clientaddr=${source}`, ...secret, to, oid])
  /** What a reader gets, which must come. */
  const read = async (reading: Reading, oid: string = oids.name): Promise<string> => {
    const { code, stdout, stderr } = await ask(reading, oid, ['-t', '5', '-r', '5'])
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }
  /** A reader who must not get anything: refused, or no answer to either of two requests. */
  const isRefused = async (reading: Reading): Promise<boolean> => {
    const { code, stdout } = await ask(reading, oids.name, ['-t', '0.5', '-r', '1'])
    assert.equal(code === 0, stdout.trim() !== '')
    return code !== 0
  }

  it('does not run at first, nor while no one could read', async () => {
    assert.equal(await pids(), '')
    await turn(true)
    assert.equal((await status()).status, 'failed')
    assert.equal(await pids(), '')
  })

  it('is read by a trusted host with the community, and shows the texts as they were written', async () => {
    const texts = { name: 'gateway "one"', location: 'Rack 5 # left; \\', contact: '[snmp] persistentDir /etc' }
    await set({ version: 2, community, hosts: [client], ...texts })
    await until('it runs', async () => (await status()).status === 'active')
    assert.equal(await read({ secret: v2() }), '"gateway \\"one\\""')
    assert.equal(await read({ secret: v2() }, oids.location), '"Rack 5 # left; \\\\"')
    assert.equal(await read({ secret: v2() }, oids.contact), '"[snmp] persistentDir /etc"')
    assert.equal(await read({ secret: ['-v1', '-c', community] }), '"gateway \\"one\\""')
  })

  it('is not read with another community, by another host or from outside', async () => {
    assert.ok(await isRefused({ secret: v2('public') }))
    assert.ok(await isRefused({ source: otherClient, secret: v2() }))
    await set({ hosts: [client, outside] })
    assert.ok(await isRefused({ from: 'internet', to: gatewayOutside, secret: v2() }))
    assert.equal(await read({ secret: v2() }), '"gateway \\"one\\""')
  })

  it('is read from outside by trusted hosts when that is allowed', async () => {
    await set({ allow_external: true })
    assert.equal(await read({ from: 'internet', to: gatewayOutside, secret: v2() }), '"gateway \\"one\\""')
    await set({ hosts: ['10.10.0.0/24'] })
    assert.ok(await isRefused({ from: 'internet', to: gatewayOutside, secret: v2() }))
    assert.equal(await read({ source: otherClient, secret: v2() }), '"gateway \\"one\\""')
    await set({ allow_external: false, hosts: [client] })
  })

  it('cannot be changed over SNMP', async () => {
    const { code } = await gateway.exec('client', [
      '/usr/bin/snmpset',
      '-m',
      '',
      '-t',
      '5',
      '-r',
      '3',
      ...v2(),
      gatewayInside,
      oids.name,
      's',
      'other',
    ])
    assert.notEqual(code, 0)
    assert.equal(await read({ secret: v2() }), '"gateway \\"one\\""')
  })

  it('with version 3 is read with password and key, and with neither alone', async () => {
    const before = await pids()
    await set({ version: 3, user: 'reader', password: authKey, private_key: privacyKey })
    await until('the user is known', async () => !(await isRefused({ secret: v3() })))
    assert.equal(await read({ secret: v3() }), '"gateway \\"one\\""')
    assert.ok(await isRefused({ secret: v3('another password') }))
    assert.ok(await isRefused({ secret: v3(authKey, 'another key') }))
    assert.ok(await isRefused({ secret: v3(authKey, null) }))
    assert.ok(await isRefused({ secret: v2() }))
    assert.ok(await isRefused({ source: otherClient, secret: v3() }))
    assert.equal(await pids(), before, 'a change does not restart it')
  })

  it('is lost at once by a host that is no longer trusted, although it keeps asking from the same port', async () => {
    const fixed = { source: `${client}:40161`, secret: v3() }
    assert.equal(await read(fixed), '"gateway \\"one\\""')
    await set({ hosts: [otherClient] })
    assert.ok(await isRefused(fixed))
    await set({ hosts: [client] })
    assert.equal(await read(fixed), '"gateway \\"one\\""')
  })

  it('takes a new password at once, after a crash and after being off too', async () => {
    await set({ password: 'the second password' })
    const fresh = { secret: v3('the second password') }
    await until('it counts', async () => !(await isRefused(fresh)))
    assert.ok(await isRefused({ secret: v3() }))
    const before = await pids()
    gateway.log.expect(/snmp ended with signal SIGKILL/)
    await run('gateway', '/usr/bin/kill', '-KILL', before)
    await until('it runs again', async () => !['', before].includes(await pids()))
    assert.equal(await read(fresh), '"gateway \\"one\\""')
    assert.ok(await isRefused({ secret: v3() }))
    // Changed while it does not run: what it kept must not bring the old one back.
    await turn(false)
    await set({ password: 'the third password' })
    await turn(true)
    assert.equal(await read({ secret: v3('the third password') }), '"gateway \\"one\\""')
    assert.ok(await isRefused(fresh))
  })

  it('counts the packets of an interface as the kernel does', async () => {
    await set({ version: 2 })
    await until('the community counts again', async () => !(await isRefused({ secret: v2() })))
    const device = async () =>
      JSON.parse(await run('gateway', '/usr/sbin/ip', '-json', '-s', 'link', 'show', 'wan0'))[0]
    const index = (await device()).ifindex
    const counted = async () => Number(await read({ secret: v2() }, `1.3.6.1.2.1.31.1.1.1.7.${index}`))
    const inKernel = async (): Promise<number> => (await device()).stats64.rx.packets
    const before = await inKernel()
    const send = `const s = require('node:dgram').createSocket('udp4')
      let left = 500
      const next = () => (left-- > 0 ? s.send('x', 9, '${gatewayOutside}', next) : s.close())
      next()`
    await run('internet', runtimePath(appRoot), '-e', send)
    await until('SNMP shows what the kernel counted', async () => {
      const [first, shown, last] = [await inKernel(), await counted(), await inKernel()]
      return first === last && shown === last
    })
    assert.ok((await inKernel()) - before >= 500)
    assert.equal(await read({ secret: v2() }, `1.3.6.1.2.1.31.1.1.1.1.${index}`), '"wan0"')
  })

  it('keeps its secrets from other accounts and from logs', async () => {
    const file = join(gateway.stateDir, 'snmp', 'snmpd.conf')
    assert.equal(statSync(file).mode & 0o777, 0o640)
    assert.match(readFileSync(file, 'utf8'), /^com2sec trusted 10\.10\.0\.2\/32 "a \\"secret\\" \\\\ word"$/m)
    for (const [name, text] of Object.entries(gateway.logs()))
      for (const secret of [community, authKey, privacyKey, 'second password', 'third password'])
        assert.ok(!text.includes(secret), `${name} holds a secret`)
  })

  it('leaves nothing behind when it is switched off', async () => {
    await turn(false)
    assert.equal(await pids(), '')
    assert.ok(await isRefused({ secret: v2() }))
    assert.equal((await status()).status, 'inactive')
    assert.throws(() => statSync(join(gateway.stateDir, 'snmp', 'snmpd.conf')))
  })
})
