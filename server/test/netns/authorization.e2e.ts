// Authorization of hosts by packets: who reaches the internet, who is refused and how, and when a session begins and ends.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { client, gatewayInside, otherClient } from '../support/firewall-lab.ts'
import type { LabHost, Segment } from '../support/lab-hosts.ts'
import { startUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { holds, macOf, passed, refused, server, UserLab } from '../support/user-lab.ts'

/** A port of the internet whose packets are counted there. */
const countedPort = 8090

describe('authorization on the wire', () => {
  let lab: UserLab
  let segment: Segment
  let near: LabHost
  let other: LabHost
  let far: LabHost
  let routed: LabHost
  const rules: string[] = []

  before(async () => {
    lab = await UserLab.start()
    near = await lab.beside(11)
    other = await lab.beside(12)
    segment = await lab.hosts.segment('lan1', { address: '10.20.0.1/24', mac: '02:00:00:14:00:01' })
    far = await segment.host({ address: '10.20.0.7/24', mac: '02:00:00:14:00:07' })
    const behind = { address: '10.30.0.7/24', mac: '02:00:00:1e:00:07' }
    routed = (await lab.hosts.behindRouter(behind, { address: '10.10.0.9/24', mac: macOf(9) })).host
    await far.wire(server).listen('', [far.address], [8001])
    await countArrivals()
  })
  after(() => lab.stop())
  afterEach(async () => {
    for (const id of rules.splice(0)) await lab.removeRule(id)
  })

  /** Removed after the test. */
  const addRule = async (fields: Parameters<UserLab['addRule']>[0]): Promise<string> => {
    const id = await lab.addRule(fields)
    rules.push(id)
    return id
  }
  const forget = (id: string): void => {
    rules.splice(rules.indexOf(id), 1)
  }
  /** One packet, and no second try. */
  const pings = async (host: LabHost): Promise<{ readonly isAnswered: boolean; readonly text: string }> => {
    const { code, stdout } = await host.exec(['/usr/bin/ping', '-n', '-c', '1', '-W', '20', server])
    return { isAnswered: code === 0, text: stdout }
  }
  const countArrivals = async (): Promise<void> => {
    const chain = '{ type filter hook input priority 0; }'
    const rule = `add rule inet probe count udp dport ${countedPort} counter drop`
    const input = `add table inet probe\nadd chain inet probe count ${chain}\n${rule}\n`
    const { code, stderr } = await lab.gateway.exec('internet', ['/usr/sbin/nft', '-f', '-'], { input })
    assert.equal(code, 0, stderr)
  }
  const arrivals = async (): Promise<number> => {
    const { stdout } = await lab.gateway.exec('internet', ['/usr/sbin/nft', 'list', 'chain', 'inet', 'probe', 'count'])
    return Number(/packets (\d+)/.exec(stdout)?.[1])
  }
  const sendCounted = (host: LabHost, script: string) =>
    host.exec(['/bin/bash', '-c', script.replaceAll('TARGET', `/dev/udp/${server}/${countedPort}`)], {
      timeoutMs: 300_000,
    })
  const statusWords = async (): Promise<string> => {
    const items = (await lab.api.ok('GET', '/auth/status')) as { status: string; msg: string[] }[]
    return items.flatMap(({ status, msg }) => [status, ...msg]).join('\n')
  }

  /** For the message of a failure. */
  const kernelState = async (): Promise<string> => {
    const sets = ['auth_hosts', 'auth_pairs', 'auth_net_hosts', 'auth_rule_hosts', 'auth_new']
    const lines = await Promise.all(sets.map(async (set) => `${set}: ${(await lab.elements(set))?.trim()}`))
    return [...lines, await statusWords()].join('\n')
  }

  it('lets everyone through in a new gateway, and says that it is not enforced', async () => {
    for (const host of [near, far, routed]) assert.deepEqual(await lab.ends(host), passed, host.address)
    assert.match(await statusWords(), /not enforced/i)
    assert.deepEqual(await lab.sessions(), [])
    const { stdout } = await lab.nft('list', 'table', 'inet', 'portcullis')
    assert.doesNotMatch(stdout, /fwd\.sys\.authorization/)
  })

  it('refuses hosts that nothing authorizes with an answer, towards external networks only', async () => {
    await lab.enforce(true)
    assert.doesNotMatch(await statusWords(), /not enforced/i)
    for (const host of [near, far, routed]) assert.deepEqual(await lab.ends(host), refused, host.address)
    const { isAnswered, text } = await pings(near)
    assert.ok(!isAnswered)
    assert.match(text, /Packet filtered/)
    await near.wire(far.address).passes({ port: 8001 })
    await near.wire(gatewayInside).passes({ port: 8001 })
    assert.deepEqual(await lab.sessions(), [])
    assert.match((await lab.nft('list', 'table', 'inet', 'portcullis')).stdout, /fwd\.sys\.authorization/)
  })

  it('lets through the host of an IP rule from its first packet on', async () => {
    const user = await lab.addUser()
    const id = await addRule({ ip: near.address, user_id: user.id })
    assert.equal(await lab.sessionAt(near.address), undefined, 'without traffic there is no session')
    assert.ok((await pings(near)).isAnswered)
    const session = await lab.sessionOf(near.address)
    assert.deepEqual([session.type, session.user_id, session.state], ['ip', user.id, 'connected'])
    assert.deepEqual(await lab.ends(near), passed)
    assert.deepEqual(await lab.ends(other), refused)
    // One router with such an address lets in everyone behind it, and a host behind a router by its own address.
    await addRule({ ip: routed.address, user_id: user.id })
    assert.ok((await pings(routed)).isAnswered)
    await lab.removeRule(id)
    forget(id)
    assert.equal(await lab.sessionAt(near.address), undefined)
    const ended = await lab.ends(near)
    assert.deepEqual(ended, refused, await kernelState())
    await lab.api.ok('PATCH', `/auth/rules/${rules[0]}`, { enabled: false })
    assert.equal(await lab.sessionAt(routed.address), undefined)
    assert.deepEqual(await lab.ends(routed), refused)
  })

  it('authorizes a network as a whole, as one session', async () => {
    const user = await lab.addUser()
    await addRule({ ip: '10.20.0.0/24', user_id: user.id })
    assert.ok((await pings(far)).isAnswered)
    const session = await lab.sessionOf('10.20.0.0/24')
    assert.deepEqual([session.type, session.user_id], ['net', user.id])
    assert.deepEqual(await lab.ends(near), refused)
  })

  it('authorizes a card in its segment with one address at a time, and none behind a router', async () => {
    const user = await lab.addUser()
    await addRule({ mac: near.mac, user_id: user.id })
    await addRule({ mac: routed.mac, user_id: user.id })
    assert.ok((await pings(near)).isAnswered)
    const session = await lab.sessionOf(near.address)
    assert.deepEqual([session.type, session.mac], ['mac', near.mac])
    assert.deepEqual(await lab.ends(routed), refused)
    assert.deepEqual(await lab.ends(other), refused)
    // What another host looks like that copies the card of one in use.
    await near.ip('address', 'add', '10.10.0.31/24', 'dev', 'lan0')
    assert.deepEqual(await lab.ends(near), passed)
    assert.deepEqual(await lab.ends(near, { source: '10.10.0.31' }), refused)
    assert.deepEqual(await lab.ends(near), passed)
    assert.equal(await lab.sessionAt('10.10.0.31'), undefined)
    await near.ip('address', 'delete', '10.10.0.31/24', 'dev', 'lan0')
  })

  it('authorizes a pair of address and card: neither of them alone, and not from another segment', async () => {
    const user = await lab.addUser()
    const pair = await lab.beside(14)
    await addRule({ ip: pair.address, mac: pair.mac, user_id: user.id })
    assert.ok((await pings(pair)).isAnswered)
    assert.equal((await lab.sessionOf(pair.address)).type, 'ip_mac')

    const before = await arrivals()
    const copy = await segment.host({ address: '10.10.0.14/32', mac: pair.mac })
    await sendCounted(copy, 'for i in 1 2 3 4 5; do echo > TARGET; done')
    assert.equal(await arrivals(), before, 'the same pair in another segment')

    // The first host is switched off, and another one takes its address, then its card.
    await pair.ip('link', 'set', 'lan0', 'down')
    const thief = await other.replaceCard({ address: `${pair.address}/24`, mac: other.mac })
    for (const isEnforced of [true, false]) {
      await lab.enforce(isEnforced)
      await sendCounted(thief, 'for i in 1 2 3 4 5; do echo > TARGET; done')
      assert.equal(await arrivals(), before, `its address with another card, enforced: ${isEnforced}`)
    }
    await lab.enforce(true)
    await pair.remove()
    const masked = await thief.replaceCard({ address: '10.10.0.15/24', mac: pair.mac })
    assert.deepEqual(await lab.ends(masked), refused)
    other = await masked.replaceCard({ address: '10.10.0.12/24', mac: macOf(12) })
  })

  it('counts an always_logged host as authorized without traffic', async () => {
    const user = await lab.addUser()
    await addRule({ ip: '10.10.0.99', user_id: user.id, always_logged: true })
    const session = await lab.sessionAt('10.10.0.99')
    assert.deepEqual([session?.user_id, session?.state], [user.id, 'connected'])
  })

  it('keeps out users who are denied access, at once', async () => {
    const user = await lab.addUser()
    await addRule({ ip: near.address, user_id: user.id })
    assert.ok((await pings(near)).isAnswered)
    await lab.sessionOf(near.address)
    await lab.signIn(client, user.login)
    await lab.deny(user.id, true)
    assert.deepEqual(await lab.sessions(), [])
    assert.deepEqual(await lab.ends(near), refused)
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused)
    const result = await (await lab.portal()).signIn(client, user.login, 'Quiet-Harbour-7')
    assert.deepEqual([result.status, 'reason' in result && result.reason], ['refused', 'denied'])
    await lab.deny(user.id, false)
    assert.ok((await pings(near)).isAnswered)
  })

  it('suspends the first of six sessions of a user, until another one ends', async () => {
    const user = await lab.addUser()
    const addresses = [41, 42, 43, 44, 45, 46].map((last) => `10.10.0.${last}`)
    const ids: string[] = []
    for (const address of addresses) {
      await near.ip('address', 'add', `${address}/24`, 'dev', 'lan0')
      ids.push(await addRule({ ip: address, user_id: user.id }))
    }
    const [first = '', second = ''] = addresses
    for (const address of addresses) {
      assert.deepEqual(await lab.ends(near, { source: address }), passed, address)
      await lab.sessionOf(address)
    }
    const stateOf = async (address: string) => (await lab.sessionAt(address))?.state
    await until('the first is over the limit', async () => (await stateOf(first)) === 'over_limit')
    assert.deepEqual(await lab.ends(near, { source: first }), refused)
    for (const address of addresses.slice(1))
      assert.deepEqual([await stateOf(address), await lab.ends(near, { source: address })], ['connected', passed])
    const [, secondRule = ''] = ids
    await lab.removeRule(secondRule)
    forget(secondRule)
    await until('the first is back', async () => (await stateOf(first)) === 'connected')
    assert.deepEqual(await lab.ends(near, { source: first }), passed)
    assert.deepEqual(await lab.ends(near, { source: second }), refused)
    for (const address of addresses) await near.ip('address', 'delete', `${address}/24`, 'dev', 'lan0')
  })

  it('cuts a transfer of an ended session, and only that', async () => {
    const user = await lab.addUser()
    await lab.signIn(client, user.login)
    await addRule({ ip: otherClient, user_id: user.id })
    const upload = startUpload(lab.gateway, '--local-port', '41010')
    const beside = startUpload(lab.gateway, '--interface', otherClient, '--local-port', '41011')
    const tracked = async (port: number): Promise<boolean> => {
      const flows = (await lab.api.ok('GET', '/reports/traffic/sessions')) as {
        source_proto: string
        bps_out: number
      }[]
      return flows.some(({ source_proto, bps_out }) => source_proto === `TCP:${port}` && bps_out > 0)
    }
    await until('both carry bytes', async () => (await tracked(41_010)) && (await tracked(41_011)))
    await lab.endSession((await lab.sessionOf(client)).id)
    const { code } = await upload.over
    assert.notEqual(code, 0, 'the upload was cut')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused)
    assert.equal((await beside.end()).code, 0, 'the other upload went on')
  })

  it('ends sessions with the user, with the group and with the password', async () => {
    const group = await lab.addGroup('leaving')
    const inner = await lab.addGroup('inner', group)
    const [alone, member] = [await lab.addUser(), await lab.addUser({ parent_id: inner })]
    const change = { password: 'Other-Harbour-8' }
    const steps: readonly (readonly [login: string, act: () => Promise<unknown>])[] = [
      [alone.login, () => lab.api.ok('PUT', `/user_backend/change_password/${alone.id}`, change)],
      [member.login, () => lab.api.ok('DELETE', `/user_backend/groups/${group}`)],
    ]
    for (const [login, act] of steps) {
      await lab.signIn(client, login)
      assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
      await act()
      assert.equal(await lab.sessionAt(client), undefined, login)
      assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused, login)
    }
    await lab.signIn(client, alone.login, change.password)
    await lab.api.ok('DELETE', `/user_backend/users/${alone.id}`)
    assert.equal(await lab.sessionAt(client), undefined)
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused)
  })

  /** The kernel has a session of the client that signed in. */
  const isInKernel = async (): Promise<boolean> =>
    holds(`${await lab.elements('auth_pairs')},${await lab.elements('auth_hosts')}`, client)

  it('ends a session when the kernel has forgotten its element', async () => {
    const user = await lab.addUser()
    const rule = await lab.firewall.forward({ action: 'accept', source_addresses: [user.alias] })
    await lab.signIn(client, user.login)
    assert.ok(await lab.isMember(user.alias, client))
    assert.ok(await isInKernel())
    for (const set of ['auth_pairs', 'auth_hosts']) {
      const element = (await lab.elements(set))?.split(',').find((one) => holds(one, client))
      const key = element?.trim().split(/ (?:timeout|expires) /)[0]
      if (key !== undefined) await lab.nft('delete', 'element', 'inet', 'portcullis', set, `{ ${key} }`)
    }
    // It looks when an element may have expired, and when it starts.
    await lab.gateway.killGatewayd()
    lab.forgetPortal()
    await until('the session is over', async () => (await lab.sessionAt(client)) === undefined)
    await until('it is no member any more', async () => !(await lab.isMember(user.alias, client)))
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused)
    await lab.firewall.removeRule('forward', rule)
  })

  it('does not let a read-only administrator end a session', async () => {
    const user = await lab.addUser()
    await lab.signIn(client, user.login)
    const { id } = await lab.sessionOf(client)
    const account = { login: 'viewer', password: 'correct horse 9', role: 'predefined_admin_readonly' }
    await lab.api.ok('POST', '/web/admins/local', { enabled: true, name: 'Viewer', comment: '', ...account })
    const viewer = new ApiClient(lab.gateway.address)
    await viewer.signIn('viewer', 'correct horse 9')
    assert.equal((await viewer.call('DELETE', `/monitor_backend/auth_sessions/${id}`)).status, 403)
    assert.equal((await viewer.ok('GET', '/monitor_backend/auth_sessions')).length, 1)
    viewer.close()
    await lab.endSession(id)
  })

  it('keeps sessions and lets no one in through reloads, the death of both processes and a restart', async () => {
    const user = await lab.addUser()
    await addRule({ ip: near.address, user_id: user.id })
    await lab.signIn(client, user.login)
    assert.ok((await pings(near)).isAnswered)
    await lab.sessionOf(near.address)
    const known = async () => (await lab.sessions()).map(({ id, ip, state }) => `${id} ${ip} ${state}`).sort()
    const sessions = await known()
    assert.equal(sessions.length, 2)
    const before = await arrivals()
    const upload = startUpload(lab.gateway, '--local-port', '41020')
    const stop = '/run/authorization-e2e-stop'
    const intruder = sendCounted(other, `until [ -e ${stop} ]; do echo > TARGET; sleep 0.02; done 2>/dev/null`)
    const isWhole = async (when: string) => {
      assert.deepEqual(await known(), sessions, when)
      assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed, when)
      assert.deepEqual(await lab.ends(near), passed, when)
      // It sends so much that the kernel answers only some of it with ICMP.
      assert.equal((await lab.ends(other))[0], 'refused', when)
    }

    await lab.nft('add', 'rule', 'inet', 'portcullis', 'forward', 'counter', 'comment', '"by hand"')
    await until('the table is written again', async () => {
      const { stdout } = await lab.nft('list', 'table', 'inet', 'portcullis')
      return stdout !== '' && !stdout.includes('by hand')
    })
    await isWhole('after a full reload')
    await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true })
    await isWhole('after changes of the firewall')
    await lab.gateway.killGatewayd()
    lab.forgetPortal()
    await isWhole('after the death of gatewayd')
    await lab.gateway.killApplyd()
    await isWhole('after the death of applyd')
    await lab.gateway.exec('client', ['/usr/bin/touch', stop])
    await intruder
    assert.equal(await arrivals(), before, 'packets of a host that nothing authorizes')
    assert.equal((await upload.end()).code, 0, 'a connection of a session went on all the time')

    await lab.nft('delete', 'table', 'inet', 'portcullis')
    await until('the kernel has the session again', isInKernel)
    await isWhole('after the loss of the table')

    lab = await lab.restart()
    assert.deepEqual(await known(), sessions)
    await until('the new kernel tables have the session', isInKernel)
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed, 'the host that signed in')
    assert.deepEqual(await lab.wire.ends({ port: 8001, source: otherClient }), refused, 'a host that did not')
  })
})
