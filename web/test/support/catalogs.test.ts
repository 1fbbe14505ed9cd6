// How texts are found in sources, and which catalog they belong to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrange, catalogOf, markedTexts } from './catalogs.ts'

test('marked texts are found, also in pieces', () => {
  assert.deepEqual(markedTexts("t('Save') + msg('It is\\'nt')"), ['Save', "It is'nt"])
  assert.deepEqual(markedTexts("t(\n  'One ' +\n    'two',\n  { a: 1 },\n)"), ['One two'])
  assert.deepEqual(markedTexts('t(`{count} rules`, { count })'), ['{count} rules'])
  assert.deepEqual(markedTexts("// t('example')\nformat('x'); it('does'); t(name); start('y')"), [])
})

test('a text of several folders is a shared one', () => {
  assert.equal(catalogOf(new Set(['dhcp'])), 'dhcp')
  assert.equal(catalogOf(new Set(['dhcp', 'dns'])), 'words')
  assert.equal(catalogOf(new Set(['dhcp', 'server-contract'])), 'server-contract')
})

test('a translation moves with its text, and what is not used goes', () => {
  const uses = new Map([['Save', new Set(['dhcp', 'dns'])]])
  const entries = [
    { catalog: 'dhcp', text: 'Save', translation: 'Сохранить' },
    { catalog: 'dns', text: 'Old', translation: 'Старое' },
  ]
  assert.deepEqual(arrange(uses, entries), [{ catalog: 'words', text: 'Save', translation: 'Сохранить' }])
})
