// What the status of log forwarding says.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { write } from '../../core/model/slots.ts'
import type { ForwardingReport } from '../../domain/logs/store.ts'
import { verbatim } from '../../shared/said.ts'
import { remoteSyslog, remoteSyslogState } from './config.ts'
import { remoteSyslogItems } from './status.ts'

const calm: ForwardingReport = {
  isConnected: true,
  place: 10,
  lost: 0,
  delivered: 10,
  repeated: 0,
  oldest: null,
  fault: null,
  waiting: 0,
}

describe('the status of log forwarding', () => {
  const clock = { now: () => new Date('2026-01-02T00:01:00Z'), elapsed: () => 0, boot: '' }
  const collector = { ...remoteSyslog.initial, host: '192.0.2.5', port: 514 }
  const config = write(write({}, remoteSyslog, collector), remoteSyslogState, { enabled: true })
  const shown = (report: ForwardingReport | null) =>
    remoteSyslogItems(config, { brand: 'portcullis', clock, of: <T>() => ({ report: () => report }) as T })[0]

  it('is active while the collector takes records', () => {
    assert.deepEqual(shown(calm), {
      name: 'portcullis-logs-backend',
      status: 'active',
      msg: ['Connected to the collector 192.0.2.5:514 (tcp).'],
    })
    assert.equal(shown(null)?.status, 'activating')
  })

  it('shows what is wrong, what waits and since when, what was lost and what was sent twice', () => {
    const oldest = Date.parse('2026-01-02T00:00:00Z') * 1000
    const fault = verbatim('The collector 192.0.2.5:514 does not answer.')
    assert.deepEqual(shown({ ...calm, isConnected: false, waiting: 7, oldest, lost: 2, repeated: 3, fault }), {
      name: 'portcullis-logs-backend',
      status: 'failed',
      msg: [
        fault,
        'Not connected to the collector 192.0.2.5:514.',
        'Records that wait: 7; the oldest is 60 s old.',
        'Records lost, because they were removed from the log before they could be sent: 2.',
        'Records sent twice, because the collector may not have stored them: 3.',
      ],
    })
  })
})
