// The web proxy itself: clients that name it, the files they download, and what happens to web traffic while the decision
// process or the proxy is dead or hangs.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { gatewayInside } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { type AskOptions, namelessAddress, WebLab } from '../support/web-lab.ts'

const all = 'special.id.1'
const denied = 'http://bad.sites.test/'
const open = 'http://good.sites.test/'
const secure = 'https://good.sites.test/'

describe('the web proxy', () => {
  let lab: WebLab
  let bad: string
  before(async () => {
    lab = await WebLab.start()
    await lab.filter(true)
    bad = await lab.addCategory('Bad', ['bad.sites.test', namelessAddress])
    await lab.setRules({ categories: [bad], access: 'deny' })
  })
  after(() => lab.stop())
  beforeEach(() => lab.forget())

  const setProxy = (fields: object) => lab.api.ok('PATCH', '/proxy_backend/settings', fields)
  const statusOf = async (name: string): Promise<{ status: string; msg: string[] }> => {
    const items = [
      ...(await lab.api.ok('GET', '/proxy_backend/status')),
      ...(await lab.api.ok('GET', '/content-filter/status')),
    ] as { name: string; status: string; msg: string[] }[]
    return items.find((item) => item.name === name) ?? assert.fail(`no ${name} in ${JSON.stringify(items)}`)
  }
  const says = (name: string, status: string, text: RegExp) =>
    until(`${name} is ${status} and says ${text}`, async () => {
      const item = await statusOf(name)
      return item.status === status && text.test(item.msg.join(' '))
    })
  const pidsOf = (part: string): readonly number[] => lab.gateway.processesOf(part)
  const [filterd, squid] = ['filterd/main.ts', '/usr/sbin/squid\0']
  const quick: AskOptions = { args: ['-m', '8'] }

  describe('for clients that name it', () => {
    const proxy = ['-x', `http://${gatewayInside}:3777`]
    const direct = (...args: readonly string[]): AskOptions => ({ args: [...proxy, ...args] })
    before(async () => {
      await setProxy({ direct_enabled: true, direct_port: 3777 })
      // Squid takes a new configuration over a moment after it heard of it.
      await until('the proxy listens', async () => (await lab.statusOf(open, direct())) > 0)
    })

    it('judges requests and connections', async () => {
      await lab.expectStatus(open, 200, direct())
      await lab.expectStatus(denied, 403, direct())
      await lab.expectStatus(secure, 200, { trusts: 'sites', ...direct() })
      const page = await lab.expectStatus('https://bad.sites.test/', 403, { trusts: 'gateway', ...direct() })
      assert.match(page.body, /Bad/)
      await lab.expectStatus(`https://${namelessAddress}/`, 403, { trusts: 'gateway', ...direct() })
      assert.deepEqual((await lab.seen()).names, ['good.sites.test'])
      await lab.setRules({ categories: [all], access: 'bump' }, { categories: [bad], access: 'deny' })
      await lab.expectStatus(secure, 200, { trusts: 'gateway', ...direct() })
      await lab.setRules({ categories: [bad], access: 'deny' })
    })

    it('judges the name of the connection too, not only that of the hello', async () => {
      // The client names a denied host to the proxy, and another one in the hello.
      const args = ['--connect-to', 'good.sites.test:443:bad.sites.test:443']
      const answer = await lab.ask(secure, direct(...args))
      assert.notEqual(answer.status, 200, answer.body)
      assert.deepEqual((await lab.seen()).requests, [])
    })

    it('leads neither to the gateway nor into local networks, and no mail server', async () => {
      const inside = ['127.0.0.1', '127.1', '0.0.0.0', '[::1]', 'localhost', gatewayInside, '10.10.0.2', '169.254.1.1']
      for (const host of inside) {
        const plain = await lab.ask(`http://${host}/`, direct('-m', '15'))
        assert.ok([403, 503].includes(plain.status), `${host}: ${plain.status} ${plain.body.slice(0, 200)}`)
        // The refusal of a connection comes as a page in it.
        const tunnel = await lab.ask(`https://${host}/`, direct('-m', '15', '-k'))
        assert.ok([0, 403, 503].includes(tunnel.status), `${host}: ${tunnel.headers}`)
      }
      const mail = await lab.ask('http://good.sites.test:25/', direct('-m', '15'))
      assert.equal(mail.status, 403)
    })

    it('is open to local networks only, and its inner ports to no one', async () => {
      const connect = (from: string, address: string, port: number) =>
        lab.gateway.exec(from, [
          '/usr/bin/curl',
          '-s',
          '-m',
          '3',
          '-o',
          '/dev/null',
          '-w',
          '%{http_code}',
          `http://${address}:${port}/`,
        ])
      assert.equal((await connect('internet', '203.0.113.2', 3777)).stdout, '000')
      for (const port of [3129, 3130, 3131, 3132, 3133, 3134])
        assert.equal((await connect('client', gatewayInside, port)).stdout, '000', String(port))
    })

    it('is told by the proxy file, and its authority can be downloaded', async () => {
      const file = await lab.expectStatus(`http://${gatewayInside}/wpad.dat`, 200)
      assert.match(file.body, new RegExp(`PROXY ${gatewayInside.replaceAll('.', '\\.')}:3777`))
      const authority = await lab.expectStatus(`http://${gatewayInside}/ca.crt`, 200)
      const { certificate } = await lab.api.ok('GET', '/proxy_backend/certificate')
      assert.equal(authority.body.trim(), certificate.trim())
      assert.match(authority.headers, /application\/x-x509-ca-cert/)
      await setProxy({ direct_enabled: false })
      assert.equal((await lab.ask(open, direct())).status, 0)
      assert.doesNotMatch((await lab.ask(`http://${gatewayInside}/wpad.dat`)).body, /PROXY/)
    })

    it('judges nothing while the filter is off, and takes no other traffic', async () => {
      await lab.api.ok('PATCH', '/content-filter/state', { enabled: false })
      await setProxy({ direct_enabled: true })
      await until('it serves', async () => (await lab.statusOf(denied, direct())) === 200)
      await lab.expectStatus('https://bad.sites.test/', 200, { trusts: 'sites', ...direct() })
      assert.ok(!(await lab.users.nft('list', 'ruleset')).stdout.includes('tproxy'))
    })
    after(async () => {
      await setProxy({ direct_enabled: false })
      await lab.filter(true)
      await until('it filters', async () => (await lab.statusOf(denied, quick)) === 403)
    })
  })

  describe('without the decision process', () => {
    /** Ends it as often as it comes back, until this holds. */
    const killUntil = (what: string, holds: () => Promise<boolean>) =>
      until(what, async () => {
        for (const pid of pidsOf(filterd)) tryKill(pid, 'SIGKILL')
        return holds()
      })

    it('blocks, says so, and decides again when it is back', async () => {
      lab.gateway.log.allow(/web-filter/)
      await setProxy({ on_failure: 'block' })
      await killUntil('plain requests are refused', async () => (await lab.ask(open, quick)).status === 503)
      await killUntil('TLS is refused', async () => (await lab.ask(secure, quick)).status === 0)
      await until('it decides again', async () => (await lab.statusOf(open, quick)) === 200)
      await lab.expectStatus(denied, 403)
      await lab.expectStatus(secure, 200, { trusts: 'sites' })
    })

    it('passes nothing when it ends again and again, because a client may be the cause, whatever is wanted', async () => {
      await setProxy({ on_failure: 'pass' })
      await until('it decides', async () => (await lab.statusOf(denied, quick)) === 403)
      let refused = 0
      for (let round = 0; round < 12; round++) {
        for (const pid of pidsOf(filterd)) tryKill(pid, 'SIGKILL')
        const { status } = await lab.ask(denied, quick)
        assert.notEqual(status, 200)
        if (status === 503) refused++
        const secret = await lab.ask('https://bad.sites.test/', { trusts: 'sites', ...quick })
        assert.notEqual(secret.status, 200)
      }
      assert.ok(refused > 0, 'it was away while it was asked')
      await until('it decides again', async () => (await lab.statusOf(denied, quick)) === 403)
      await until(
        'it decides about TLS again',
        async () => (await lab.statusOf('https://bad.sites.test/', quick)) === 403,
      )
    })

    for (const [mode, status] of [
      ['block', 503],
      ['pass', 200],
    ] as const)
      it(`does the same while it hangs: ${mode}`, async () => {
        await setProxy({ on_failure: mode })
        const [pid = assert.fail('it does not run')] = pidsOf(filterd)
        process.kill(pid, 'SIGSTOP')
        try {
          await until('requests are answered without it', async () => (await lab.statusOf(denied)) === status)
          // Those that follow do not wait for it.
          assert.equal(await lab.statusOf(denied, quick), status)
        } finally {
          process.kill(pid, 'SIGCONT')
        }
        await until('it decides again', async () => (await lab.statusOf(denied, quick)) === 403)
      })
  })

  describe('dead or standing still', () => {
    it('blocks, says so, and is back', async () => {
      lab.gateway.log.allow(/web-filter/, /web proxy/i)
      await setProxy({ on_failure: 'block' })
      const [pid = assert.fail('it does not run')] = pidsOf(squid)
      process.kill(pid, 'SIGSTOP')
      try {
        await says('web-proxy', 'failed', /does not answer.*blocked/)
        assert.equal(await lab.statusOf(open, { args: ['-m', '3'] }), 0)
        assert.equal(await lab.statusOf(secure, { args: ['-m', '3'] }), 0)
      } finally {
        tryKill(pid, 'SIGCONT')
      }
      await says('web-proxy', 'active', /intercepted/)
      await until('it serves again', async () => (await lab.statusOf(denied, quick)) === 403)
      for (const one of pidsOf(squid)) tryKill(one, 'SIGKILL')
      await until('it is started again', async () => (await lab.statusOf(denied, quick)) === 403)
      await lab.expectStatus(secure, 200, { trusts: 'sites' })
    })

    it('passes nothing when it ends again and again, because a client may be the cause, whatever is wanted', async () => {
      await setProxy({ on_failure: 'pass' })
      await until('it filters', async () => (await lab.statusOf(denied, quick)) === 403)
      let isSaid = false
      for (let round = 0; round < 12; round++) {
        for (const pid of pidsOf(squid)) tryKill(pid, 'SIGKILL')
        assert.notEqual(await lab.statusOf(denied, quick), 200)
        assert.notEqual(await lab.statusOf('https://bad.sites.test/', { trusts: 'sites', ...quick }), 200)
        isSaid ||= /being started again/.test(JSON.stringify(await lab.api.ok('GET', '/proxy_backend/status')))
      }
      assert.ok(isSaid, 'the status says that it is being started again')
      await until('it filters again', async () => (await lab.statusOf(denied, quick)) === 403)
      await says('web-proxy', 'active', /intercepted/)
    })

    it('passes everything where that is wanted, says so, and takes it again afterwards', async () => {
      await setProxy({ on_failure: 'pass' })
      const [pid = assert.fail('it does not run')] = pidsOf(squid)
      process.kill(pid, 'SIGSTOP')
      try {
        await until('denied requests pass', async () => (await lab.statusOf(denied, { args: ['-m', '3'] })) === 200)
        await says('web-proxy', 'failed', /passes without filtering/)
        await lab.expectStatus('https://bad.sites.test/', 200, { trusts: 'sites' })
      } finally {
        tryKill(pid, 'SIGCONT')
      }
      await until('it filters again', async () => (await lab.statusOf(denied, quick)) === 403)
      await says('web-proxy', 'active', /intercepted/)
    })

    it('uses another authority as soon as it is made', async () => {
      await setProxy({ on_failure: 'block' })
      await lab.expectStatus('https://bad.sites.test/', 403, { trusts: 'gateway' })
      await lab.api.ok('POST', '/proxy_backend/certificate/make', {})
      await until('the old authority is of no use', async () => {
        return (await lab.ask('https://bad.sites.test/', { trusts: 'gateway', ...quick })).code === 60
      })
      await lab.filter(true)
      await until('the new one is', async () => {
        return (await lab.statusOf('https://bad.sites.test/', { trusts: 'gateway', ...quick })) === 403
      })
    })
  })
})

/** It may have ended by itself. */
function tryKill(pid: number, signal: 'SIGKILL' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
