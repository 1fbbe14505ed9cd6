// What hosts of a local network and users with a valid login try with sessions: addresses of others, very many addresses.

import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { authorizationRules } from '../../src/areas/authorization/config.ts'
import { write } from '../../src/core/model/slots.ts'
import { until } from '../support/until.ts'
import { configOf, host, neighbours, SessionLab, sampleRule, sampleUser } from '../support/user-sessions.ts'

const victim = '02:00:00:00:01:01'
const attacker = '02:00:00:00:01:02'

describe('attacks on sessions', () => {
  let lab: SessionLab
  const open = (...args: ConstructorParameters<typeof SessionLab>): SessionLab => {
    lab = new SessionLab(...args)
    return lab
  }
  afterEach(() => lab.close())

  const byCard = () =>
    configOf({
      users: [1, 2].map((number) => sampleUser(number)),
      rules: [sampleRule('card', { mac: attacker, user_id: 2 })],
    })

  it('a card that a rule lets in does not end the session of another host by sending with its address', async () => {
    open(byCard())
    await lab.keeper.maintain()
    lab.applier.neighbourTable = neighbours(['10.0.0.1', victim])
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    lab.cutHosts()
    await lab.arrive('auth_pairs', host('10.0.0.1', attacker))
    assert.deepEqual(lab.shown(), ['user.id.1 web 10.0.0.1 connected'])
    assert.deepEqual(lab.elements('auth_pairs'), [`10.0.0.1 ${victim}`])
    assert.deepEqual(lab.cutHosts(), [])
  })

  it('an address that went over to another card is that of the other card', async () => {
    open(byCard())
    await lab.keeper.maintain()
    lab.applier.neighbourTable = neighbours(['10.0.0.1', victim])
    await lab.keeper.openWeb('user.id.1', '10.0.0.1')
    lab.clock.advance(2)
    lab.applier.neighbourTable = neighbours(['10.0.0.1', attacker])
    await lab.arrive('auth_pairs', host('10.0.0.1', attacker))
    assert.deepEqual(lab.shown(), ['user.id.2 mac 10.0.0.1 connected'])
    assert.deepEqual(lab.elements('auth_pairs'), [`10.0.0.1 ${attacker}`])
  })

  it('a host that makes up addresses of an authorized network does not stop the end of its session', async () => {
    open(configOf({ users: [sampleUser(1)], rules: [sampleRule('net', { ip: '10.8.0.0/13' })] }))
    await lab.keeper.maintain()
    const hosts = Array.from({ length: 60_000 }, (_, at) => host(`10.8.${at >> 8}.${at & 255}`, attacker))
    for (const one of hosts) lab.let('auth_net_hosts', one)
    await lab.keeper.takeArrivals({ epoch: lab.applier.liveEpoch, authorized: hosts, unknown: [] })
    assert.deepEqual(lab.shown(), ['user.id.1 net 10.8.0.0/13 connected'])
    await lab.change((config) => write(config, authorizationRules, []))
    assert.deepEqual(lab.shown(), [])
    // On a busy machine the change is answered before.
    await until('every host is cut', () => lab.storedRows() === 0)
    assert.deepEqual(lab.elements('auth_net_hosts'), [])
    assert.equal(lab.cutHosts().length, hosts.length)
  })

  it('a card with a rule gets no session of its own at made-up addresses of an authorized network', async () => {
    const rules = [
      sampleRule('card', { mac: attacker, user_id: 2 }),
      sampleRule('net', { ip: '10.8.0.0/13', user_id: 1 }),
    ]
    open(configOf({ users: [1, 2].map((number) => sampleUser(number)), rules }))
    await lab.keeper.maintain()
    await lab.arrive('auth_pairs', host('10.8.0.1', attacker))
    const hosts = Array.from({ length: 1_000 }, (_, at) => host(`10.9.${at >> 8}.${at & 255}`, attacker))
    for (const one of hosts) lab.let('auth_net_hosts', one)
    await lab.keeper.takeArrivals({ epoch: lab.applier.liveEpoch, authorized: hosts, unknown: [] })
    assert.deepEqual(lab.shown(), ['user.id.1 net 10.8.0.0/13 connected', 'user.id.2 mac 10.8.0.1 connected'])
    assert.deepEqual(lab.elements('auth_pairs'), [`10.8.0.1 ${attacker}`])
    assert.deepEqual(lab.elements('auth_suspended'), [])
    // Notes that are left of a rule that is gone.
    const late = Array.from({ length: 1_000 }, (_, at) => host(`10.10.${at >> 8}.${at & 255}`, attacker))
    for (const one of late) lab.let('auth_net_hosts', one)
    await lab.change((config) => write(config, authorizationRules, rules.slice(0, 1)))
    await lab.keeper.takeArrivals({ epoch: lab.applier.liveEpoch, authorized: late, unknown: [] })
    assert.deepEqual(lab.shown(), ['user.id.2 mac 10.8.0.1 connected'])
    assert.deepEqual(lab.elements('auth_pairs'), [`10.8.0.1 ${attacker}`])
    assert.deepEqual(lab.elements('auth_net_hosts'), [])
  })

  it('a card of a rule that moves to another address has its session there', async () => {
    open(byCard())
    await lab.keeper.maintain()
    await lab.arrive('auth_pairs', host('10.0.0.1', attacker))
    await lab.arrive('auth_pairs', host('10.0.0.2', attacker))
    assert.deepEqual(lab.shown(), ['user.id.2 mac 10.0.0.1 connected', 'user.id.2 mac 10.0.0.2 connected'])
  })

  it('a user who signs in at very many addresses has a bounded number of sessions', async () => {
    open(configOf({ users: [1, 2].map((number) => sampleUser(number)) }))
    await lab.keeper.maintain()
    for (let at = 1; at <= 100; at++) await lab.keeper.openWeb('user.id.1', `10.0.0.${at}`)
    assert.equal(lab.keeper.ofUser('user.id.1').length, 25)
    assert.equal(lab.elements('auth_hosts').length, 25)
    assert.equal(lab.elements('auth_suspended').length, 20)
    assert.ok(lab.keeper.at('10.0.0.100')?.state === 'connected')
    await lab.keeper.openWeb('user.id.2', '10.0.0.1')
    assert.equal(lab.keeper.at('10.0.0.1')?.userId, 'user.id.2')
  })
})
