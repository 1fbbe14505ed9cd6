// Letters of keys in several keyboard layouts.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { letterOf } from './letter-key.ts'

describe('the letter of a key', () => {
  it('is the same in a Latin and in a Russian layout, with Shift and without', () => {
    for (const key of ['o', 'O', 'щ', 'Щ']) assert.equal(letterOf({ key, code: 'KeyO' }), 'o')
  })

  it('is what the layout says where it is Latin, and none for signs and other keys', () => {
    assert.equal(letterOf({ key: 'r', code: 'KeyO' }), 'r')
    assert.equal(letterOf({ key: ';', code: 'KeyZ' }), '')
    assert.equal(letterOf({ key: 'Enter', code: 'Enter' }), '')
    assert.equal(letterOf({ key: 'б', code: 'Comma' }), '')
  })
})
