// The words of faults in English and in another language.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldOf, problemsOf, type Say, sayEnglish, sayFault } from './faults.ts'
import { text } from './fields.ts'

const upper: Say = (words, values) =>
  sayEnglish(
    words.toUpperCase().replaceAll(/\{\w+\}/g, (mark) => mark.toLowerCase()),
    values,
  )

describe('the words of a fault', () => {
  it('come from the keyword and its schema', () => {
    assert.equal(sayFault({ keyword: 'minLength', schema: { minLength: 1 } }), 'Must not be empty.')
    assert.equal(sayFault({ keyword: 'maxLength', schema: { maxLength: 42 } }), 'Must have at most 42 characters.')
    assert.equal(sayFault({ keyword: 'enum', schema: { enum: ['a', 'b'] } }), 'Must be one of: a, b.')
    assert.equal(sayFault({ keyword: 'pattern', schema: { pattern: '^x$', 'x-fault': 'Must be x.' } }), 'Must be x.')
    assert.equal(
      sayFault({ keyword: 'pattern', schema: text({ maxLength: 1 }) }),
      'Must not contain control characters.',
    )
    assert.equal(sayFault({ keyword: 'propertyNames', schema: {} }), 'This value is not allowed here.')
  })

  it('are said in the language that is asked for', () => {
    assert.equal(sayFault({ keyword: 'maximum', schema: { maximum: 9 } }, upper), 'MUST BE AT MOST 9.')
    const place = '/port'
    const faults = ['integer', 'null'].map((type) => ({ place, keyword: 'type', schema: { type } }))
    assert.deepEqual(problemsOf([...faults, { place, keyword: 'anyOf', schema: {} }], upper), [
      { field: 'port', message: 'MUST BE A WHOLE NUMBER OR NULL.' },
    ])
  })

  it('keep marks without a value, such as {code} in an example', () => {
    const schema = { pattern: 'x', 'x-fault': 'Must contain {code}.' }
    assert.equal(sayFault({ keyword: 'pattern', schema }), 'Must contain {code}.')
  })

  it('are told of the field as a refusal names it', () => {
    assert.equal(fieldOf({ place: '' }), 'body')
    assert.equal(fieldOf({ place: '/ranges/2' }), 'ranges[2]')
    assert.equal(fieldOf({ place: '/sstp', property: 'port' }), 'sstp.port')
    assert.equal(fieldOf({ place: '/a~1b' }), 'a/b')
  })
})
