// Users and groups: names taken once, the tree of groups, what may not be changed here, and passwords no one reads.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findUser, groups, makeLocal, passwordPlace, users } from '../../src/areas/users/config.ts'
import type { DomainType } from '../../src/areas/users/contract.ts'
import { read } from '../../src/core/model/slots.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface Shown {
  readonly id: string
  readonly name: string
  readonly [field: string]: unknown
}

const fieldsOf = (answer: Answer): string[] => answer.body.problems.map((problem: { field: string }) => problem.field)

describe('users', () => {
  let gateway: TestGateway
  let admin: Client
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const fields = (changes: Record<string, unknown> = {}) => {
    number++
    return {
      name: `Some Body ${number}`,
      login: `somebody-${number}`,
      psw: 'open sesame',
      parent_id: 'group.id.1',
      comment: '',
      ...changes,
    }
  }
  const create = async (changes: Record<string, unknown> = {}): Promise<number> => {
    const { status, body, text } = await admin('POST', '/user_backend/users', fields(changes))
    assert.equal(status, 200, text)
    return body.id
  }
  const group = async (name: string, parent_id: unknown = 'group.id.1'): Promise<number> => {
    const { status, body, text } = await admin('POST', '/user_backend/groups', { name, parent_id })
    assert.equal(status, 200, text)
    return body.id
  }
  const list = async (what = 'users'): Promise<Shown[]> => (await admin('GET', `/user_backend/${what}`)).body
  const find = async (id: number): Promise<Shown> => {
    const found = (await list()).find((user) => user.id === `user.id.${id}`)
    assert.ok(found)
    return found
  }
  const findGroup = async (id: number): Promise<Shown> => {
    const found = (await list('groups')).find((one) => one.id === `group.id.${id}`)
    assert.ok(found)
    return found
  }
  /** What a client sends back: all that it read, with changes. */
  const put = async (id: number, changes: Record<string, unknown>): Promise<Answer> => {
    const { id: _own, ...rest } = await find(id)
    return admin('PUT', `/user_backend/users/${id}`, { ...rest, ...changes })
  }
  const putGroup = async (id: number, changes: Record<string, unknown>): Promise<Answer> => {
    const { id: _own, ...rest } = await findGroup(id)
    return admin('PUT', `/user_backend/groups/${id}`, { ...rest, ...changes })
  }
  const hashOf = (id: number): string => {
    const hash = findUser(gateway.engine.config, `user.id.${id}`)?.password_hash
    assert.ok(hash)
    return gateway.vault.reveal(hash, passwordPlace(`user.id.${id}`))
  }

  it('are created with what was sent, not denied access, and shown without the password', async () => {
    const sent = fields({ phone_number: '+7 (912) 345-67-89', comment: 'first' })
    const { body } = await admin('POST', '/user_backend/users', sent)
    assert.ok(Number.isInteger(body.id))
    const { psw, ...rest } = sent
    assert.deepEqual(await find(body.id), {
      id: `user.id.${body.id}`,
      ...rest,
      enabled: false,
      domain_type: 'local',
      domain_name: '',
      ldap_guid: '',
    })
    assert.match(hashOf(body.id), /^\$argon2id\$/)
    assert.equal(await gateway.services.accounts.passwords.fits(psw, hashOf(body.id), null), true)
    assert.equal((await find(await create())).phone_number, null)
  })

  it('are changed, by the number and by the whole id', async () => {
    const id = await create()
    const changes = { name: 'Another', login: 'an.other_1', enabled: true, phone_number: null, comment: 'x' }
    assert.equal((await put(id, changes)).status, 200)
    const { id: _own, ...rest } = await find(id)
    assert.deepEqual({ ...rest, ...changes }, rest)
    const again = await admin('PUT', `/user_backend/users/user.id.${id}`, { ...rest, comment: 'y' })
    assert.equal(again.status, 200)
    assert.equal(again.text, '')
    assert.equal((await find(id)).comment, 'y')
  })

  it('have a name and a login that no one else has; both faults are named', async () => {
    const [first, second] = [await create({ name: 'Taken', login: 'taken' }), await create()]
    for (const [changes, named] of [
      [{ name: 'Taken' }, ['name']],
      [{ login: 'taken' }, ['login']],
      [{ name: 'Taken', login: 'taken' }, ['name', 'login']],
    ] as const) {
      const made = await admin('POST', '/user_backend/users', fields(changes))
      assert.equal(made.status, 409)
      assert.deepEqual(fieldsOf(made), named)
      const changed = await put(second, changes)
      assert.equal(changed.status, 409)
      assert.deepEqual(fieldsOf(changed), named)
    }
    assert.equal((await put(first, { comment: 'keeps its own name' })).status, 200)
  })

  it('have logins, phones and groups of the right form only', async () => {
    for (const login of ['', 'Upper', 'имя', 'a b', 'a@b', '10.0.0.1', '999.1.1.1', 'a'.repeat(33), 'a\n', 7]) {
      const answer = await admin('POST', '/user_backend/users', fields({ login }))
      assert.equal(answer.status, 422, String(login))
      assert.deepEqual(fieldsOf(answer), ['login'])
    }
    for (const login of ['a', '1', '10.0.0', '1.2.3.4.5', 'a'.repeat(32), '_-.']) await create({ login })
    for (const phone_number of ['', '12025550123', '+', '+0123456', '+1 202 555 01x3', `+${'1'.repeat(16)}`]) {
      const answer = await admin('POST', '/user_backend/users', fields({ phone_number }))
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['phone_number']], phone_number)
    }
    for (const parent_id of ['group.id.999', '999', 999, 'user.id.1', '', 'group.id.01', 0, null]) {
      const answer = await admin('POST', '/user_backend/users', fields({ parent_id }))
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['parent_id']], String(parent_id))
    }
    for (const psw of ['', 'x'.repeat(129), null]) {
      const answer = await admin('POST', '/user_backend/users', fields({ psw }))
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['psw']])
    }
  })

  it('take their group in all three spellings and show one', async () => {
    const parent = await group('spelled')
    for (const parent_id of [parent, String(parent), `group.id.${parent}`])
      assert.equal((await find(await create({ parent_id }))).parent_id, `group.id.${parent}`)
    const id = await create()
    assert.equal((await put(id, { parent_id: parent })).status, 200)
    assert.equal((await find(id)).parent_id, `group.id.${parent}`)
  })

  it('get a new password that is not returned, audited or kept in clear', async () => {
    const id = await create()
    const secret = 'canary-4711-canary'
    assert.equal((await admin('PUT', `/user_backend/change_password/${id}`, { password: secret })).status, 200)
    assert.equal(await gateway.services.accounts.passwords.fits(secret, hashOf(id), null), true)
    assert.equal(await gateway.services.accounts.passwords.fits('open sesame', hashOf(id), null), false)
    for (const url of ['/user_backend/users', '/journal/records', '/config/revisions?limit=1']) {
      const { text } = await admin('GET', url)
      assert.ok(!text.includes(secret) && !text.includes('argon2'), url)
    }
    const { revision } = gateway.engine
    const shown = await admin('GET', `/config/revisions/${revision}`)
    assert.deepEqual(shown.body.changes[0].fields, [{ field: 'password_hash', before: '***', after: '***' }])
    for (const password of ['', null, 7]) {
      const answer = await admin('PUT', `/user_backend/change_password/${id}`, { password })
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['password']])
    }
    assert.equal(
      (await admin('PUT', '/user_backend/change_password/999999', { password: 'wooden bridge 31' })).status,
      404,
    )
    const { ...kept } = await find(id)
    assert.equal('password_hash' in kept, false)
  })

  it('do not get a password that is easy to guess, whichever call gives it', async () => {
    const id = await create({ login: 'lighthouse' })
    const count = (await admin('GET', '/user_backend/users')).body.length
    const weak = [
      '',
      '...',
      'x'.repeat(9),
      '1234567890',
      'Password123',
      'my-Portcullis-7',
      'Lighthouse 42',
      'y'.repeat(129),
    ]
    for (const password of weak) {
      const made = await admin('POST', '/user_backend/users', fields({ login: 'lighthous', psw: password }))
      assert.deepEqual([made.status, fieldsOf(made)], [422, ['psw']], password)
      const changed = await admin('PUT', `/user_backend/change_password/${id}`, { password })
      assert.deepEqual([changed.status, fieldsOf(changed)], [422, ['password']], password)
    }
    assert.equal((await admin('GET', '/user_backend/users')).body.length, count)
    assert.equal(await gateway.services.accounts.passwords.fits('open sesame', hashOf(id), null), true)
    for (const password of ['ten chars!', 'пароль из слов', 'z7'.repeat(64)])
      assert.equal((await admin('PUT', `/user_backend/change_password/${id}`, { password })).status, 200, password)
  })

  it('keep their password when other fields change', async () => {
    const id = await create()
    await put(id, { comment: 'changed' })
    assert.equal(await gateway.services.accounts.passwords.fits('open sesame', hashOf(id), null), true)
  })

  it('that come from elsewhere are not changed here', async () => {
    for (const domain_type of ['ad', 'ald', 'device'] satisfies DomainType[]) {
      const id = await create()
      assert.equal((await put(id, { domain_type, domain_name: 'corp.example', ldap_guid: 'guid-1' })).status, 200)
      assert.equal((await put(id, {})).status, 200, 'nothing changed')
      for (const changes of [{ comment: 'x' }, { enabled: true }, { name: `n ${number}` }, { domain_type: 'local' }]) {
        const answer = await put(id, changes)
        assert.deepEqual([answer.status, fieldsOf(answer)], [409, Object.keys(changes)], domain_type)
      }
      const password = await admin('PUT', `/user_backend/change_password/${id}`, { password: 'wooden bridge 31' })
      assert.deepEqual([password.status, fieldsOf(password)], [409, ['password']])
      assert.equal((await admin('DELETE', `/user_backend/users/${id}`)).status, 200)
    }
  })

  it('of a RADIUS server change in enabled, comment and name only', async () => {
    const id = await create()
    assert.equal((await put(id, { domain_type: 'radius' })).status, 200)
    const allowed = { enabled: true, comment: 'x', name: `renamed ${number}` }
    assert.equal((await put(id, allowed)).status, 200)
    assert.equal((await find(id)).name, allowed.name)
    for (const changes of [
      { login: 'other-login' },
      { phone_number: '+12025550123' },
      { parent_id: await group('for nobody') },
      { domain_type: 'local' },
      { domain_name: 'x', ldap_guid: 'y' },
    ]) {
      const answer = await put(id, { ...changes, comment: 'y' })
      assert.deepEqual([answer.status, fieldsOf(answer).sort()], [409, Object.keys(changes).sort()])
    }
    assert.equal((await find(id)).comment, 'x')
  })

  it('belong to the gateway again when their directory is left', async () => {
    const parent = await group('imported')
    const id = await create({ parent_id: parent })
    const other = await create()
    const theirs = { domain_type: 'ad', domain_name: 'left.example', ldap_guid: 'guid-2' }
    assert.equal((await put(id, theirs)).status, 200)
    assert.equal((await put(other, { ...theirs, domain_name: 'stays.example' })).status, 200)
    assert.equal((await putGroup(parent, theirs)).status, 200)
    const config = makeLocal(gateway.engine.config, 'ad', 'left.example')
    const origins = read(config, users).filter((user) => [`user.id.${id}`, `user.id.${other}`].includes(user.id))
    assert.deepEqual(
      origins.map((user) => [user.domain_type, user.domain_name, user.ldap_guid]),
      [
        ['local', '', ''],
        ['ad', 'stays.example', 'guid-2'],
      ],
    )
    assert.equal(read(config, groups).find((one) => one.id === `group.id.${parent}`)?.domain_type, 'local')
  })

  it('are removed once, and their ids never come back', async () => {
    const id = await create()
    assert.equal((await admin('DELETE', `/user_backend/users/user.id.${id}`)).status, 200)
    assert.equal((await admin('DELETE', `/user_backend/users/${id}`)).status, 404)
    assert.ok((await create()) > id)
  })

  it('are unknown under any other id', async () => {
    const id = await create()
    const { id: _own, ...body } = await find(id)
    for (const wrong of [`0${id}`, `group.id.${id}`, `User.id.${id}`, '-1', '1e0', `${id}.0`, 'x'.repeat(90)]) {
      assert.equal((await admin('PUT', `/user_backend/users/${wrong}`, body)).status, 404, wrong)
      assert.equal((await admin('DELETE', `/user_backend/users/${wrong}`)).status, 404, wrong)
    }
  })

  const bind = async (user_id: number, ip: string): Promise<string> => {
    const rule = { enabled: true, ip, mac: null, user_id, always_logged: true, comment: '' }
    const { status, body, text } = await admin('POST', '/auth/rules', rule)
    assert.equal(status, 200, text)
    return body.id
  }
  const boundAddresses = async (): Promise<string[]> =>
    (await admin('GET', '/auth/rules')).body.map(({ ip }: { ip: string }) => ip)

  it('take their authorization rules along', async () => {
    const [gone, kept] = [await create(), await create()]
    await bind(gone, '10.9.9.9')
    const other = await bind(kept, '10.9.9.10')
    assert.equal((await admin('DELETE', `/user_backend/users/${gone}`)).status, 200)
    assert.deepEqual(await boundAddresses(), ['10.9.9.10'])
    assert.equal((await admin('DELETE', `/auth/rules/${other}`)).status, 200)
  })

  it('and groups that a firewall rule mentions stay as well', async () => {
    const parent = await group('ruled')
    const id = await create()
    const mentioned = [`user.id.${id}`, `group.id.${parent}`]
    const made = await admin('POST', '/firewall/rules/forward', {
      action: 'drop',
      comment: '',
      destination_addresses: ['any'],
      destination_addresses_negate: false,
      destination_ports: ['any'],
      enabled: true,
      hip_profiles: [],
      incoming_interface: 'any',
      outgoing_interface: 'any',
      protocol: 'any',
      source_addresses: mentioned,
      source_addresses_negate: false,
      timetable: ['any'],
      parent_id: 'f3ffde22-a562-4f43-ac04-c40fcec6a88c',
    })
    assert.equal(made.status, 200, made.text)
    for (const path of [`users/${id}`, `groups/${parent}`]) {
      const refused = await admin('DELETE', `/user_backend/${path}`)
      assert.equal(refused.status, 409)
      assert.deepEqual(fieldsOf(refused), [`firewall.forward[${made.body.id}].source_addresses`])
    }
    assert.equal((await admin('DELETE', `/firewall/rules/forward/${made.body.id}`)).status, 200)
    for (const path of [`users/${id}`, `groups/${parent}`])
      assert.equal((await admin('DELETE', `/user_backend/${path}`)).status, 200)
  })

  it('created at the same time are all there, and one of two with the same login is refused', async () => {
    const before = (await list()).length
    const answers = await Promise.all(Array.from({ length: 40 }, () => admin('POST', '/user_backend/users', fields())))
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 40)
    assert.equal((await list()).length, before + 40)
    const race = await Promise.all(
      Array.from({ length: 5 }, () => admin('POST', '/user_backend/users', fields({ login: 'raced' }))),
    )
    assert.deepEqual(race.map((answer) => answer.status).sort(), [200, 409, 409, 409, 409])
  })

  describe('in groups', () => {
    it('that are always there and cannot be touched', async () => {
      const [root, device] = await list('groups')
      const origin = { domain_name: '', ldap_guid: '' }
      assert.deepEqual(root, { id: 'group.id.1', name: 'All', parent_id: '', domain_type: 'local', ...origin })
      assert.deepEqual(device, {
        id: 'group.id.2',
        name: 'Device VPN',
        parent_id: 'group.id.1',
        domain_type: 'device',
        ...origin,
      })
      for (const id of ['1', 'group.id.1', '2']) {
        const body = { name: 'x', parent_id: 1, domain_type: 'local', ...origin }
        assert.equal((await admin('PUT', `/user_backend/groups/${id}`, body)).status, 409)
        assert.equal((await admin('DELETE', `/user_backend/groups/${id}`)).status, 409)
      }
    })

    it('are created, renamed and moved', async () => {
      const outer = await group('outer')
      const inner = await group('inner', outer)
      assert.deepEqual(await findGroup(inner), {
        id: `group.id.${inner}`,
        name: 'inner',
        parent_id: `group.id.${outer}`,
        domain_type: 'local',
        domain_name: '',
        ldap_guid: '',
      })
      assert.equal((await putGroup(inner, { name: 'renamed', parent_id: 'group.id.1' })).status, 200)
      const { name, parent_id } = await findGroup(inner)
      assert.deepEqual([name, parent_id], ['renamed', 'group.id.1'])
    })

    it('have a name once under each parent', async () => {
      const parent = await group('parent of twins')
      await group('twin', parent)
      await group('twin')
      const second = await admin('POST', '/user_backend/groups', { name: 'twin', parent_id: parent })
      assert.deepEqual([second.status, fieldsOf(second)], [409, ['name']])
      const fixed = await admin('POST', '/user_backend/groups', { name: 'Device VPN', parent_id: 1 })
      assert.equal(fixed.status, 409)
      const other = await group('no twin')
      assert.deepEqual(fieldsOf(await putGroup(other, { name: 'twin' })), ['name'])
    })

    it('are never inside themselves', async () => {
      const top = await group('loop top')
      const middle = await group('loop middle', top)
      const low = await group('loop low', middle)
      for (const parent_id of [top, middle, low]) {
        const answer = await putGroup(top, { parent_id })
        assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['parent_id']])
      }
      assert.deepEqual(fieldsOf(await putGroup(top, { parent_id: 999_999 })), ['parent_id'])
      assert.equal((await putGroup(low, { parent_id: top })).status, 200)
    })

    it('of a directory take no user and no group made here, and are not changed', async () => {
      const theirs = await group('theirs')
      assert.equal((await putGroup(theirs, { domain_type: 'ad', domain_name: 'corp.example' })).status, 200)
      const user = await create()
      for (const answer of [
        await admin('POST', '/user_backend/users', fields({ parent_id: theirs })),
        await put(user, { parent_id: theirs }),
        await admin('POST', '/user_backend/groups', { name: 'x', parent_id: theirs }),
      ]) {
        assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['parent_id']])
      }
      assert.equal((await put(user, { parent_id: theirs, domain_type: 'ad' })).status, 200)
      assert.deepEqual(fieldsOf(await putGroup(theirs, { name: 'y' })), ['name'])
      const radius = await group('radius users')
      assert.equal((await putGroup(radius, { domain_type: 'radius' })).status, 200)
      assert.equal((await putGroup(radius, { name: 'renamed radius' })).status, 200)
      assert.equal((await putGroup(radius, { parent_id: theirs })).status, 409)
      assert.equal((await admin('DELETE', `/user_backend/groups/${radius}`)).status, 200)
    })

    it('take everyone and every group in them along, with the authorization rules', async () => {
      const outer = await group('full')
      const inner = await group('inside', outer)
      const beside = await group('beside')
      const [member, deep, other] = [
        await create({ parent_id: outer }),
        await create({ parent_id: inner }),
        await create({ parent_id: beside }),
      ]
      for (const [user, ip] of [
        [member, '10.9.8.1'],
        [deep, '10.9.8.2'],
        [other, '10.9.8.3'],
      ] as const)
        await bind(user, ip)
      const [usersBefore, groupsBefore] = [await list(), await list('groups')]
      assert.equal((await admin('DELETE', `/user_backend/groups/group.id.${outer}`)).status, 200)
      const goneUsers = [`user.id.${member}`, `user.id.${deep}`]
      const goneGroups = [`group.id.${outer}`, `group.id.${inner}`]
      assert.deepEqual(
        await list(),
        usersBefore.filter(({ id }) => !goneUsers.includes(id)),
      )
      assert.deepEqual(
        await list('groups'),
        groupsBefore.filter(({ id }) => !goneGroups.includes(id)),
      )
      assert.deepEqual(await boundAddresses(), ['10.9.8.3'])
      assert.equal((await admin('DELETE', `/user_backend/groups/${outer}`)).status, 404)
      assert.ok((await group('later')) > inner)
      assert.ok((await create()) > other)
    })

    it('stay as a whole while a rule mentions one of their members', async () => {
      const outer = await group('watched')
      const member = await create({ parent_id: await group('watched inside', outer) })
      const rule = {
        sources: ['any'],
        objects: [`user.id.${member}`],
        vpns: ['any'],
        action: 'allow',
        two_factor: 'not_required',
      }
      const made = await admin('POST', '/vpn_servers/access_rules', rule)
      assert.equal(made.status, 200, made.text)
      const before = [await list(), await list('groups')]
      const refused = await admin('DELETE', `/user_backend/groups/${outer}`)
      assert.equal(refused.status, 409)
      assert.deepEqual(fieldsOf(refused), [`vpn.access_rules[${made.body.id}].objects`])
      assert.deepEqual([await list(), await list('groups')], before)
      assert.equal((await admin('DELETE', `/vpn_servers/access_rules/${made.body.id}`)).status, 200)
      assert.equal((await admin('DELETE', `/user_backend/groups/${outer}`)).status, 200)
    })
  })

  it('and groups are all there after a restart, in their order', async () => {
    const [usersBefore, groupsBefore] = [await list(), await list('groups')]
    const last = await create()
    assert.equal((await admin('DELETE', `/user_backend/users/${last}`)).status, 200)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await list(), usersBefore)
    assert.deepEqual(await list('groups'), groupsBefore)
    assert.ok((await create()) > last)
  })
})
