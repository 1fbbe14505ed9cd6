// Explanations for users: where the packet of a user comes from, whose session decided, and what is said when no one is known.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ListedSessions } from '../support/listed-sessions.ts'
import { replaceServices } from '../support/provided.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const packet = { destination: '198.51.100.10', protocol: 'tcp', destination_port: 80, incoming_interface: 'lan0' }

describe('the explanation of the packet of a user', () => {
  let gateway: TestGateway
  let admin: Client
  let sessions: ListedSessions
  let group = ''
  let user = 0
  let other = 0
  let rule = 0

  const addUser = async (name: string, login: string, parent_id: unknown): Promise<number> =>
    (await admin('POST', '/user_backend/users', { name, login, psw: 'open sesame', parent_id, comment: '' })).body.id

  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const made = (await admin('POST', '/user_backend/groups', { name: 'Sales', parent_id: 'group.id.1' })).body.id
    group = `group.id.${made}`
    user = await addUser('Anna "<b>', 'anna', group)
    other = await addUser('Boris', 'boris', 'group.id.1')
    rule = (await admin('POST', '/firewall/rules/forward', { action: 'drop', source_addresses: [group] })).body.id
  })
  after(() => gateway.close())
  beforeEach(() => {
    sessions = new ListedSessions()
    replaceServices(gateway.services, { userSessions: sessions })
  })

  const ask = (fields: object, more: object = {}) =>
    admin('POST', '/firewall/explain', { packet: { ...packet, ...fields }, ...more })
  const userShown = (session_id: string | null, type: string | null) => ({
    user_id: `user.id.${user}`,
    login: 'anna',
    name: 'Anna "<b>',
    session_id,
    type,
  })

  it('takes the source from the session that the user has, by id or number', async () => {
    const { id } = sessions.add(`user.id.${user}`, '10.10.0.77')
    for (const asked of [`user.id.${user}`, `${user}`, user]) {
      const { status, body, text } = await ask({ user: asked })
      assert.equal(status, 200, text)
      assert.equal(body.source, '10.10.0.77')
      assert.deepEqual(body.source_user, userShown(id, 'web'))
      assert.equal(body.destination_user, null)
    }
  })

  it('takes a connected session before one that waits, and a host before a network', async () => {
    const userId = `user.id.${user}`
    sessions.add(userId, '10.10.0.70', { state: 'over_limit' })
    sessions.add(userId, '10.10.64.0/24', { type: 'net' })
    assert.equal((await ask({ user })).body.source, '10.10.64.1')
    sessions.add(userId, '10.10.0.71', { type: 'mac', mac: '02:00:00:00:00:aa' })
    const { body } = await ask({ user })
    assert.equal(body.source, '10.10.0.71')
    assert.equal(body.source_user.type, 'mac')
  })

  it('says that a user has no session, is unknown, or that neither user nor source was sent', async () => {
    const cases: [fields: object, field: string, message: RegExp][] = [
      [{ user: other }, 'packet.user', /"Boris" has no session now\./],
      [{ user: 999 }, 'packet.user', /There is no user user\.id\.999\./],
      [{}, 'packet.source', /a source address, a user or both/],
    ]
    for (const [fields, field, message] of cases) {
      const { status, body } = await ask(fields)
      assert.equal(status, 422)
      assert.equal(body.problems[0].field, field)
      assert.match(body.problems[0].message, message)
    }
  })

  it('judges the packet as if the user were at the source that is sent', async () => {
    const { body } = await ask({ user, source: '10.10.0.5' })
    assert.equal(body.source, '10.10.0.5')
    assert.deepEqual(body.source_user, userShown(null, null))
    const { id } = sessions.add(`user.id.${user}`, '10.10.0.5')
    assert.equal((await ask({ user, source: '10.10.0.5' })).body.source_user.session_id, id)
    sessions.add(`user.id.${other}`, '10.10.0.6')
    const elsewhere = await ask({ user, source: '10.10.0.6' })
    assert.deepEqual(elsewhere.body.source_user, userShown(null, null), 'the session of another user is not theirs')
  })

  it('names the users at both ends of a packet that is asked about by addresses', async () => {
    const { id } = sessions.add(`user.id.${user}`, '10.10.0.5')
    const target = sessions.add(`user.id.${other}`, '10.10.0.6')
    const { body } = await ask({ source: '10.10.0.5', destination: '10.10.0.6' })
    assert.deepEqual(body.source_user, userShown(id, 'web'))
    assert.equal(body.destination_user.session_id, target.id)
    assert.equal((await ask({ source: '10.10.0.9' })).body.source_user, null)
    const added = await admin('POST', '/auth/rules', {
      enabled: true,
      ip: '10.10.0.9',
      mac: null,
      user_id: user,
      always_logged: false,
      comment: '',
    })
    assert.equal(added.status, 200, added.text)
    const byRule = (await ask({ source: '10.10.0.9' })).body.source_user
    assert.deepEqual(byRule, userShown(null, 'ip'), 'an authorization rule is enough')
  })

  it('says in words by which group a rule knows the user', async () => {
    sessions.add(`user.id.${user}`, '10.10.0.5')
    const { body } = await ask({ user })
    const step = body.outcomes[0].steps.find(({ stage }: { stage: string }) => stage === 'forward')
    const said = `${step.text} ${step.passed.map(({ reason }: { reason: string }) => reason).join(' ')}`
    assert.ok(said.includes(`user.id.${user} "Anna "<b>" is in ${group} "Sales".`), said)
    sessions.add(`user.id.${other}`, '10.10.0.6')
    const boris = await ask({ user: other })
    assert.match(JSON.stringify(boris.body), /Boris\\" is not one of the users it names/)
  })

  it('is the same for a past revision, which a worker answers', async () => {
    const { id } = sessions.add(`user.id.${user}`, '10.10.0.5')
    const { status, body, text } = await ask({ user }, { revision: gateway.engine.revision })
    assert.equal(status, 200, text)
    assert.equal(body.source_user.session_id, id)
    assert.ok(text.includes(`is in ${group}`), text)
    const gone = { method: 'DELETE', path: `/firewall/rules/forward/${rule}` }
    assert.ok(!(await ask({ user }, { change: gone })).text.includes(`is in ${group}`))
  })

  it('knows who is at the address that DNAT leads to', async () => {
    const called = '203.0.113.2'
    const toUser = { action: 'drop', destination_addresses: [`user.id.${other}`] }
    const { id: drop } = (await admin('POST', '/firewall/rules/forward', toUser)).body
    const { id: dnat } = (
      await admin('POST', '/firewall/rules/dnat', {
        action: 'dnat',
        change_destination_address: '10.10.0.60-10.10.0.69',
      })
    ).body
    sessions.add(`user.id.${other}`, '10.10.0.66')
    sessions.add(`user.id.${other}`, '10.10.64.0/24', { type: 'net' })
    for (const more of [{}, { revision: gateway.engine.revision }]) {
      const { body } = await ask({ source: '198.51.100.10', destination: called, incoming_interface: 'wan0' }, more)
      const [decided] = body.outcomes.filter(({ destination }: { destination: string }) => destination === '10.10.0.66')
      assert.equal(decided?.decided_by, `firewall.forward[${drop}]`, JSON.stringify(body))
      assert.equal(body.verdict, 'depends')
      assert.match(JSON.stringify(decided.steps), /the session at the destination 10\.10\.0\.66.*\\"Boris\\" is there/)
      assert.equal(body.destination_user, null, 'no one is at the address that was called')
    }
    await admin('DELETE', `/firewall/rules/dnat/${dnat}`)
    await admin('DELETE', `/firewall/rules/forward/${drop}`)
  })

  it('does not take a host with a rule of its own for one of the network around it', async () => {
    const rule = { enabled: true, mac: null, always_logged: false, comment: '' }
    sessions.add(`user.id.${user}`, '10.10.64.0/24', { type: 'net' })
    const added = await admin('POST', '/auth/rules', { ...rule, ip: '10.10.64.7', user_id: other })
    assert.equal(added.status, 200, added.text)
    assert.equal((await ask({ source: '10.10.64.8' })).body.source_user.user_id, `user.id.${user}`)
    const { body } = await ask({ source: '10.10.64.7' })
    assert.equal(body.source_user.user_id, `user.id.${other}`)
    assert.equal(body.verdict, 'accept')
  })
})
