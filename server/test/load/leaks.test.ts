// After much work everything is as before: timers within the process, descriptors, threads and memory of the processes.
// Requirement 74.

import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { describe, it } from 'node:test'
import { Random, seed } from '../security/random.ts'
import { ApiClient } from '../support/api-client.ts'
import { createTestGateway, testPassword } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { cookieOf, figuresOf, isNightly, onlyNightly, reasonToSkip, startLab } from './lab.ts'

/**
 * Node keeps one for the Date header, which lives a second; one goes through the counts of unauthenticated clients. Two are
 * set again after each look: for audit records that the log lacks, and for what services wrote.
 */
const own = 4
const rounds = isNightly ? 2_000 : 50

describe('nothing is kept', () => {
  it(`of ${rounds} rounds of requests, changes, probations and sign-ins: no timer is left`, async (t) => {
    const timers = new Set<number>()
    const hook = createHook({
      init: (id, type) => void (type === 'Timeout' && timers.add(id)),
      destroy: (id) => void timers.delete(id),
    })
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const stranger = await gateway.client(null)
    await gateway.addAdministrator('guest', 'predefined_admin_readonly')
    hook.enable()
    try {
      for (let round = 0; round < rounds; round++) {
        const isOn = round % 2 === 0
        const onProbation = { 'portcullis-confirm-within': '3600' }
        await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: !isOn }, onProbation)
        await admin(isOn ? 'POST' : 'DELETE', '/config/confirm')
        await admin('PATCH', '/gather_stat/settings', { enabled: isOn })
        assert.equal((await stranger('GET', '/web/whoami')).status, 401)
        if (round % 10 === 0) {
          const body = { login: 'guest', password: testPassword, rest_path: '/' }
          assert.equal((await stranger('POST', '/web/auth/login', body)).status, 200)
        }
      }
      gateway.services.audit.flush()
      // The end of a timer is told a little later; waiting for it must not need one.
      for (let turn = 0; turn < 1_000 && timers.size > own; turn++)
        await new Promise((resolve) => setImmediate(resolve))
      t.diagnostic(`timers left: ${timers.size}; sessions: ${gateway.services.accounts.sessions.list().length}`)
      assert.ok(timers.size <= own)
      assert.ok(gateway.services.accounts.sessions.list().length <= 11, 'sessions pile up')
    } finally {
      hook.disable()
      await gateway.close()
    }
  })

  it('of many connections, requests and applies', { skip: reasonToSkip() || onlyNightly }, async (t) => {
    await using lab = await startLab()
    const { gateway, api } = lab
    const pids = gateway.pids()
    const names = ['gatewayd', 'applyd'] as const
    const cycles = Number(process.env.PORTCULLIS_LEAK_CYCLES ?? 100)
    const random = new Random(seed)
    const idle = figuresOf(pids.gatewayd).descriptors

    const cookie = await cookieOf(gateway.address, 'admin')
    const paths = ['/web/whoami', '/web/admins/local', '/config/revisions?limit=10', '/nothing/here']

    /** 1,000 requests on 50 new connections, and 20 applies. */
    async function work(): Promise<void> {
      const clients = Array.from({ length: 50 }, () => new ApiClient(gateway.address))
      for (let batch = 0; batch < 20; batch++) {
        await Promise.all(
          clients.map(async (client) => {
            const path = random.pick(paths)
            const { status } = await client.call('GET', path, undefined, { cookie })
            assert.equal(status, path === '/nothing/here' ? 404 : 200)
          }),
        )
        const on = batch % 2 === 0
        assert.equal((await api.call('PATCH', '/firewall/settings', { automatic_snat_enabled: on })).status, 200)
      }
      for (const client of clients) client.close()
    }
    const settle = (): Promise<void> =>
      until('the connections are gone', () => figuresOf(pids.gatewayd).descriptors <= idle + 2)

    for (let cycle = 0; cycle < 5; cycle++) await work()
    await settle()
    const start = names.map((name) => figuresOf(pids[name]))
    for (let cycle = 0; cycle < cycles; cycle++) await work()
    await settle()
    const end = names.map((name) => figuresOf(pids[name]))
    for (const [index, name] of names.entries()) {
      const [before, now] = [start[index], end[index]]
      assert.ok(before && now)
      t.diagnostic(`${name}: ${JSON.stringify(before)} -> ${JSON.stringify(now)}`)
      assert.ok(now.descriptors <= before.descriptors + 2, `${name} keeps descriptors`)
      assert.ok(now.threads <= before.threads + 1, `${name} keeps threads`)
      assert.ok(now.residentMb < before.residentMb + 64, `${name} grows`)
    }
    assert.deepEqual(gateway.pids(), pids)
    await lab.close()
  })
})
