// What one host can hold of the web proxy: as many idle connections as it can open, to every port that the proxy has for clients.
// Another host is served in the meantime, and what is denied stays denied, whatever the proxy is to do when it fails. Uploads that no server
// takes cost the proxy little, and those that one takes slowly arrive.
// Requirements 35 and 73.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { proxyShare } from '../../src/engines/web-filter/index.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { client, gatewayInside } from '../support/firewall-lab.ts'
import type { LabHost } from '../support/lab-hosts.ts'
import { until } from '../support/until.ts'
import { macOf } from '../support/user-lab.ts'
import { type AskOptions, siteAddress, WebLab } from '../support/web-lab.ts'

const directPort = 3777
const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
/** More than its share, and some that the proxy has not ended yet. */
const [tried, slack] = [1_500, 60]

describe('one host and the web proxy', () => {
  let lab: WebLab
  let other: LabHost
  before(async () => {
    lab = await WebLab.start()
    await lab.filter(true)
    await lab.setRules({ categories: [await lab.addCategory('Bad', ['bad.sites.test'])], access: 'deny' })
    await setProxy({ direct_enabled: true, direct_port: directPort })
    other = await lab.users.hosts.beside({ address: '10.10.0.77/24', mac: macOf(77) })
    const isServed = async () => (await lab.statusOf('http://good.sites.test/', fromOther())) === 200
    await until('another host is served', isServed)
  })
  after(() => lab.stop())

  const setProxy = (fields: object) => lab.api.ok('PATCH', '/proxy_backend/settings', fields)
  const fromOther = (...args: readonly string[]): AskOptions => ({ enter: other.enter, args })
  const proxyItem = async (): Promise<{ status: string; msg: string[] }> => {
    const items = (await lab.api.ok('GET', '/proxy_backend/status')) as {
      name: string
      status: string
      msg: string[]
    }[]
    return items.find(({ name }) => name === 'web-proxy') ?? assert.fail()
  }
  const proxies = () => lab.gateway.processesOf('/usr/sbin/squid\0')
  /** Of the client, at the proxy. */
  const held = async (): Promise<number> => {
    const filter = ['-Hnt', 'state', 'established', 'dst', client]
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/bin/ss', ...filter])
    return stdout.split('\n').filter((line) => /:(?:80|443|3777) /.test(line)).length
  }

  const hold = (count: number, ...args: readonly string[]) => startProgram('idle-holder.ts', count, ...args)
  const startProgram = (name: string, count: number, ...args: readonly string[]) => {
    holders++
    const stop = join(lab.folder, `stop-${holders}`)
    const program = [runtimePath(appRoot), join(import.meta.dirname, '../support', name), stop, String(count)]
    const running = lab.gateway.exec('client', [...program, ...args], { timeoutMs: 600_000 })
    void running.catch(() => {})
    const end = async (): Promise<void> => {
      writeFileSync(stop, '')
      await running
    }
    return { end }
  }
  let holders = 0

  for (const mode of ['block', 'pass'] as const)
    it(`holds its share and no more: ${mode}`, async () => {
      await setProxy({ on_failure: mode })
      const places = [`${siteAddress}:80`, `${siteAddress}:443`, `${gatewayInside}:${directPort}`]
      const holding = hold(tried, '-', ...places)
      try {
        let most = 0
        await until('it holds its share', async () => {
          most = Math.max(most, await held())
          return most > proxyShare - slack
        })
        for (let round = 0; round < 5; round++) {
          await lab.expectStatus('http://good.sites.test/', 200, fromOther())
          await lab.expectStatus('http://bad.sites.test/', 403, fromOther())
          await lab.expectStatus('https://good.sites.test/', 200, { trusts: 'sites', ...fromOther() })
          await lab.expectStatus('https://bad.sites.test/', 403, { trusts: 'gateway', ...fromOther() })
          const direct = fromOther('-x', `http://${gatewayInside}:${directPort}`)
          await lab.expectStatus('http://bad.sites.test/', 403, direct)
        }
        await until('it holds no more than its share', async () => (await held()) <= proxyShare + slack)
        assert.equal((await proxyItem()).status, 'active')
      } finally {
        await holding.end()
      }
      await until('it is served itself', async () => (await lab.statusOf('http://good.sites.test/')) === 200)
    })

  // Squid copies what it has read ahead for every few bytes that arrive: with 8 MB this takes minutes of its time.
  it('has others wait for no one whose server does not read', async () => {
    const [pid = assert.fail('it does not run')] = proxies()
    const count = 60
    const before = processorSeconds(pid)
    const holding = startProgram('upload-holder.ts', count, 'good.sites.test', siteAddress)
    try {
      let seen = ''
      await until('the proxy takes nothing more from it', async () => {
        const used = processorSeconds(pid) - before
        assert.ok(used < 20, `${used} seconds of the processor`)
        const { stdout } = await lab.gateway.exec('gateway', [
          '/usr/bin/ss',
          '-Hnt',
          'state',
          'established',
          'dst',
          client,
        ])
        const unread = stdout.split('\n').flatMap((line) => /^\s*([1-9]\d+) .*:80 /.exec(line)?.[1] ?? [])
        const isSame = seen === unread.join()
        seen = unread.join()
        return unread.length >= count && isSame
      })
      await lab.expectStatus('http://good.sites.test/', 200, fromOther())
      await lab.expectStatus('http://bad.sites.test/', 403, fromOther())
      assert.deepEqual(proxies(), [pid])
    } finally {
      await lab.release()
      await holding.end()
    }
  })

  it('can upload more than the proxy keeps to a server that is slower: plain, to the direct port, and decrypted', async () => {
    const rules = [{ categories: ['special.id.1'], access: 'bump' } as const]
    const [bad = assert.fail()] = (await lab.api.ok('GET', '/content-filter/users_categories')) as { id: string }[]
    await lab.setRules(...rules, { categories: [bad.id], access: 'deny' })
    const before = proxies()
    const [file, size] = [join(lab.folder, 'upload'), 32_000_000]
    writeFileSync(file, Buffer.alloc(size, 'x'))
    const upload = ['-m', '600', '-X', 'POST', '-H', 'Expect:', '--data-binary', `@${file}`]
    const direct = ['-x', `http://${gatewayInside}:${directPort}`]
    const ways = [
      ['http://good.sites.test/slow', []],
      ['https://good.sites.test/slow', []],
      ['http://good.sites.test/slow', direct],
      ['https://good.sites.test/slow', direct],
    ] as const
    const answers = ways.map(async ([url, args]) => {
      const answer = await lab.ask(url, { args: [...upload, ...args] })
      const bytes = /x-bytes-of-request: (\d+)/.exec(answer.headers)?.[1] ?? answer.fault
      return `${url} ${args.length} ${bytes}`
    })
    const wanted = ways.map(([url, args]) => `${url} ${args.length} ${size}`)
    assert.deepEqual(await Promise.all(answers), wanted)
    assert.deepEqual(proxies(), before)
  })

  // Sixteen thousand connections are for the night.
  it('fills the proxy with many addresses, and nothing passes', { skip: isNightly ? false : 'nightly' }, async () => {
    lab.gateway.log.allow(/the web proxy/)
    await setProxy({ on_failure: 'pass' })
    const sources = Array.from({ length: 45 }, (_, at) => `10.10.0.${100 + at}`)
    const device = (await lab.gateway.exec('client', ['/usr/sbin/ip', '-o', 'route', 'get', gatewayInside])).stdout
    const name = / dev (\S+)/.exec(device)?.[1] ?? assert.fail(device)
    await lab.users.wire.addAddresses(
      'client',
      name,
      sources.map((address) => `${address}/24`),
    )
    const holding = hold(sources.length * proxyShare, sources.join(','), `${siteAddress}:80`)
    try {
      await until('the proxy is full', async () => {
        assert.notEqual(await lab.statusOf('http://bad.sites.test/', fromOther('-m', '3')), 200)
        return /as many connections as it can/.test((await proxyItem()).msg.join(' '))
      })
      for (let round = 0; round < 20; round++) {
        assert.notEqual(await lab.statusOf('http://bad.sites.test/', fromOther('-m', '3')), 200)
        assert.notEqual(
          await lab.statusOf('https://bad.sites.test/', { trusts: 'sites', ...fromOther('-m', '3') }),
          200,
        )
      }
    } finally {
      await holding.end()
    }
    const isBack = async () => (await lab.statusOf('http://bad.sites.test/', fromOther('-m', '5'))) === 403
    await until('it serves again', isBack)
  })

  it('is not waited for: a connection without a request ends, one with half a request, and one after its request', async () => {
    const tries = [
      [80, ''],
      [80, 'GET / HTTP/1.1\r\nHost: www.exa'],
      [443, ''],
      [443, '\x16\x03\x01\x02\x00\x01'],
      [80, 'GET / HTTP/1.1\r\nHost: good.sites.test\r\n\r\n'],
    ] as const
    const ends = tries.map(async ([port, bytes]) => {
      const code = `const s=require('net').connect(${port},'${siteAddress}',()=>s.write(${JSON.stringify(bytes)},'latin1'))
s.on('data',()=>{}).on('error',()=>{}).on('close',()=>console.log('ended'))`
      const { stdout } = await lab.gateway.exec('client', [process.execPath, '-e', code])
      assert.equal(stdout.trim(), 'ended', `${port} ${JSON.stringify(bytes)}`)
    })
    await Promise.all(ends)
  })
})

/** Of user and kernel; the fields after the name are in hundredths. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
