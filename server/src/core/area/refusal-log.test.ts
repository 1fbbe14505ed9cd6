// Refusals are evidence, and must not fill the disk.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertGrowsWithSize } from '../../../test/support/work.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import { RefusalLog } from './refusal-log.ts'

const from = (address: string): AuditEntry => ({
  event: 'refused',
  who: '',
  address,
  what: 'GET /x',
  result: 'unauthenticated',
  message: 'Sign in first.',
  request_id: 'r',
  revision: null,
  changes: [],
})

describe('refusals', () => {
  it('are recorded one by one at first, then as a count, by address', () => {
    let now = 0
    const noted: AuditEntry[] = []
    const log = new RefusalLog(
      (entry) => noted.push(entry),
      () => now,
    )
    for (let index = 0; index < 1_000; index++) log.refused(from('a'))
    log.refused(from('b'))
    assert.equal(noted.length, 61)
    now = 60
    log.sweep()
    assert.equal(noted.length, 62)
    assert.equal(noted.at(-1)?.address, 'a')
    assert.match(noted.at(-1)?.message ?? '', /^940 more requests/)
    log.refused(from('a'))
    assert.equal(noted.length, 63)
  })

  it('from thousands of addresses make no further refusal dear', () => {
    let looks = 0
    const log = new RefusalLog(
      () => {},
      () => {
        looks++
        return 0
      },
    )
    for (let index = 0; index < 5_000; index++) log.refused(from(`10.0.${index >> 8}.${index & 255}`))
    looks = 0
    log.refused(from('10.0.0.1'))
    log.close()
    assert.ok(looks < 10, `the clock was asked ${looks} times`)
  })

  it('are all counted when the service stops', () => {
    const noted: AuditEntry[] = []
    const log = new RefusalLog(
      (entry) => noted.push(entry),
      () => 0,
    )
    for (let index = 0; index < 70; index++) log.refused(from('a'))
    log.close()
    assert.match(noted.at(-1)?.message ?? '', /^10 more requests/)
  })

  it('from ever new addresses share one count in the end', () => {
    const noted: AuditEntry[] = []
    const log = new RefusalLog(
      (entry) => noted.push(entry),
      () => 0,
    )
    for (let index = 0; index < 12_000; index++) log.refused(from(`address ${index}`))
    assert.equal(noted.length, 10_060)
  })

  it('of a flood from thousands of addresses cost no more each than those from one', () => {
    assertGrowsWithSize(8_000, (size) => {
      const entries = Array.from({ length: size }, (_, index) => from(`address ${index}`))
      return () => {
        const log = new RefusalLog(
          () => {},
          () => 0,
        )
        for (const entry of entries) log.refused(entry)
        log.close()
      }
    })
  })

  it('M2: of a signed-in administrator are counted too, wherever they come from', () => {
    let now = 0
    const noted: AuditEntry[] = []
    const log = new RefusalLog(
      (entry) => noted.push(entry),
      () => now,
    )
    for (let index = 0; index < 1_000; index++) log.refused({ ...from(`address ${index}`), who: 'viewer' })
    log.refused({ ...from('a'), who: 'other' })
    assert.equal(noted.length, 61)
    now = 60
    log.sweep()
    const { who, result, message } = noted.at(-1) as AuditEntry
    assert.deepEqual([who, result], ['viewer', 'too_many_requests'])
    assert.match(message, /^940 more requests of this administrator/)
  })
})
