// Annotations are found wherever a value can be, and they say nothing about its form.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf } from '../validation/validate.ts'
import { addressKinds, annotated, annotationsOf, refers, secret } from './annotations.ts'
import { nullable, strictObject, text } from './fields.ts'
import { Type } from './schema.ts'

describe('annotations', () => {
  it('are found on the value, in a list and in a choice', () => {
    const id = refers(addressKinds, Type.String())
    assert.deepEqual(annotationsOf(id), { 'x-refers': addressKinds })
    assert.deepEqual(annotationsOf(Type.Array(id)), { 'x-refers': addressKinds })
    assert.deepEqual(annotationsOf(nullable(secret(text({ maxLength: 5 })))), { 'x-secret': true })
    assert.deepEqual(annotationsOf(Type.Boolean()), {})
  })

  it('of the value come before those inside', () => {
    const days = Type.Integer({ 'x-unit': 'days' })
    assert.deepEqual(annotationsOf(annotated({ 'x-unit': 'seconds' }, nullable(days))), { 'x-unit': 'seconds' })
  })

  it('change nothing about what is accepted', () => {
    const schema = strictObject({
      at: Type.Integer({ 'x-time': 'unix', 'x-unit': 'seconds' }),
      id: refers(['ip'], Type.String()),
    })
    assert.deepEqual(faultsOf(schema, { at: 5, id: 'port.id.1' }), [])
    assert.deepEqual(faultsOf(schema, { at: 5.5, id: '' }), [{ field: 'at', message: 'Must be a whole number.' }])
  })
})
