// From a report of security events to its events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalSearch } from './choice.ts'

test('a row leads to the events with its value', () => {
  assert.deepEqual(journalSearch('signatures', '5001', '-7d'), { from: '-7d', signature_id: '5001' })
  assert.deepEqual(journalSearch('rules', 'fwd.3', '-1d'), { from: '-1d', rule_id: '3' })
  assert.deepEqual(journalSearch('classtypes', '!a,b', '-1d'), { from: '-1d', classtype: '\\!a\\,b' })
})
