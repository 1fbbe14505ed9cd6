// Web traffic that the real proxy carries is still judged by the firewall: FORWARD rules, access control lists, authorization and
// SNAT hold for it, what is not to be taken is not, and what is cut ends.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { client, type FirewallLab, gatewayInside } from '../support/firewall-lab.ts'
import { startUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { macOf } from '../support/user-lab.ts'
import { type AskOptions, namelessAddress, siteAddress, WebLab } from '../support/web-lab.ts'

const denied = 'http://bad.sites.test/'
const open = 'http://good.sites.test/'
const secure = 'https://good.sites.test/'
const uplink = '203.0.113.2'
/** Where the client knows the names itself, because it may not ask for them. */
const named: AskOptions = {
  args: ['bad', 'good'].flatMap((name) => ['--resolve', `${name}.sites.test:80:${siteAddress}`]),
}

const isServerHalf = (line: string): boolean => (Number(/ mark=(\d+)/.exec(line)?.[1] ?? 0) & 4) !== 0

describe('web interception', () => {
  let lab: WebLab
  let firewall: FirewallLab
  let site: string
  before(async () => {
    lab = await WebLab.start()
    firewall = lab.users.firewall
    // People sign in there also while no one has to.
    await lab.api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    await lab.filter(true)
    await lab.setRules({ categories: [await lab.addCategory('Bad', ['bad.sites.test'])], access: 'deny' })
    site = await firewall.address(siteAddress)
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await firewall.clear()
    await lab.users.enforce(false)
    await settled()
    await lab.forget()
  })

  const setProxy = (fields: object) => lab.api.ok('PATCH', '/proxy_backend/settings', fields)
  /** The proxy has it: its page is the answer to what is denied. */
  const isTaken = async (options: AskOptions = {}): Promise<boolean> => {
    const status = await lab.statusOf(denied, options)
    assert.ok([200, 403].includes(status), `${status}`)
    return status === 403
  }
  /** No connection of before is left, which a request could use again. */
  const settled = () => until('servers have no connection', async () => !(await tracked()).some(isServerHalf))
  const hasPassed = async (options: AskOptions = {}): Promise<boolean> => {
    await settled()
    await lab.forget()
    const answers = [await lab.ask(open, options), await lab.ask(secure, { trusts: 'sites', ...options })]
    const passed = answers.filter(({ status }) => status === 200).length
    const seen = (await lab.seen()).requests.length
    assert.equal(seen, passed, 'no server sees what is refused')
    assert.ok(passed === 0 || passed === 2, JSON.stringify(answers))
    return passed === 2
  }
  const tracked = async (): Promise<readonly string[]> => {
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/bin/cat', '/proc/net/nf_conntrack'])
    return stdout.split('\n').filter((line) => line.includes('ESTABLISHED'))
  }

  describe('under the firewall', () => {
    it('keeps the address of the client, and SNAT hides it', async () => {
      await lab.expectStatus(open, 200)
      await lab.expectStatus(secure, 200, { trusts: 'sites' })
      await settled()
      await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
      await lab.expectStatus(open, 200)
      await lab.expectStatus(secure, 200, { trusts: 'sites' })
      const clients = (await lab.seen()).requests.map((request) => request.client.replace('::ffff:', ''))
      assert.deepEqual(clients, [uplink, uplink, client, client])
    })

    it('obeys FORWARD rules by address, interface, zone and port, and answers at once', async () => {
      const [lan, wan] = [await firewall.connectionOf('lan'), await firewall.connectionOf('wan')]
      const zone = await firewall.make('zones', {})
      await lab.api.ok('PATCH', `/network/connections/${lan.id}`, { zone })
      const other = await firewall.address('10.10.0.77')
      const ports = [await firewall.port(80), await firewall.port(443)]
      for (const [fields, isPassing] of [
        [{}, false],
        [{ action: 'reject' }, false],
        [{ source_addresses: [await firewall.address(client)] }, false],
        [{ source_addresses: [other] }, true],
        [{ destination_addresses: [site] }, false],
        [{ destination_addresses: [other] }, true],
        [{ incoming_interface: `interface.id.${lan.id}` }, false],
        [{ incoming_interface: `interface.id.${wan.id}` }, true],
        [{ incoming_interface: zone }, false],
        [{ incoming_interface: 'interface.local_any', outgoing_interface: 'interface.external_any' }, false],
        [{ outgoing_interface: zone }, true],
        [{ protocol: 'protocol.tcp', destination_ports: ports }, false],
        [{ protocol: 'protocol.udp', destination_ports: ports }, true],
      ] as const) {
        const rule = await firewall.forward(fields)
        assert.equal(await hasPassed(), isPassing, JSON.stringify(fields))
        if (!isPassing) assert.ok((await firewall.hits('forward', rule)) > 0, JSON.stringify(fields))
        // Neither the page of what is denied nor the answer to what is refused waits for a timeout.
        assert.ok(await isTaken(), JSON.stringify(fields))
        if (!isPassing) assert.equal((await lab.ask(open)).status, 503)
        await firewall.removeRule('forward', rule)
      }
      await lab.api.ok('PATCH', `/network/connections/${lan.id}`, { zone: null })
    })

    it('passes what one rule accepts in front of one that drops all', async () => {
      await firewall.forward({ action: 'accept', destination_addresses: [site] })
      await firewall.forward({})
      assert.ok(await hasPassed())
      assert.equal(await lab.statusOf(`http://${namelessAddress}/`), 503)
    })

    it('obeys rules for a user who signs in, and no longer when he has signed out', async () => {
      const user = await lab.users.addUser()
      const rule = await firewall.forward({ source_addresses: [user.alias] })
      assert.ok(await hasPassed())
      await lab.users.signIn(client, user.login)
      assert.ok(!(await hasPassed()))
      assert.ok((await firewall.hits('forward', rule)) > 0)
      await lab.users.signOut(client)
      assert.ok(await hasPassed())
    })

    it('obeys access control lists', async () => {
      const all = { saddr: '0.0.0.0/0', proto: 'ip', sport_min: 0, sport_max: 0, dport_min: 0, dport_max: 0 }
      const value = [{ ...all, daddr: `${siteAddress}/32`, action: 'deny' }]
      const { id } = await lab.api.ok('POST', '/acl/rules', { name: 'sites', value })
      await lab.api.ok('PATCH', '/acl/acl-order', { acl_ordered_list: [{ src: [], hip: [], acl: id }] })
      await lab.api.ok('PATCH', '/acl/acl-state', { enabled: true, default_action: 'allow', logging_enabled: false })
      const answers = [await lab.statusOf(open), await lab.statusOf(`http://${namelessAddress}/`)]
      await lab.api.ok('PATCH', '/acl/acl-state', { enabled: false })
      assert.deepEqual(answers, [503, 200])
      assert.equal((await lab.seen()).requests.length, 1)
      assert.ok(await hasPassed())
    })
  })

  describe('takes', () => {
    it('nothing of hosts that are not authorized', async () => {
      await lab.users.enforce(true)
      const user = await lab.users.addUser()
      const answer = await lab.ask(denied, named)
      assert.notEqual(answer.status, 403)
      assert.ok(answer.status !== 200, answer.body)
      assert.equal(await lab.statusOf(secure, { args: ['--resolve', `good.sites.test:443:${siteAddress}`] }), 0)
      assert.deepEqual((await lab.seen()).requests, [])
      await lab.users.signIn(client, user.login)
      assert.ok(await isTaken(named))
      await lab.expectStatus(open, 200, named)
      await lab.users.signOut(client)
      assert.notEqual(await lab.statusOf(open, named), 200)
      await lab.users.enforce(false)
    })

    it('neither what DNAT translates, nor what is local, nor what is for the gateway', async () => {
      const published = await firewall.address('198.51.100.77')
      const translation = { action: 'dnat', change_destination_port: null, change_destination_address: siteAddress }
      await firewall.addRule('dnat', { ...translation, destination_addresses: [published] })
      const elsewhere: AskOptions = { args: ['--resolve', 'bad.sites.test:80:198.51.100.77'] }
      assert.ok(!(await isTaken(elsewhere)))
      const segment = await lab.users.hosts.segment('seg0', { address: '10.30.0.1/24', mac: macOf(30) })
      const host = await segment.host({ address: '10.30.0.9/24', mac: macOf(31) })
      const listener = 'require("http").createServer((q,r)=>r.end("local")).listen(80,()=>console.log("ready"))'
      const running = host.exec([process.execPath, '-e', listener], { timeoutMs: 600_000 })
      void running.catch(() => {})
      const local: AskOptions = { args: ['--resolve', 'bad.sites.test:80:10.30.0.9'] }
      await until('the local server answers', async () => (await lab.ask(denied, local)).body === 'local')
      // What is sent to the gateway itself goes to its own server, or to no one.
      const own = await lab.ask(denied, { args: ['--resolve', `bad.sites.test:80:${gatewayInside}`] })
      assert.doesNotMatch(own.body, /Bad/)
      assert.deepEqual((await lab.seen()).requests.length, 1)
    })

    it('nothing of exclusions by source, user and domain', async () => {
      const user = await lab.users.addUser()
      const domain = await firewall.make('domains', { value: 'bad.sites.test' })
      for (const [fields, isExcluded] of [
        [{ sources: [await firewall.address(client)] }, true],
        [{ sources: [await firewall.address('10.10.0.77')] }, false],
        [{ sources: [user.alias] }, false],
        [{ destinations: [site] }, true],
        [{ destinations: [domain] }, true],
      ] as const) {
        const body = { sources: ['any'], destinations: ['any'], ...fields }
        const { id } = await lab.api.ok('POST', '/proxy_backend/exclusions', body)
        await until(JSON.stringify(fields), async () => (await isTaken()) === !isExcluded)
        if (body.sources[0] === user.alias) {
          await lab.users.signIn(client, user.login)
          assert.ok(!(await isTaken()), 'the user is excluded')
          await lab.users.signOut(client)
          assert.ok(await isTaken(), 'without a session he is not')
        }
        await lab.api.ok('DELETE', `/proxy_backend/exclusions/${id}`)
        assert.ok(await isTaken())
      }
    })

    it('no QUIC, which is rejected', async () => {
      const code = `const s=require('dgram').createSocket('udp4');s.on('error',e=>{console.log(e.code);process.exit()});
s.connect(443,'${siteAddress}',()=>{s.send('x');setInterval(()=>s.send('x'),200)})`
      const quic = async () => (await lab.gateway.exec('client', [process.execPath, '-e', code])).stdout.trim()
      await lab.api.ok('PATCH', '/content-filter/settings', { quic_reject_enabled: true })
      assert.equal(await quic(), 'ECONNREFUSED')
    })
  })

  it('is for local networks and for those who may reach the internet', async () => {
    await setProxy({ direct_enabled: true, direct_port: 3128 })
    const at = (from: string, address: string, port: number) =>
      lab.gateway.exec(from, [
        '/usr/bin/curl',
        '-s',
        '-m',
        '5',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-x',
        `http://${address}:${port}`,
        `http://${siteAddress}/`,
      ])
    // Squid takes a new configuration over a moment after it heard of it.
    await until('the proxy listens', async () => (await at('client', gatewayInside, 3128)).stdout === '200')
    for (const port of [3129, 3130]) assert.equal((await at('client', gatewayInside, port)).stdout, '000')
    await firewall.addRule('input', { action: 'accept' })
    for (const port of [3128, 3129, 3130]) assert.equal((await at('internet', uplink, port)).stdout, '000')
    for (const port of [3129, 3130]) assert.equal((await at('client', gatewayInside, port)).stdout, '000')
    await lab.users.enforce(true)
    assert.equal((await at('client', gatewayInside, 3128)).stdout, '000')
    await lab.users.enforce(false)
    await setProxy({ direct_enabled: false })
  })

  describe('when connections are cut', () => {
    const destination = '198.51.100.10'
    const upload = async () => {
      const running = startUpload(lab.gateway)
      const halves = async () => (await tracked()).filter((line) => line.includes(`dst=${destination} `))
      await until('both halves carry bytes', async () => (await halves()).length === 2)
      return { running, halves }
    }

    it('shows and counts a proxied connection once', async () => {
      const { running } = await upload()
      await until('it is shown', async () => (await shown()).length > 0)
      assert.equal((await shown()).length, 1)
      assert.equal((await running.end()).code, 0)
    })
    const shown = async () =>
      ((await lab.api.ok('GET', '/reports/traffic/sessions')) as Record<string, unknown>[]).filter((session) =>
        JSON.stringify(session).includes(destination),
      )

    it('ends both halves of what a change refuses', async () => {
      const { running, halves } = await upload()
      const web = await firewall.address(destination)
      const body = {
        enabled: true,
        protocol: 'any',
        action: 'drop',
        comment: '',
        source_addresses: ['any'],
        destination_addresses: [web],
      }
      const answer = await lab.api.call('POST', '/firewall/rules/forward?cut_connections=true', body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.ok(Number(answer.headers['x-cut-connections']) >= 2)
      await running.over
      await until('nothing of it is left', async () => (await halves()).length === 0)
      assert.deepEqual(await shown(), [])
      await running.end()
    })

    it('ends both halves when the session of the user ends, in both directions', async () => {
      await lab.users.enforce(true)
      const user = await lab.users.addUser()
      await lab.users.signIn(client, user.login)
      const { running, halves } = await upload()
      const held = lab.ask(`${open}held?n=300000`, { args: [...(named.args ?? []), '-m', '30'] })
      await until('the site waits', async () => (await lab.seen()).waiting > 0)
      await lab.users.endSession((await lab.users.sessionOf(client)).id)
      await running.over
      await until('nothing of it is left', async () => (await halves()).length === 0)
      await lab.release()
      const { code, body } = await held
      assert.notEqual(code, 0)
      assert.ok(body.length < 300_000)
      await lab.users.enforce(false)
      await running.end()
    })
  })

  describe('while parts of the gateway are gone', () => {
    it('goes on, with its rules', async () => {
      await firewall.forward({ destination_addresses: [await firewall.address(namelessAddress)] })
      const holds = async () => {
        assert.ok(await isTaken())
        await lab.expectStatus(open, 200)
        assert.equal(await lab.statusOf(`http://${namelessAddress}/`), 503)
      }
      const running = startUpload(lab.gateway)
      await until('it is there', async () => (await tracked()).some((line) => line.includes('dst=198.51.100.10 ')))
      const killed = lab.gateway.killApplyd()
      await holds()
      await killed
      await holds()
      const ended = lab.gateway.killGatewayd()
      await holds()
      await ended
      lab.users.forgetPortal()
      await holds()
      assert.equal((await running.end()).code, 0)
    })

    it('leaves nothing behind when the filter is switched off', async () => {
      await lab.filter(false)
      assert.doesNotMatch((await lab.users.nft('list', 'ruleset')).stdout, /tproxy|chain web_|set web_/)
      const ip = async (...args: readonly string[]) =>
        (await lab.gateway.exec('gateway', ['/usr/sbin/ip', ...args])).stdout
      assert.doesNotMatch(await ip('rule', 'show'), /7701/)
      assert.equal(await ip('route', 'show', 'table', '7701'), '')
      assert.ok(!(await isTaken()))
      await lab.filter(true)
      assert.ok(await isTaken())
    })
  })
})
