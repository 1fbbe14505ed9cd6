// Texts without a catalog, as tests and the first moment of a page see them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { t } from './words.ts'

test('English texts are shown as they are written', () => {
  assert.equal(t('Save'), 'Save')
  assert.equal(t(''), '')
  assert.equal(t('Must be one line of text that contains {code}.'), 'Must be one line of text that contains {code}.')
})

test('values and plurals are filled in', () => {
  assert.equal(t('Rule {id}', { id: 42 }), 'Rule 42')
  assert.equal(t('{count, plural, one {# rule} other {# rules}}', { count: 1 }), '1 rule')
  assert.equal(t('{count, plural, one {# rule} other {# rules}}', { count: 5 }), '5 rules')
})
