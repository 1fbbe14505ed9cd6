// A report over many requests, a million at night, is counted in a thread: other calls are answered while it runs.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const requests = process.env.PORTCULLIS_NIGHTLY === '1' ? 1_000_000 : 200_000
const batch = 20_000

it(`the top of ${requests} web requests is right, and other calls do not wait for it`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-web-top-'))
  const logs = createStoredLogs(folder)
  const gateway = await createTestGateway({ parts: { logs } })
  const admin = await gateway.client('predefined_admin_write')
  const now = Math.floor(Date.now() / 1000)
  const recordAt = (at: number): NewRecord => ({
    kind: 'web',
    time: (now - 60) * 1_000_000 + at,
    priority: 6,
    unit: 'squid',
    syslogId: 'squid',
    message: '',
    fields: {
      host: `site-${at % 1_000 === 0 ? 0 : at % 50_000}.test`,
      user_login: `user-${at % 100}`,
      url: `http://s/${at}`,
      result: 'allowed',
      reason: 'rule',
      bytes_received: 10,
      bytes_sent: 1,
      duration_ms: 2,
      via: 'transparent',
    },
  })
  for (let from = 0; from < requests; from += batch) {
    logs.append(Array.from({ length: batch }, (_, index) => recordAt(from + index)))
    await logs.flush()
  }
  let isAnswered = false
  const report = admin('GET', `/web_traffic/top?kind=sites&limit=2&from=${now - 600}&until=${now}`).finally(() => {
    isAnswered = true
  })
  let others = 0
  while (!isAnswered) {
    assert.equal((await admin('GET', '/firewall/settings')).status, 200)
    others++
  }
  const { body } = await report
  assert.ok(others > 1, `${others} other calls were answered`)
  assert.deepEqual(body.total, {
    requests,
    bytes_sent: requests,
    bytes_received: 10 * requests,
    duration_ms: 2 * requests,
  })
  assert.deepEqual([body.data[0].value, body.data[0].requests, body.complete], ['site-0.test', requests / 1_000, true])
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})
