import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showValue } from './reply.ts'

test('a list is shown on one line, sentences as such', () => {
  assert.equal(showValue(['ip.id.1', null, 3]), 'ip.id.1, -, 3')
  assert.equal(showValue(['It is away.', 'Check that it runs.']), 'It is away. Check that it runs.')
  assert.equal(showValue([]), '')
  assert.equal(showValue([{ a: 1 }]), '[{"a":1}]')
})
