// Users sign in and out on a disk that takes no writes, and the sessions are stored when it does again.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

it('a disk that takes no writes keeps no user from signing in or out', async () => {
  const gateway = await createTestGateway()
  const admin = await gateway.client('predefined_admin_write')
  const user = { name: 'Anna', login: 'anna', psw: 'wooden bridge 31', parent_id: 1, comment: '' }
  assert.equal((await admin('POST', '/user_backend/users', user)).status, 200)
  assert.equal((await admin('PATCH', '/auth/settings', { allow_internet_to_everyone: false })).status, 200)
  const userSessions = gateway.services.of(userSessionsService)
  const first = await userSessions.openWeb('user.id.1', '10.10.0.5')
  gateway.database.prepare('PRAGMA query_only=1').run()
  const second = await userSessions.openWeb('user.id.1', '10.10.0.6')
  assert.equal(await userSessions.end(first.id), true)
  assert.deepEqual(
    [...(gateway.applier.live.get('auth_hosts')?.values() ?? [])].map(({ address }) => address),
    ['10.10.0.6'],
  )
  assert.equal((await admin('PATCH', '/auth/settings', { session_minutes: 20 })).status, 503, 'changes are refused')
  gateway.database.prepare('PRAGMA query_only=0').run()
  const third = await userSessions.openWeb('user.id.1', '10.10.0.7')
  const stored = () =>
    gateway.database
      .prepare('SELECT id FROM user_sessions ORDER BY place')
      .all()
      .map(({ id }) => id)
  await until('they are stored', () => stored().join() === [second.id, third.id].join())
  await gateway.close()
})
