// What a firewall rule that names users and groups means follows every change of the configuration before it is answered: the
// kernel is read at once, and packets are sent.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { client } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { holds, UserLab } from '../support/user-lab.ts'

const ruledPort = 8002
/** Long enough for an answer to come; a slow one only makes a test weaker. */
const silenceMs = 800

describe('firewall rules that name users follow the configuration', () => {
  let lab: UserLab
  let port: string
  /** A host that is known by its card; a rule of `others` authorizes it. */
  const card = { last: 31, address: '10.10.0.31' }

  before(async () => {
    lab = await UserLab.start()
    await lab.api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    port = await lab.firewall.port(ruledPort)
  })
  after(() => lab.stop())
  afterEach(async () => {
    await lab.signOut(client)
    await lab.firewall.clear()
  })

  const dropFor = (fields: object): Promise<number> =>
    lab.firewall.forward({ protocol: 'protocol.tcp', destination_ports: [port], ...fields })
  const tcp = async (): Promise<string> => (await lab.wire.ends({ port: ruledPort }, silenceMs))[0]
  const revision = async (): Promise<number> => (await lab.api.ok('GET', '/config/revisions?limit=1'))[0].revision
  const revert = async (to: number): Promise<void> => lab.api.ok('POST', `/config/revisions/${to}/revert`)
  const moveGroup = async (alias: string, parent_id: string): Promise<void> => {
    const groups = (await lab.api.ok('GET', '/user_backend/groups')) as { id: string }[]
    const { id, ...fields } = groups.find((group) => group.id === alias) ?? assert.fail()
    await lab.api.ok('PUT', `/user_backend/groups/${id.split('.').at(-1)}`, { ...fields, parent_id })
  }
  /** Lines of the kernel that carry out the rule. */
  const linesOf = async (id: number): Promise<string[]> => {
    const { stdout } = await lab.nft('list', 'table', 'inet', 'portcullis')
    return stdout.split('\n').filter((line) => line.includes(`"firewall.forward[${id}]"`))
  }

  it('when a group is moved with those who are signed in', async () => {
    const [from, to] = [await lab.addGroup('from'), await lab.addGroup('to')]
    const inner = await lab.addGroup('inner', from)
    const user = await lab.addUser({ parent_id: inner })
    await dropFor({ source_addresses: [to] })
    await lab.signIn(client, user.login)
    assert.deepEqual([await lab.isMember(to, client), await tcp()], [false, 'passed'])
    await moveGroup(inner, to)
    assert.deepEqual([await lab.isMember(to, client), await tcp()], [true, 'silence'])
    await moveGroup(inner, from)
    assert.deepEqual([await lab.isMember(to, client), await tcp()], [false, 'passed'])
  })

  it('when a rule names a group that has sessions of sign-ins and of cards already', async () => {
    const outer = await lab.addGroup('crowd')
    const [user, other] = [await lab.addUser({ parent_id: outer }), await lab.addUser({ parent_id: outer })]
    const host = await lab.beside(card.last)
    const rule = await lab.addRule({ mac: host.mac, user_id: other.id })
    await lab.signIn(client, user.login)
    await lab.ends(host)
    await lab.sessionOf(host.address)
    const id = await dropFor({ source_addresses: [outer] })
    const set = await lab.elements(`u_${outer.replaceAll('.', '_')}`)
    assert.deepEqual([holds(set, client), holds(set, card.address)], [true, true])
    assert.equal(await tcp(), 'silence')
    // Another rule that names the same set begins with what it has.
    await dropFor({ destination_addresses: [outer], comment: 'second' })
    await lab.firewall.removeRule('forward', id)
    assert.ok(await lab.isMember(outer, card.address))
    assert.equal(await tcp(), 'passed')
    await lab.removeRule(rule)
    assert.ok(!(await lab.isMember(outer, card.address)))
    await host.remove()
  })

  it('when a list of addresses beside a group is changed', async () => {
    const group = await lab.addGroup('listed')
    const user = await lab.addUser({ parent_id: group })
    const [address, other] = [await lab.firewall.address('192.0.2.77'), await lab.firewall.address('192.0.2.78')]
    const list = await lab.firewall.make('lists/addresses', { title: 'beside', values: [address] })
    const refused = await lab.api.call('PATCH', `/aliases/lists/addresses/${list}`, { values: [address, group] })
    assert.equal(refused.status, 422, 'users are not IP objects')
    await lab.signIn(client, user.login)
    const id = await dropFor({ source_addresses: [list, group] })
    const isNamed = async (text: string) => (await linesOf(id)).some((line) => line.includes(` ${text} `))
    const setLine = `@u_${group.replaceAll('.', '_')}`
    assert.deepEqual([await isNamed('192.0.2.77'), await isNamed(setLine)], [true, true])
    await lab.api.ok('PATCH', `/aliases/lists/addresses/${list}`, { values: [other] })
    assert.deepEqual([await isNamed('192.0.2.78'), await isNamed(setLine)], [true, true])
    assert.deepEqual([await lab.isMember(group, client), await tcp()], [true, 'silence'])
    await lab.api.ok('PATCH', `/firewall/rules/forward/${id}`, { source_addresses: [list] })
    assert.deepEqual([await lab.isMember(group, client), await tcp()], [false, 'passed'])
  })

  it('when a revision is reverted, and the sessions of users end whom it does not know', async () => {
    const group = await lab.addGroup('reverted')
    const empty = await revision()
    const user = await lab.addUser({ parent_id: group })
    const without = await revision()
    await dropFor({ source_addresses: [group] })
    const having = await revision()
    await lab.signIn(client, user.login)
    await revert(without)
    assert.deepEqual([await lab.isMember(group, client), await tcp()], [false, 'passed'])
    await revert(having)
    assert.deepEqual([await lab.isMember(group, client), await tcp()], [true, 'silence'])
    await revert(empty)
    assert.equal(await lab.sessionAt(client), undefined)
    await revert(having)
    assert.deepEqual([await lab.elements(`u_${group.replaceAll('.', '_')}`), await tcp()], ['', 'passed'])
  })

  it('when a change on probation is reverted', async () => {
    const [group, other] = [await lab.addGroup('tried'), await lab.addGroup('meant')]
    const user = await lab.addUser({ parent_id: group })
    const id = await dropFor({ source_addresses: [other] })
    await lab.signIn(client, user.login)
    const onProbation = { 'portcullis-confirm-within': '3' }
    const change = { source_addresses: [group] }
    const answer = await lab.api.call('PATCH', `/firewall/rules/forward/${id}`, change, onProbation)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.ok(await lab.isMember(group, client))
    await until('it is reverted', async () => (await lab.elements(`u_${group.replaceAll('.', '_')}`)) === null)
    assert.equal(await tcp(), 'passed')
    // The other way round: what was named before has its members again.
    await lab.api.ok('PATCH', `/firewall/rules/forward/${id}`, change)
    const away = await lab.api.call(
      'PATCH',
      `/firewall/rules/forward/${id}`,
      { source_addresses: [other] },
      onProbation,
    )
    assert.equal(away.status, 200, JSON.stringify(away.body))
    assert.equal(await lab.elements(`u_${group.replaceAll('.', '_')}`), null)
    await until('the members are back', () => lab.isMember(group, client))
    assert.equal(await tcp(), 'silence')
  })

  it('when a backup is restored', async () => {
    const group = await lab.addGroup('kept')
    const user = await lab.addUser({ parent_id: group })
    const id = await dropFor({ source_addresses: [group] })
    const { id: backup } = await lab.api.ok('POST', '/backup/backups', { comment: 'with the rule' })
    await lab.firewall.removeRule('forward', id)
    await lab.signIn(client, user.login)
    assert.equal(await tcp(), 'passed')
    await lab.api.ok('POST', `/backup/backups/${backup}/apply/fast`)
    assert.deepEqual([await lab.isMember(group, client), await tcp()], [true, 'silence'])
    assert.equal((await lab.sessionAt(client))?.login, user.login, 'the session goes on')
  })

  it('when an authorization rule gives an address to a user and takes it away, in the same plan', async () => {
    const [group, other] = [await lab.addGroup('having'), await lab.addGroup('not having')]
    const user = await lab.addUser({ parent_id: group })
    const id = await dropFor({ source_addresses: [group] })
    const isNamed = async (): Promise<boolean> => (await linesOf(id)).some((line) => line.includes(` ${client} `))
    assert.equal(await isNamed(), false)
    const rule = await lab.addRule({ ip: client, user_id: user.id })
    assert.equal(await isNamed(), true)
    assert.equal(await tcp(), 'silence')
    await moveGroup(group, other)
    assert.equal(await isNamed(), true)
    await lab.deny(user.id, true)
    assert.equal(await isNamed(), false)
    await lab.deny(user.id, false)
    assert.equal(await isNamed(), true)
    const preview = { method: 'DELETE', path: `/auth/rules/${rule}` }
    const packet = { protocol: 'tcp', source: client, destination: '198.51.100.20', destination_port: ruledPort }
    const asked = { packet: { ...packet, incoming_interface: 'lan0' } }
    assert.equal((await lab.api.ok('POST', '/firewall/explain', asked)).verdict, 'drop')
    assert.equal((await lab.api.ok('POST', '/firewall/explain', { ...asked, change: preview })).verdict, 'accept')
    await lab.removeRule(rule)
    assert.equal(await isNamed(), false)
    assert.equal(await tcp(), 'passed')
  })
})
