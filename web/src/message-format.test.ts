// Our reader of English texts gives what the full one gives, for every text of the catalogs and for what looks odd.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import PO from 'pofile'
import { readMessage } from './message-format.ts'

const folder = join(import.meta.dirname, 'messages')
const texts = globSync('*/ru.po', { cwd: folder })
  .flatMap((file) => PO.parse(readFileSync(join(folder, file), 'utf8')).items)
  .map(({ msgid }) => msgid)

describe('an English text', () => {
  it('of the catalogs is read as the full reader reads it', () => {
    assert.ok(texts.length > 100)
    for (const text of texts.filter((one) => one.includes('{'))) {
      assert.equal(JSON.stringify(readMessage(text)), JSON.stringify(compileMessage(text)), text)
    }
  })

  it('with values and plurals in each other is read, too', () => {
    for (const text of [
      '{a}{b}',
      ' { a } ',
      '{n, plural, =0 {none} one {# of {all}} other {# # of {all}}} left',
      '{n,plural,one{}other{#}}',
      "it's # 1",
    ]) {
      assert.equal(JSON.stringify(readMessage(text)), JSON.stringify(compileMessage(text)), text)
    }
  })

  it('that is cut or has a brace too many is refused', () => {
    for (const text of ['{', '{a', 'a}', '{a b}', '{n, plural, one {#}', '{n, plural, one #}', '{}']) {
      assert.throws(() => readMessage(text), text)
    }
  })
})
