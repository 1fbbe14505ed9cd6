// Readable diffs: which object, which field, and never a secret.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeChanges } from './describe.ts'

it('a changed setting names the field with its values before and after', () => {
  const change = {
    slot: 'firewall.settings',
    id: null,
    before: { a: true, b: 1 },
    after: { a: false, b: 1 },
    from: null,
    to: null,
  }
  assert.deepEqual(describeChanges([change]), [
    { object: 'firewall.settings', action: 'changed', fields: [{ field: 'a', before: true, after: false }] },
  ])
})

it('a moved item says so and lists no field', () => {
  const item = { id: 7, text: 'x' }
  const change = { slot: 'test.rules', id: 7, before: item, after: item, from: 1, to: 2 }
  assert.deepEqual(describeChanges([change]), [{ object: 'test.rules[7]', action: 'moved', fields: [] }])
})

it('sealed values are masked at any depth, also when only they changed', () => {
  const change = {
    slot: 's',
    id: 'i',
    before: { inner: { secret: { sealed: 'one' } } },
    after: { inner: { secret: { sealed: 'two' } } },
    from: 1,
    to: 1,
  }
  const [described] = describeChanges([change])
  assert.deepEqual(described?.fields, [{ field: 'inner', before: { secret: '***' }, after: { secret: '***' } }])
})
