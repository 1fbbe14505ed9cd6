// Firewall rules that name users and groups, by packets: they follow the addresses that the users have now, whether
// authorization is enforced or not, and explanations say the same.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { client } from '../support/firewall-lab.ts'
import type { LabHost, Segment } from '../support/lab-hosts.ts'
import { until } from '../support/until.ts'
import { passed, refused, server, UserLab } from '../support/user-lab.ts'

/** What no rule of these tests names, and what they drop. */
const [freePort, ruledPort] = [8001, 8002]
const silent = ['silence', 'silence'] as const
/** Long enough for an answer to come; a slow one only makes a test weaker. */
const silenceMs = 800

describe('firewall rules that name users', () => {
  let lab: UserLab
  let segment: Segment
  let far: LabHost
  let port: string

  before(async () => {
    lab = await UserLab.start()
    // People sign in there also while no one has to.
    await lab.api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    port = await lab.firewall.port(ruledPort)
    segment = await lab.hosts.segment('lan1', { address: '10.20.0.1/24', mac: '02:00:00:14:00:01' })
    far = await segment.host({ address: '10.20.0.7/24', mac: '02:00:00:14:00:07' })
    await lab.wire.listen('client', [client], [ruledPort])
  })
  after(() => lab.stop())
  afterEach(async () => {
    await lab.signOut(client)
    await lab.signOut(far.address)
    await lab.firewall.clear()
    await lab.enforce(false)
  })

  /** Ports need a protocol. */
  const dropFor = (fields: object): Promise<number> =>
    lab.firewall.forward({ protocol: 'protocol.tcp', destination_ports: [port], ...fields })
  const tcp = async (to: number): Promise<string> => (await lab.wire.ends({ port: to }, silenceMs))[0]
  const revision = async (): Promise<number> => (await lab.api.ok('GET', '/config/revisions?limit=1'))[0].revision
  const explained = async (packet: object) => {
    const asked = { protocol: 'tcp', source: client, destination: server, destination_port: ruledPort }
    return lab.api.ok('POST', '/firewall/explain', { packet: { ...asked, incoming_interface: 'lan0', ...packet } })
  }

  for (const isEnforced of [false, true]) {
    const outside = isEnforced ? 'refused' : 'passed'
    it(`follow a user, the groups above and "All", authorization enforced: ${isEnforced}`, async () => {
      await lab.enforce(isEnforced)
      const outer = await lab.addGroup(`outer ${isEnforced}`)
      const inner = await lab.addGroup(`inner ${isEnforced}`, outer)
      const user = await lab.addUser({ parent_id: inner })
      const stranger = await lab.addUser()
      for (const named of [user.alias, inner, outer, 'group.id.1']) {
        const id = await dropFor({ source_addresses: [named] })
        const before = await revision()
        assert.equal(await tcp(ruledPort), outside, named)
        await lab.signIn(client, user.login)
        assert.ok(await lab.isMember(named, client), named)
        assert.deepEqual([await tcp(ruledPort), await tcp(freePort)], ['silence', 'passed'], named)
        assert.ok((await lab.firewall.hits('forward', id)) > 0)
        await lab.signOut(client)
        assert.ok(!(await lab.isMember(named, client)), named)
        assert.equal(await tcp(ruledPort), outside, named)
        // Another user at the same address is meant by "All" alone.
        await lab.signIn(client, stranger.login)
        assert.equal(await tcp(ruledPort), named === 'group.id.1' ? 'silence' : 'passed', named)
        await lab.signOut(client)
        assert.equal(await revision(), before, 'sign-ins are not changes of the configuration')
        await lab.firewall.removeRule('forward', id)
      }
    })

    it(`mean everyone else when they are negated, authorization enforced: ${isEnforced}`, async () => {
      await lab.enforce(isEnforced)
      const [user, other] = [await lab.addUser(), await lab.addUser()]
      await dropFor({ source_addresses: [user.alias], source_addresses_negate: true })
      if (!isEnforced) assert.equal(await tcp(ruledPort), 'silence')
      await lab.signIn(client, other.login)
      assert.equal(await tcp(ruledPort), 'silence')
      await lab.signIn(client, user.login)
      assert.deepEqual([await tcp(ruledPort), await tcp(freePort)], ['passed', 'passed'])
      await lab.signOut(client)
      assert.equal(await tcp(ruledPort), isEnforced ? 'refused' : 'silence')
    })
  }

  it('name the user at the destination as well', async () => {
    const user = await lab.addUser()
    const reach = async (): Promise<string> => {
      const [ending] = await far.wire(client).ends({ port: ruledPort }, silenceMs)
      return ending
    }
    await dropFor({ destination_addresses: [user.alias] })
    assert.equal(await reach(), 'passed')
    await lab.signIn(client, user.login)
    assert.equal(await reach(), 'silence')
    await lab.signOut(client)
    assert.equal(await reach(), 'passed')
  })

  it('know the addresses of rules with an IP without a session', async () => {
    const user = await lab.addUser()
    const id = await lab.addRule({ ip: client, user_id: user.id })
    await dropFor({ source_addresses: [user.alias] })
    assert.deepEqual([await tcp(ruledPort), await tcp(freePort)], ['silence', 'passed'])
    await lab.removeRule(id)
    assert.equal(await tcp(ruledPort), 'passed')
  })

  it('follow a host that is known by its card, from its first connections on', async () => {
    await lab.enforce(true)
    const user = await lab.addUser()
    const host = await lab.beside(21)
    const rule = await lab.addRule({ mac: host.mac, user_id: user.id })
    await dropFor({ source_addresses: [user.alias] })
    assert.deepEqual(await lab.ends(host, { port: freePort }), passed)
    await until('the host is a member', () => lab.isMember(user.alias, host.address))
    assert.equal((await host.wire(server).ends({ port: ruledPort }, silenceMs))[0], 'silence')
    await lab.removeRule(rule)
    assert.ok(!(await lab.isMember(user.alias, host.address)))
    assert.deepEqual(await lab.ends(host, { port: freePort }), refused)
    await host.remove()
  })

  it('follow a user into another group', async () => {
    const [from, to] = [await lab.addGroup('from'), await lab.addGroup('to')]
    const user = await lab.addUser({ parent_id: from })
    await dropFor({ source_addresses: [to] })
    await lab.signIn(client, user.login)
    assert.equal(await tcp(ruledPort), 'passed')
    const users = (await lab.api.ok('GET', '/user_backend/users')) as { id: string }[]
    const { id: _id, ...fields } = users.find(({ id }) => id === user.alias) ?? assert.fail()
    await lab.api.ok('PUT', `/user_backend/users/${user.id}`, { ...fields, parent_id: to })
    assert.ok(await lab.isMember(to, client))
    assert.equal(await tcp(ruledPort), 'silence')
  })

  it('take over users who are signed in when a rule names them for the first time', async () => {
    const user = await lab.addUser()
    await lab.signIn(client, user.login)
    assert.equal(await lab.elements(`u_user_id_${user.id}`), null, 'no rule names the user')
    await dropFor({ source_addresses: [user.alias] })
    assert.ok(await lab.isMember(user.alias, client))
    assert.equal(await tcp(ruledPort), 'silence')
    await lab.gateway.killApplyd()
    await lab.gateway.killGatewayd()
    lab.forgetPortal()
    assert.ok(await lab.isMember(user.alias, client))
    assert.equal(await tcp(ruledPort), 'silence')
  })

  it('are explained as the kernel decides, with the user and the session', async () => {
    const group = await lab.addGroup('explained')
    const user = await lab.addUser({ parent_id: group })
    const id = await dropFor({ source_addresses: [group] })
    const decided = async (packet: object = {}) => {
      const { verdict, outcomes, source_user } = await explained(packet)
      return { verdict, by: outcomes[0].decided_by, user: source_user?.user_id ?? null }
    }
    for (const isEnforced of [false, true]) {
      await lab.enforce(isEnforced)
      const [verdict, ending] = isEnforced ? ['reject', refused] : ['accept', passed]
      const unknown = await decided()
      assert.deepEqual([unknown.verdict, unknown.user], [verdict, null])
      if (isEnforced) assert.equal(unknown.by, 'fwd.sys.authorization')
      assert.deepEqual(await lab.wire.ends({ port: freePort }), ending)
      await lab.signIn(client, user.login)
      const dropped = { verdict: 'drop', by: `firewall.forward[${id}]`, user: user.alias }
      assert.deepEqual(await decided(), dropped)
      assert.deepEqual(await decided({ source: undefined, user: user.alias }), dropped)
      assert.equal((await explained({})).source_user.session_id, (await lab.sessionOf(client)).id)
      assert.deepEqual(await lab.wire.ends({ port: ruledPort }, silenceMs), ['silence', 'passed'])
      assert.equal((await decided({ destination_port: freePort })).verdict, 'accept')
      await lab.signOut(client)
    }
    await lab.firewall.removeRule('forward', id)
    const both = await lab.firewall.forward({ source_addresses: [group] })
    await lab.signIn(client, user.login)
    assert.deepEqual(await lab.wire.ends({ port: freePort }, silenceMs), silent)
    assert.equal((await decided()).by, `firewall.forward[${both}]`)
  })
})
