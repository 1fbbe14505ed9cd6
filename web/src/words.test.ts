// Texts without a catalog, as tests and the first moment of a page see them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setGatewayZone } from './ui/zone.ts'
import { heard, t, told } from './words.ts'

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

test('a moment in a sentence of the gateway is shown by the clock of the gateway', () => {
  setGatewayZone('Europe/Moscow')
  const shown = 'Never hit since 18 Nov 2026, 03:13:48 GMT+3.'
  for (const moment of ['2026-11-18T00:13:48.000Z', '2026-11-18T00:13:48Z']) {
    assert.equal(heard(`Never hit since ${moment}.`), shown)
    assert.equal(told([], `Never hit since ${moment}.`), shown)
  }
  for (const name of ['/backups/2026-11-18T00:13:48.000Z', '2026-11-18T00:13:48Z.tar', '2026-13-18T99:13:48Z'])
    assert.equal(heard(name), name)
  setGatewayZone(undefined)
})
