// Sessions of users and a SIGKILL of gatewayd or applyd at every step: no session is lost that was confirmed, and no host is
// let through that has none.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SessionRows } from '../../src/areas/authorization/runs/session-rows.ts'
import type { Applier } from '../../src/core/plan/artifacts.ts'
import { configOf, host, SessionLab, sampleRule, sampleUser } from '../support/user-sessions.ts'

const mac = (number: number): string => `02:00:00:00:01:${number.toString(16).padStart(2, '0')}`
const rules = [sampleRule('mac', { mac: mac(1), user_id: 2 }), sampleRule('net', { ip: '10.7.0.0/16', user_id: 2 })]
const config = configOf({ users: [sampleUser(1), sampleUser(2)], rules })
const members = ['user.id.1', 'user.id.2', 'group.id.1']

class Killed extends Error {}

/**
 * Ends the process at its nth write, before or after it is done: nothing that follows in this process has any effect. Returns
 * how many writes there were.
 */
async function withKill(
  lab: SessionLab,
  { at, isDone }: { at: number; isDone: boolean },
  work: () => Promise<unknown>,
): Promise<number> {
  let count = 0
  const guard =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      if (++count < at) return call(...args)
      if (count === at && isDone) call(...args)
      throw new Killed('killed')
    }
  const { applier } = lab
  const write = SessionRows.prototype.write
  const real: Pick<Applier, 'changeLive' | 'cut'> = {
    changeLive: applier.changeLive.bind(applier),
    cut: applier.cut.bind(applier),
  }
  applier.changeLive = guard(async (changes) => real.changeLive(changes)) as Applier['changeLive']
  applier.cut = guard(async (targets) => real.cut(targets)) as Applier['cut']
  SessionRows.prototype.write = guard(function (this: SessionRows, ...args: Parameters<SessionRows['write']>) {
    write.apply(lab.rows, args)
  })
  try {
    await work().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
  } finally {
    Object.assign(applier, real)
    SessionRows.prototype.write = write
  }
  return count
}

/** Five sign-ins, a card and a host of a network. */
async function begin(): Promise<SessionLab> {
  const lab = new SessionLab(config, members)
  await lab.keeper.maintain()
  for (const number of [1, 2, 3, 4, 5]) {
    lab.clock.advance(1)
    await lab.keeper.openWeb('user.id.1', `10.0.0.${number}`)
  }
  await lab.arrive('auth_pairs', host('10.0.1.1', mac(1)))
  await lab.arrive('auth_net_hosts', host('10.7.0.1'))
  lab.cutHosts()
  return lab
}

/** Kernel, memory and disk say the same. */
function assertWhole(lab: SessionLab, message: string): void {
  const sessions = lab.keeper.list()
  const hosts = sessions.filter(({ type }) => type !== 'net')
  const inKernel = [
    ...lab.elements('auth_hosts'),
    ...lab.elements('auth_pairs').map((text) => text.split(' ')[0] ?? ''),
  ]
  assert.deepEqual(inKernel.sort(), hosts.map(({ address }) => address).sort(), message)
  const suspended = hosts.filter(({ state }) => state === 'over_limit').map(({ address }) => address)
  assert.deepEqual(lab.elements('auth_suspended'), suspended.sort(), message)
  for (const user of ['1', '2']) {
    const own = hosts.filter(({ userId }) => userId === `user.id.${user}`).map(({ address }) => address)
    assert.deepEqual(lab.elements(`u_user_id_${user}`), own.sort(), message)
    const connected = lab.keeper.ofUser(`user.id.${user}`).filter(({ state }) => state === 'connected')
    assert.ok(connected.length <= 5, message)
    assert.ok(
      connected.length === 5 || !lab.keeper.ofUser(`user.id.${user}`).some(({ state }) => state !== 'connected'),
    )
  }
  assert.deepEqual(lab.elements('u_group_id_1'), hosts.map(({ address }) => address).sort(), message)
  assert.equal(lab.storedRows(), sessions.length, message)
}

interface Case {
  readonly title: string
  readonly work: (lab: SessionLab) => Promise<unknown>
  /** What must hold whatever the moment was. */
  readonly check: (lab: SessionLab, cut: readonly string[]) => void
}

const cases: readonly Case[] = [
  {
    title: 'a sixth sign-in',
    work: (lab) => lab.keeper.openWeb('user.id.1', '10.0.0.6'),
    check: (lab) => {
      const isNew = lab.keeper.at('10.0.0.6') !== undefined
      assert.equal(lab.keeper.ofUser('user.id.1').length, isNew ? 6 : 5)
      assert.equal(lab.keeper.at('10.0.0.1')?.state, isNew ? 'over_limit' : 'connected')
    },
  },
  {
    title: 'a sign-in of another user at the same address',
    work: (lab) => lab.keeper.openWeb('user.id.2', '10.0.0.3'),
    check: (lab) => {
      for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.4']) assert.ok(lab.keeper.at(address))
    },
  },
  {
    title: 'an arrival',
    work: (lab) => lab.arrive('auth_pairs', host('10.0.1.2', mac(1))),
    check: (lab) => assert.equal(lab.keeper.at('10.0.1.2')?.userId, 'user.id.2'),
  },
  {
    title: 'the end of a session',
    work: (lab) => lab.keeper.end(lab.keeper.at('10.0.0.2')?.id ?? ''),
    check: (lab, cut) => {
      if (!lab.keeper.at('10.0.0.2')) assert.ok(cut.includes('10.0.0.2'))
    },
  },
  {
    title: 'a user who is denied access',
    work: (lab) => lab.updateUser(2, { enabled: true }),
    check: (lab, cut) => {
      assert.deepEqual(lab.keeper.ofUser('user.id.2'), [])
      assert.deepEqual(lab.elements('auth_net_hosts'), [])
      for (const address of ['10.0.1.1', '10.7.0.1']) assert.ok(cut.includes(address), address)
    },
  },
  {
    title: 'a password that is changed',
    work: (lab) => lab.updateUser(1, { password_hash: { sealed: 'another' } }),
    check: (lab, cut) => {
      assert.deepEqual(lab.keeper.ofUser('user.id.1'), [])
      for (const number of [1, 2, 3, 4, 5]) assert.ok(cut.includes(`10.0.0.${number}`))
    },
  },
]

describe('sessions of users outlive a SIGKILL', () => {
  for (const { title, work, check } of cases) {
    it(`of gatewayd at every step of ${title}`, async () => {
      for (const isDone of [false, true]) {
        for (let at = 1, count = Number.POSITIVE_INFINITY; at <= count; at++) {
          const lab = await begin()
          count = await withKill(lab, { at, isDone }, () => work(lab))
          if (count < at) {
            await lab.close()
            break
          }
          lab.kill()
          await lab.keeper.maintain()
          const message = `${isDone ? 'after' : 'before'} write ${at}`
          assertWhole(lab, message)
          check(lab, lab.cutHosts())
          await lab.close()
        }
      }
    })

    it(`of applyd at every step of ${title}`, async () => {
      for (const isDone of [false, true]) {
        for (let at = 1, count = Number.POSITIVE_INFINITY; at <= count; at++) {
          const lab = await begin()
          count = await withKill(lab, { at, isDone }, () => work(lab))
          lab.clock.advance(2)
          await lab.keeper.maintain()
          assertWhole(lab, `${isDone ? 'after' : 'before'} write ${at}`)
          check(lab, lab.cutHosts())
          assert.equal(lab.keeper.state.fault, null)
          await lab.close()
        }
      }
    })
  }

  it('of both while the kernel loses its sets: they are filled again, unless the time ran out', async () => {
    const lab = await begin()
    lab.kill()
    lab.applier.live.clear()
    lab.applier.liveEpoch = 'another'
    lab.clock.advance(60)
    await lab.keeper.maintain()
    assertWhole(lab, 'filled')
    assert.equal(lab.keeper.list().length, 7)
    lab.kill()
    lab.applier.live.clear()
    lab.applier.liveEpoch = 'a third'
    lab.clock.advance(901)
    await lab.keeper.maintain()
    assert.deepEqual(lab.shown(), [], 'nobody knows how long they were silent')
    assertWhole(lab, 'empty')
    await lab.close()
  })

  it('and the kernel decides who was silent while gatewayd was away', async () => {
    const lab = await begin()
    lab.kill()
    lab.clock.advance(5_000)
    lab.applier.live.get('auth_hosts')?.delete('10.0.0.1 null null')
    lab.let('auth_hosts', host('192.168.5.5'))
    lab.let('auth_net_hosts', host('10.7.0.9'))
    await lab.keeper.maintain()
    assert.equal(lab.keeper.at('10.0.0.1'), undefined)
    assert.equal(lab.keeper.list().length, 6)
    assert.ok(!lab.elements('auth_hosts').includes('192.168.5.5'), 'no session and no rule')
    assertWhole(lab, 'compared')
    await lab.close()
  })

  it('end with the boot', async () => {
    const lab = await begin()
    lab.clock.boot = 'boot-2'
    lab.applier.live.clear()
    lab.kill()
    assert.deepEqual(lab.shown(), [])
    await lab.close()
  })
})
