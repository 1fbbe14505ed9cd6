// What a restored or reverted configuration must not say about log forwarding.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { write } from '../../core/model/slots.ts'
import { remoteSyslog } from './config.ts'
import { logs } from './index.ts'

describe('the collector of forwarded logs', () => {
  const faultsOf = (host: string | null) =>
    (logs.verify?.(write({}, remoteSyslog, { ...remoteSyslog.initial, host })) ?? []).map(({ field }) => field)

  it('is not set, or another machine', () => {
    for (const host of [null, '192.168.0.10', '203.0.113.9']) assert.deepEqual(faultsOf(host), [], String(host))
  })

  it('is not the gateway itself, a group or a reserved address', () => {
    for (const host of ['0.0.0.0', '127.0.0.1', '169.254.1.1', '224.0.0.1', '255.255.255.255'])
      assert.deepEqual(faultsOf(host), ['logs.remote_syslog.host'], host)
  })
})
