// The detection of applications on real traffic: connections on ports that say nothing are shown as what they are, names from
// the network change nothing else, and without the engine the status does not pretend that it works.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { classifierPaths } from '../../src/engines/traffic-classifier/index.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { applicationPorts } from '../support/application-traffic.ts'
import { client, type FirewallLab, server, startFirewallLab } from '../support/firewall-lab.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

interface Session {
  readonly source_ip: string
  readonly source_proto: string
  readonly application: string
}

describe('the detection of applications', { skip: lacking('/usr/bin/ndpiReader') }, () => {
  let lab: FirewallLab
  let opened = ''
  const script = [runtimePath(appRoot), join(appRoot, 'server/test/support/application-traffic.ts')]
  const run = (namespace: string, ...args: readonly string[]): void =>
    void lab.gateway.exec(namespace, [...script, ...args], { timeoutMs: 900_000 }).catch(() => {})
  const portOf = (kind: string): string | undefined =>
    readFileSync(opened, 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${kind} `))
      ?.split(' ')[1]
  const processes = (): readonly number[] => lab.gateway.processesOf(classifierPaths.report)
  const status = async (): Promise<{ readonly status: string; readonly msg: readonly string[] }> =>
    (await lab.api.ok('GET', '/monitor/application_detection/status'))[0]
  /** Empty while there is none. */
  const report = (): string => {
    try {
      return readFileSync(join(lab.gateway.stateDir, classifierPaths.report), 'utf8')
    } catch {
      return ''
    }
  }
  const sessionOf = async (kind: string): Promise<Session | undefined> => {
    const sessions = (await lab.api.ok('GET', '/reports/traffic/sessions')) as Session[]
    return sessions.find((one) => one.source_ip === client && one.source_proto === `TCP:${portOf(kind)}`)
  }
  const kinds = ['ssh', 'http', 'nonsense', 'video', 'plain-tls', 'hostile']

  before(async () => {
    lab = await startFirewallLab()
    opened = join(lab.gateway.stateDir, 'opened')
    writeFileSync(opened, '')
    const { chain, key } = await makeCertificate(['example.net'], new Date())
    const pem = join(lab.gateway.stateDir, 'server.pem')
    writeFileSync(pem, `${chain}\n${key}\n`)
    run('internet', 'serve', server, pem)
    await until('the servers listen', async () => {
      const { stdout } = await lab.gateway.exec('internet', ['/usr/bin/ss', '-Hltn'])
      return Object.values(applicationPorts).every((port) => stdout.includes(`:${port} `))
    })
  })
  after(() => lab.stop())

  it('is off at first, and says so', async () => {
    assert.deepEqual(await lab.api.ok('GET', '/monitor/application_detection'), { enabled: false })
    assert.equal((await status()).status, 'inactive')
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/sbin/nft', 'list', 'ruleset'])
    assert.doesNotMatch(stdout, /log group 7/)
  })

  it('shows connections on odd ports as the applications they are', async () => {
    await lab.api.ok('PATCH', '/monitor/application_detection', { enabled: true })
    await until('it runs', async () => (await status()).status === 'active')
    run('client', 'open', server, opened)
    await until('everything has carried something', () => kinds.every((kind) => portOf(kind) !== undefined))
    const expected = { ssh: 'SSH', http: 'HTTP', video: 'YouTube', 'plain-tls': 'TLS' }
    for (const [kind, name] of Object.entries(expected)) {
      await until(`${kind} is recognised`, async () => ((await sessionOf(kind))?.application ?? '') !== '')
      assert.equal((await sessionOf(kind))?.application, name)
    }
  })

  it('leaves out what it does not recognise, and takes no syntax from names of the network', async () => {
    await until('the hostile one is recognised', async () => ((await sessionOf('hostile'))?.application ?? '') !== '')
    assert.equal((await sessionOf('hostile'))?.application, 'TLS')
    assert.equal((await sessionOf('nonsense'))?.application, '')
    const top = (await lab.api.ok('GET', '/reports/traffic/top/applications')) as {
      application: string
      sessions: number
    }[]
    const sessionsOf = (name: string) => top.find(({ application }) => application === name)?.sessions
    assert.deepEqual([sessionsOf('SSH'), sessionsOf('YouTube'), sessionsOf('')], [1, 1, undefined])
  })

  it('runs as an account of its own with one right', () => {
    const found = processes()
    assert.equal(found.length, 1)
    const text = readFileSync(`/proc/${found[0]}/status`, 'utf8')
    assert.doesNotMatch(text, /^Uid:\t0/m)
    assert.match(text, /^CapEff:\t0+1000$/m)
    assert.match(text, /^CapBnd:\t0+1000$/m)
  })

  it('recognises again after its process died', async () => {
    const before = portOf('ssh')
    const [pid = assert.fail('it does not run')] = processes()
    lab.gateway.log.expect(/^error: applyd: traffic-classifier ended with signal SIGKILL/)
    process.kill(pid, 'SIGKILL')
    // It stays until another one begins, which writes its own when it listens.
    const old = report()
    await until('another one runs', () => {
      const others = processes()
      return others.length === 1 && others[0] !== pid
    })
    await until('it listens', () => !['', old].includes(report()))
    await until('that is known', async () => (await status()).status === 'active')
    writeFileSync(opened, '')
    run('client', 'open', server, opened)
    await until('there is another connection', () => portOf('ssh') !== undefined && portOf('ssh') !== before)
    await until('it is recognised', async () => (await sessionOf('ssh'))?.application === 'SSH')
  })

  it('shows nothing any more when it is switched off', async () => {
    await lab.api.ok('PATCH', '/monitor/application_detection', { enabled: false })
    assert.equal((await status()).status, 'inactive')
    assert.equal((await sessionOf('ssh'))?.application, '')
    assert.deepEqual(await lab.api.ok('GET', '/reports/traffic/top/applications'), [])
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/sbin/nft', 'list', 'ruleset'])
    assert.doesNotMatch(stdout, /log group 7/)
  })
})
