// Someone with the rights of root alters the file of an engine and has the engine read it. While applyd hangs the engine
// behaves by the altered file; afterwards it behaves by ours again, without a change of the configuration.
// Requirement 76.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { dns } from '../../src/engines/dns/index.ts'
import { webFilter, webFilterPaths } from '../../src/engines/web-filter/index.ts'
import { wpad } from '../../src/engines/wpad/index.ts'
import { gatewayInside } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { WebLab } from '../support/web-lab.ts'

interface Altered {
  readonly engine: string
  /** Below the state folder. */
  readonly path: string
  readonly alter: (text: string) => string
  /** Has the engine read it. */
  readonly tell: () => void
  /** Whether the engine behaves by the altered file. */
  readonly isAltered: () => Promise<boolean>
}

describe('an engine that runs with an altered file', () => {
  let lab: WebLab
  before(async () => {
    lab = await WebLab.start()
    await lab.filter(true)
    await lab.setRules({ categories: [await lab.addCategory('Bad', ['bad.sites.test'])], access: 'deny' })
    await lab.api.ok('PATCH', '/proxy_backend/settings', { direct_enabled: true, direct_port: 3777 })
    await until('what is denied is denied', async () => (await lab.statusOf('http://bad.sites.test/')) === 403)
  })
  after(() => lab.stop())

  const signal = (program: string): void => {
    const pids = lab.gateway.processesOf(program)
    assert.notEqual(pids.length, 0, program)
    for (const pid of pids) process.kill(pid, 'SIGHUP')
  }
  const listens = async (port: number): Promise<boolean> => {
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/bin/ss', '-Hltn'])
    return stdout.includes(`:${port} `)
  }
  const cases: readonly Altered[] = [
    {
      engine: 'squid',
      path: webFilter.files['squid.conf'].path,
      alter: (text) => `http_port 127.0.0.1:3999 name=altered\n${text}`,
      tell: () => signal('/usr/sbin/squid\0'),
      isAltered: () => listens(3999),
    },
    {
      engine: 'filterd',
      path: webFilter.files['web-policy.json'].path,
      alter: (text) => text.replaceAll('"access":"deny"', '"access":"allow"'),
      tell: () => {
        const socket = connect(join(lab.gateway.stateDir, webFilterPaths.controlSocket), () => socket.write('reload\n'))
        socket.on('error', () => {}).on('data', () => socket.destroy())
      },
      isAltered: async () => (await lab.statusOf('http://bad.sites.test/')) === 200,
    },
    {
      engine: 'unbound',
      path: dns.files['unbound.conf'].path,
      alter: (text) => text.replace(/^server:\n/m, 'server:\n  local-data: "altered.sites.test. A 192.0.2.99"\n'),
      tell: () => signal('/usr/sbin/unbound\0'),
      isAltered: async () => {
        const question = ['/usr/bin/dig', `@${gatewayInside}`, '+short', '+tries=1', '+time=2', 'altered.sites.test']
        return (await lab.gateway.exec('client', question)).stdout.includes('192.0.2.99')
      },
    },
    {
      engine: 'proxy file',
      path: wpad.files['wpad.json'].path,
      alter: (text) => text.replaceAll('3777', '3778'),
      tell: () => signal('wpad.json'),
      isAltered: async () => (await lab.ask(`http://${gatewayInside}/wpad.dat`)).body.includes(':3778'),
    },
  ]

  for (const { engine, path, alter, tell, isAltered } of cases)
    it(`is given ours again: ${engine}`, async () => {
      const file = join(lab.gateway.stateDir, path)
      const ours = readFileSync(file, 'utf8')
      const { applyd } = lab.gateway.pids()
      lab.gateway.log.allow(/The apply service/, /web proxy/i)
      process.kill(applyd, 'SIGSTOP')
      try {
        assert.notEqual(alter(ours), ours)
        writeFileSync(file, alter(ours))
        tell()
        await until(`${engine} behaves by the altered file`, isAltered)
      } finally {
        process.kill(applyd, 'SIGCONT')
      }
      await until(`${engine} behaves by ours`, async () => !(await isAltered()))
      assert.equal(readFileSync(file, 'utf8'), ours)
    })
})
