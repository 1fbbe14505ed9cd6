// The gate of forwarded connections: closed at the limit, kept closed by renewal, opened with some room, and never a reason to fail.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LiveChange } from '../../../core/plan/artifacts.ts'
import { createConnectionGuard } from './connection-guard.ts'

function setUp() {
  const world = { tracked: 0, size: 1000, now: 0, isAway: false, hosts: [] as string[] }
  const changes: string[] = []
  const logged: string[] = []
  const guard = createConnectionGuard({
    applier: {
      changeLive: async (all: readonly LiveChange[]) => {
        if (world.isAway) throw new Error('away')
        for (const { set, add, remove } of all)
          changes.push(`${set} +${add.map(({ address, seconds }) => `${address}/${seconds}`)} -${remove.length}`)
        return { epoch: '', missing: [] }
      },
      readLive: async () => ({
        epoch: '',
        sets: { limit_hosts: world.hosts.map((address) => ({ address, mac: null, device: null, seconds: 60 })) },
      }),
    },
    total: (size) => size - size / 8,
    log: (_level, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
    readTable: () => (world.size === 0 ? null : { tracked: world.tracked, size: world.size }),
    elapsedMs: () => world.now,
  })
  return { world, changes, logged, guard }
}

describe('the guard of the table of connections', () => {
  it('stops forwarding at the limit, renews that, and lets go with some room', async () => {
    const { world, changes, logged, guard } = setUp()
    world.tracked = 874
    await guard.look()
    assert.deepEqual([changes, guard.isFull()], [[], false])
    world.tracked = 875
    await guard.look()
    assert.deepEqual([changes.splice(0), guard.isFull()], [['limit_full +0.0.0.0/3 -0'], true])
    world.tracked = 860
    world.now = 999
    await guard.look()
    assert.deepEqual(changes, [], 'still there')
    world.now = 1_000
    await guard.look()
    assert.deepEqual(changes.splice(0), ['limit_full +0.0.0.0/3 -0'])
    world.tracked = 847
    await guard.look()
    assert.deepEqual([changes, guard.isFull()], [['limit_full + -1'], false])
    assert.equal(logged.length, 2)
  })

  it('tries again when applyd was away, and does nothing where the table cannot be read', async () => {
    const { world, changes, guard } = setUp()
    world.tracked = 1_000
    world.isAway = true
    await guard.look()
    assert.equal(guard.isFull(), false)
    world.isAway = false
    await guard.look()
    assert.deepEqual([changes.length, guard.isFull()], [1, true])
    world.size = 0
    await guard.look()
    assert.equal(changes.length, 1)
  })

  it('logs a host once in ten minutes', async () => {
    const { world, logged, guard } = setUp()
    world.hosts = ['10.0.0.1', '10.0.0.2']
    assert.deepEqual(await guard.hosts(), world.hosts)
    await guard.hosts()
    assert.equal(logged.length, 2)
    world.now = 600_000
    await guard.hosts()
    assert.equal(logged.length, 4)
  })
})
