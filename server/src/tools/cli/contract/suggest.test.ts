import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distance, nearest } from './suggest.ts'

test('swapped, missing and wrong letters count as one each', () => {
  assert.equal(distance('statsu', 'status'), 1)
  assert.equal(distance('enabld', 'enabled'), 1)
  assert.equal(distance('same', 'same'), 0)
  assert.equal(distance('', 'abc'), 3)
})

test('only a near word is suggested', () => {
  assert.equal(nearest('jurnal', ['journal', 'status']), 'journal')
  assert.equal(nearest('xyz', ['journal', 'status']), null)
})
