import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type SaidText, verbatim } from '../../shared/said.ts'
import { auditItems } from './status.ts'

const limits = { days: 365, megabytes: 256 }
const megabyte = 1024 * 1024

it('the status of the audit trail shows its use, warns in time, and says why nothing was removed', () => {
  const at = (bytes: number, fault: SaidText | null = null) => auditItems({ records: 12, bytes, limits, fault })[0]
  assert.deepEqual(at(megabyte), {
    name: 'audit-trail',
    status: 'active',
    msg: ['12 records use 1 of 256 MB; they are kept for 365 days.'],
  })
  assert.match(at(205 * megabyte)?.msg[1] ?? '', /^The audit trail is nearly full/)
  const failed = at(megabyte, verbatim('Nothing was removed.'))
  assert.deepEqual([failed?.status, failed?.msg[1]], ['failed', 'Nothing was removed.'])
})
