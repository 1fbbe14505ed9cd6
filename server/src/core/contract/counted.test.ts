import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted } from './counted.ts'

test('one thing is not several', () => {
  assert.equal(counted(0, 'rule'), '0 rules')
  assert.equal(counted(1, 'rule is', 'rules are'), '1 rule is')
  assert.equal(counted(2, 'address', 'addresses'), '2 addresses')
})
