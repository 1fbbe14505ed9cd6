import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import {
  configOf,
  host,
  neighbours,
  SessionLab,
  sampleGroup,
  sampleRule,
  sampleUser,
} from '../../../../test/support/user-sessions.ts'
import { read, write } from '../../../core/model/slots.ts'
import { groups, users } from '../../users/config.ts'
import { authorizationRules } from '../config.ts'

const mac = (number: number): string => `02:00:00:00:01:${number.toString(16).padStart(2, '0')}`

describe('sessions of users', () => {
  let lab: SessionLab
  const open = (...args: ConstructorParameters<typeof SessionLab>): SessionLab => {
    lab = new SessionLab(...args)
    return lab
  }
  afterEach(() => lab.close())

  it('begin with the first packet by the rule that fits best: both addresses, address, card, network', async () => {
    const rules = [
      sampleRule('net', { ip: '10.0.0.0/24', user_id: 4 }),
      sampleRule('mac', { mac: mac(3), user_id: 3 }),
      sampleRule('ip', { ip: '10.0.0.2', user_id: 2 }),
      sampleRule('both', { ip: '10.0.0.1', mac: mac(1), user_id: 1 }),
    ]
    open(configOf({ users: [1, 2, 3, 4].map((number) => sampleUser(number)), rules }))
    await lab.keeper.maintain()
    await lab.arrive('auth_pairs', host('10.0.0.1', mac(1)))
    await lab.arrive('auth_hosts', host('10.0.0.2', mac(2)))
    await lab.arrive('auth_pairs', host('10.0.0.3', mac(3)))
    await lab.arrive('auth_net_hosts', host('10.0.0.4', mac(4)))
    await lab.arrive('auth_net_hosts', host('10.0.0.5', mac(5)))
    assert.deepEqual(lab.shown(), [
      'user.id.1 ip_mac 10.0.0.1 connected',
      'user.id.2 ip 10.0.0.2 connected',
      'user.id.3 mac 10.0.0.3 connected',
      'user.id.4 net 10.0.0.0/24 connected',
    ])
    assert.equal(lab.keeper.at('10.0.0.5')?.userId, 'user.id.4')
    assert.equal(lab.keeper.at('10.0.1.5'), undefined)
    assert.equal(lab.storedRows(), 4)
    assert.deepEqual(
      lab.events.map(({ login, end }) => [login, end]),
      ['user1', 'user2', 'user3', 'user4'].map((login) => [login, null]),
    )
  })

  it('of a rule that is gone are not begun, and the host is no longer let through', async () => {
    open(configOf({ users: [sampleUser(1)] }))
    await lab.keeper.maintain()
    await lab.arrive('auth_hosts', host('10.0.0.9', mac(9)))
    assert.deepEqual(lab.shown(), [])
    assert.deepEqual(lab.elements('auth_hosts'), [])
    assert.deepEqual(lab.cutHosts(), ['10.0.0.9'])
    assert.equal(lab.storedRows(), 0)
  })

  it('of a rule that is removed before its host is reported do not stay in the kernel', async () => {
    open(configOf({ users: [sampleUser(1)], rules: [sampleRule('ip', { ip: '10.0.0.9' })] }))
    await lab.keeper.maintain()
    lab.let('auth_hosts', host('10.0.0.9'))
    lab.applier.live.set('auth_new', new Map([['10.0.0.9', { ...host('10.0.0.9', mac(9)), device: 'lan0' }]]))
    await lab.change((config) => write(config, authorizationRules, []))
    assert.deepEqual(lab.elements('auth_hosts'), [])
    assert.deepEqual(lab.cutHosts(), ['10.0.0.9'])
  })

  it('end without traffic, and their elements in sets of members go', async () => {
    const rules = [sampleRule('mac', { mac: mac(1) }), sampleRule('ip', { ip: '10.0.0.2' })]
    open(configOf({ users: [sampleUser(1)], rules }), ['user.id.1', 'group.id.1'])
    await lab.keeper.maintain()
    await lab.arrive('auth_pairs', host('10.0.0.1', mac(1)))
    await lab.arrive('auth_hosts', host('10.0.0.2'))
    assert.deepEqual(lab.elements('u_user_id_1'), ['10.0.0.1'], 'addresses of rules are in the ruleset itself')
    assert.deepEqual(lab.elements('u_group_id_1'), ['10.0.0.1'])
    assert.deepEqual(lab.cutHosts(), ['10.0.0.1'])
    lab.clock.advance(899)
    lab.let('auth_pairs', host('10.0.0.1', mac(1)), 1)
    lab.let('auth_hosts', host('10.0.0.2'), 1)
    await lab.keeper.maintain()
    assert.equal(lab.shown().length, 2)
    lab.clock.advance(2)
    lab.applier.live.get('auth_pairs')?.clear()
    lab.let('auth_hosts', host('10.0.0.2'), 500)
    await lab.keeper.maintain()
    assert.deepEqual(lab.shown(), ['user.id.1 ip 10.0.0.2 connected'])
    assert.deepEqual(lab.elements('u_user_id_1'), [])
    assert.equal(lab.events.at(-1)?.end, 'There was no traffic.')
    assert.equal(lab.storedRows(), 1)
  })

  it('that began after the kernel was read are not taken for silent', async () => {
    open(configOf({ users: [sampleUser(1)] }))
    await lab.keeper.maintain()
    const readLive = lab.applier.readLive.bind(lab.applier)
    lab.applier.readLive = async (sets) => {
      const reading = await readLive(sets)
      lab.applier.readLive = readLive
      await lab.keeper.openWeb('user.id.1', '10.0.0.1')
      return reading
    }
    lab.keeper.compareSoon()
    await lab.keeper.maintain()
    assert.deepEqual(lab.shown(), ['user.id.1 web 10.0.0.1 connected'])
    assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.1'])
  })

  it('of a sign-in are bound to the card when the host is in the same segment', async () => {
    open(configOf({ users: [sampleUser(1), sampleUser(2)] }))
    lab.applier.neighbourTable = neighbours(['10.0.0.10', mac(10)], ['10.0.0.1', '02:00:00:00:01:0A'])
    await lab.keeper.maintain()
    const first = await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    assert.deepEqual([first.mac, first.device], ['02:00:00:00:01:0a', 'lan0'])
    assert.deepEqual(lab.elements('auth_pairs'), ['10.0.0.1 02:00:00:00:01:0a'])
    assert.equal((await lab.keeper.openWeb('user.id.2', '192.168.7.7')).mac, null)
    assert.deepEqual(lab.elements('auth_hosts'), ['192.168.7.7'])
    assert.equal((await lab.keeper.openWeb('user.id.1', '10.0.0.1')).id, first.id, 'signed in already')
    await lab.keeper.openWeb('user.id.2', '10.0.0.1')
    assert.deepEqual(lab.shown(), ['user.id.2 web 10.0.0.1 connected', 'user.id.2 web 192.168.7.7 connected'])
    assert.deepEqual(lab.elements('auth_pairs'), ['10.0.0.1 02:00:00:00:01:0a'])
    await assert.rejects(lab.keeper.openWeb('user.id.9', '10.0.0.1'), /does not exist/)
  })

  it('over five wait, the oldest first, and come back when there is room', async () => {
    open(configOf({ users: [sampleUser(1)] }), ['user.id.1'])
    await lab.keeper.maintain()
    for (let number = 1; number <= 7; number++) {
      lab.clock.advance(1)
      await lab.keeper.openWeb('user.id.1', `10.0.0.${number}`)
    }
    const waiting = (): string[] =>
      lab.keeper.list().flatMap(({ state, address }) => (state === 'over_limit' ? address : []))
    assert.deepEqual(waiting(), ['10.0.0.1', '10.0.0.2'])
    assert.deepEqual(lab.elements('auth_suspended'), ['10.0.0.1', '10.0.0.2'])
    assert.equal(lab.elements('u_user_id_1').length, 7, 'members are connected and waiting ones alike')
    assert.deepEqual(lab.cutHosts().slice(-4), ['10.0.0.6', '10.0.0.1', '10.0.0.7', '10.0.0.2'])
    lab.applier.live.clear()
    lab.applier.liveEpoch = 'another'
    lab.keeper.compareSoon()
    await lab.keeper.maintain()
    assert.deepEqual(lab.elements('auth_suspended'), ['10.0.0.1', '10.0.0.2'], 'what the kernel lost')
    assert.deepEqual(lab.cutHosts(), ['10.0.0.1', '10.0.0.2'], 'they may have got in meanwhile')
    await lab.keeper.end(lab.keeper.at('10.0.0.5')?.id ?? '')
    assert.deepEqual(waiting(), ['10.0.0.2'])
    assert.deepEqual(lab.elements('auth_suspended'), ['10.0.0.2'])
    await lab.keeper.end(lab.keeper.at('10.0.0.2')?.id ?? '')
    assert.deepEqual(lab.elements('auth_suspended'), [])
    await lab.keeper.openWeb('user.id.1', '10.0.0.8')
    assert.deepEqual(waiting(), ['10.0.0.1'], 'the oldest waits again')
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    assert.deepEqual(waiting(), ['10.0.0.3'], 'who signs in again is the newest')
  })

  it('of networks count, and never wait', async () => {
    const rules = [1, 2, 3, 4, 5, 6].map((number) => sampleRule(`net ${number}`, { ip: `10.0.${number}.0/24` }))
    open(configOf({ users: [sampleUser(1)], rules }))
    await lab.keeper.maintain()
    await lab.keeper.openWeb('user.id.1', '10.9.0.1')
    for (const number of [1, 2, 3, 4, 5, 6]) await lab.arrive('auth_net_hosts', host(`10.0.${number}.1`))
    const states = lab.shown().map((text) => text.split(' ').slice(1).join(' '))
    assert.equal(states.filter((text) => /^net .* connected$/.test(text)).length, 6)
    assert.ok(states.includes('web 10.9.0.1 over_limit'))
  })

  it('that always exist begin with their rule and never end without traffic', async () => {
    open(
      configOf({
        users: [sampleUser(1), sampleUser(2)],
        rules: [sampleRule('a', { ip: '10.0.0.1', always_logged: true })],
      }),
    )
    await lab.keeper.maintain()
    assert.deepEqual(lab.shown(), ['user.id.1 ip 10.0.0.1 connected'])
    lab.clock.advance(100_000)
    await lab.keeper.maintain()
    assert.equal(lab.shown().length, 1)
    await assert.rejects(lab.keeper.openWeb('user.id.2', '10.0.0.1'), /always authorized as another user/)
    const { id } = lab.keeper.list()[0] ?? { id: '' }
    assert.ok(await lab.keeper.end(id))
    assert.equal(lab.keeper.find(id), undefined)
    assert.equal(lab.shown().length, 1, 'the rule begins another one')
    await lab.change((config) =>
      write(config, authorizationRules, [
        ...read(config, authorizationRules),
        sampleRule('b', { ip: '10.0.0.2', always_logged: true, user_id: 2 }),
      ]),
    )
    assert.equal(lab.shown().length, 2)
    await lab.updateUser(2, { enabled: true })
    assert.equal(lab.shown().length, 1)
    await lab.updateUser(2, { enabled: false })
    assert.equal(lab.shown().length, 2)
    await lab.updateRule('b', { always_logged: false })
    assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.2'])
    lab.clock.advance(901)
    lab.applier.live.get('auth_hosts')?.clear()
    await lab.keeper.maintain()
    assert.equal(lab.shown().length, 1)
  })

  describe('end with the configuration', () => {
    const begin = async (): Promise<void> => {
      const rules = [
        sampleRule('mac', { mac: mac(1) }),
        sampleRule('ip', { ip: '10.0.0.2' }),
        sampleRule('net', { ip: '10.0.3.0/24' }),
      ]
      const people = [sampleUser(1, { parent_id: 'group.id.3' }), sampleUser(2)]
      open(configOf({ users: people, groups: [sampleGroup(3)], rules }), ['user.id.1', 'group.id.3'])
      await lab.keeper.maintain()
      await lab.arrive('auth_pairs', host('10.0.0.1', mac(1)))
      await lab.arrive('auth_hosts', host('10.0.0.2'))
      await lab.arrive('auth_net_hosts', host('10.0.3.3'))
      await lab.keeper.openWeb('user.id.1', '10.0.0.4')
      await lab.keeper.openWeb('user.id.2', '10.0.0.5')
      lab.cutHosts()
    }
    const kinds = (): string[] => lab.shown().map((text) => text.split(' ').slice(0, 2).join(' '))

    it('when the user is denied access', async () => {
      await begin()
      await lab.updateUser(1, { enabled: true })
      assert.deepEqual(kinds(), ['user.id.2 web'])
      for (const set of ['auth_pairs', 'auth_net_hosts', 'u_user_id_1', 'u_group_id_3'])
        assert.deepEqual(lab.elements(set), [], set)
      assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.5'])
      assert.deepEqual(lab.cutHosts().sort(), ['10.0.0.1', '10.0.0.2', '10.0.0.4', '10.0.3.3'])
      assert.equal(lab.storedRows(), 1)
      await assert.rejects(lab.keeper.openWeb('user.id.1', '10.0.0.4'), /denied access/)
    })

    it('when the user and the group are deleted', async () => {
      await begin()
      await lab.change((config) => {
        const left = write(config, users, read(config, users).slice(1))
        return write(write(left, groups, []), authorizationRules, [])
      })
      assert.deepEqual(kinds(), ['user.id.2 web'])
      assert.ok(lab.events.some(({ login, end }) => login === 'user1' && end === 'The user was deleted.'))
    })

    it('when the password is changed: those of sign-ins', async () => {
      await begin()
      await lab.updateUser(1, { password_hash: { sealed: 'another' } })
      assert.deepEqual(kinds(), ['user.id.1 ip', 'user.id.1 mac', 'user.id.1 net', 'user.id.2 web'])
      await lab.updateUser(1, { comment: 'another' })
      assert.equal(kinds().length, 4)
    })

    it('when the rule is disabled, removed, moved to another user or to another address', async () => {
      await begin()
      await lab.updateRule('mac', { enabled: false })
      assert.ok(!kinds().includes('user.id.1 mac'))
      await lab.updateRule('ip', { ip: '10.0.0.7' })
      assert.ok(!kinds().includes('user.id.1 ip'))
      await lab.change((config) =>
        write(
          config,
          authorizationRules,
          read(config, authorizationRules).filter(({ id }) => id !== 'net'),
        ),
      )
      assert.deepEqual(kinds(), ['user.id.1 web', 'user.id.2 web'])
      assert.deepEqual(lab.elements('auth_net_hosts'), [])
    })

    it('and not when a user is moved: the sets of members follow', async () => {
      await begin()
      await lab.updateUser(2, { parent_id: 'group.id.3' })
      assert.deepEqual(lab.elements('u_group_id_3'), ['10.0.0.1', '10.0.0.4', '10.0.0.5'])
      await lab.updateUser(1, { parent_id: 'group.id.1' })
      assert.deepEqual(lab.elements('u_group_id_3'), ['10.0.0.5'])
      assert.equal(kinds().length, 5)
    })

    it('and not when a group is moved: the sets of members follow', async () => {
      await begin()
      await lab.change(
        (config) => write(config, groups, [sampleGroup(3), sampleGroup(4)]),
        [...['user.id.1', 'group.id.3', 'group.id.4']],
      )
      assert.deepEqual(lab.elements('u_group_id_4'), [])
      await lab.change((config) => write(config, groups, [sampleGroup(3, 'group.id.4'), sampleGroup(4)]))
      assert.deepEqual(lab.elements('u_group_id_4'), ['10.0.0.1', '10.0.0.4'])
    })
  })

  it('fill sets of members that a rule names from now on, also one that was gone for a moment', async () => {
    open(configOf({ users: [sampleUser(1)] }))
    await lab.keeper.maintain()
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    await lab.change((config) => config, ['group.id.1'])
    assert.deepEqual(lab.elements('u_group_id_1'), ['10.0.0.1'])
    const gone = lab.change((config) => config, [])
    lab.applier.live.delete('u_group_id_1')
    await Promise.all([gone, lab.change((config) => config, ['group.id.1'])])
    assert.deepEqual(lab.elements('u_group_id_1'), ['10.0.0.1'])
  })

  it('survive while the ruleset has no authorization, and are filled in when it has', async () => {
    open(configOf({ users: [sampleUser(1), sampleUser(2)] }))
    await lab.change((config) => config, [], false)
    await lab.keeper.maintain()
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    assert.equal(lab.applier.live.size, 0)
    await lab.change((config) => config, [])
    assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.1'])
    await lab.change((config) => config, [], false)
    lab.applier.live.clear()
    lab.clock.advance(901)
    await lab.keeper.maintain()
    assert.deepEqual(lab.shown(), [], 'nothing notes the traffic, so the time of the last sign of it decides')
  })

  it('are filled in when the plan is applied that the kernel did not have', async () => {
    open(configOf({ users: [sampleUser(1)] }))
    await lab.keeper.maintain()
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    const { readLive } = lab.applier
    lab.applier.live.clear()
    lab.applier.readLive = async () => ({ epoch: 'fake', sets: {} })
    lab.keeper.compareSoon()
    await lab.keeper.maintain()
    assert.equal(lab.keeper.state.isCompared, false)
    lab.applier.readLive = readLive
    lab.clock.advance(1)
    await lab.keeper.maintain()
    assert.equal(lab.keeper.state.isCompared, true)
    assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.1'])
  })

  it('are followed by a loop that outlives an apply service that is away', async () => {
    open(configOf({ users: [sampleUser(1)], rules: [sampleRule('ip', { ip: '10.0.0.2' })] }))
    lab.applier.arrived = { authorized: [host('10.0.0.2', mac(2))], unknown: [] }
    lab.keeper.start()
    await until('the session begins', () => lab.shown().length === 1 && lab.keeper.state.isCompared)
    assert.equal(lab.keeper.state.isFollowing, true)
    lab.applier.failWith = new Error('away')
    await until('the loop notices', () => !lab.keeper.state.isFollowing)
    lab.applier.failWith = null
    await until('the loop goes on', () => lab.keeper.state.isFollowing)
  })

  it('report hosts that nothing authorizes', async () => {
    open(configOf({}))
    const unknown: string[] = []
    lab.keeper.onUnknown((hosts) => unknown.push(...hosts.map(({ address }) => address)))
    await lab.keeper.takeArrivals({ epoch: 'fake', authorized: [], unknown: [host('10.0.0.1', mac(1))] })
    assert.deepEqual(unknown, ['10.0.0.1'])
  })
})

describe('the cost of a sign-in', () => {
  it('is the same with none and with 20,000 sessions', async () => {
    const count = 20_000
    const people = Array.from({ length: count + 2 }, (_, index) => sampleUser(index + 1))
    const lab = new SessionLab(configOf({ users: people }), ['group.id.1'])
    await lab.keeper.maintain()
    const sent: number[] = []
    const changeLive = lab.applier.changeLive.bind(lab.applier)
    lab.applier.changeLive = (changes) => {
      sent.push(changes.reduce((sum, { add, remove }) => sum + add.length + remove.length, 0))
      return changeLive(changes)
    }
    const signIn = async (number: number): Promise<readonly number[]> => {
      sent.length = 0
      await lab.keeper.openWeb(`user.id.${number}`, `10.200.0.${number % 2}`)
      return [...sent]
    }
    const first = await signIn(count + 1)
    const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    sent.length = 0
    await Promise.all(people.slice(0, count).map(({ id }, index) => lab.keeper.openWeb(id, addressOf(index))))
    assert.equal(lab.keeper.list().length, count + 1)
    assert.ok(sent.length < count / 100, 'sign-ins that come together share transactions')
    assert.deepEqual(await signIn(count + 2), first, 'the same calls with as many elements')
    assert.equal(lab.elements('u_group_id_1').length, count + 2)
    // A change that concerns no session looks at none.
    sent.length = 0
    await lab.updateUser(count, { comment: 'other' })
    assert.deepEqual(sent, [])
    // What looks at all of them lets others in between; what names one user looks at no one else.
    const everyone = count / 512
    const group = () => lab.change((config) => config, ['group.id.1', 'group.id.2'])
    assert.ok((await turnsWhile(group)) > everyone, 'a set of a group is filled in many turns')
    const one = () => lab.change((config) => config, ['group.id.1', 'group.id.2', `user.id.${count}`])
    assert.ok((await turnsWhile(one)) < everyone / 4, 'a set of a user is filled at once')
    assert.deepEqual(lab.elements(`u_user_id_${count}`), [addressOf(count - 1)])
    lab.clock.advance(601)
    assert.ok((await turnsWhile(() => lab.keeper.maintain())) > everyone, 'they are compared in many turns')
    await lab.close()
  })

  it('that replaces the sessions of others names each set once', async () => {
    const people = [1, 2, 3].map((number) => sampleUser(number))
    const lab = new SessionLab(configOf({ users: people }), ['group.id.1'])
    await lab.keeper.maintain()
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    await Promise.all([lab.keeper.endAllOf('user.id.1'), lab.keeper.openWeb('user.id.2', '10.0.0.2')])
    assert.deepEqual(lab.elements('auth_hosts'), ['10.0.0.2'])
    assert.deepEqual(lab.elements('u_group_id_1'), ['10.0.0.2'])
    assert.deepEqual(lab.faults, [])
    await lab.close()
  })
})

/** How many turns of the event loop others had while this was done. */
async function turnsWhile(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let timer = setImmediate(function count() {
    turns++
    timer = setImmediate(count)
  })
  await work()
  clearImmediate(timer)
  return turns
}
