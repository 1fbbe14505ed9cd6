// What the writer of snmpd.conf makes of hostile text.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canBeUser, directive, printLines, quote, secret, textLines, userName, word } from './snmp.ts'

describe('the writer of snmpd.conf', () => {
  it('quotes words', () => {
    assert.equal(quote('a "b" \\ c # d'), '"a \\"b\\" \\\\ c # d"')
    assert.throws(() => quote('a\nrwcommunity b'))
    assert.throws(() => quote('é'.repeat(128)))
  })

  it('takes only plain words as they are', () => {
    assert.equal(printLines([directive('view', word('all'), word('included'), word('.1'))]), 'view all included .1\n')
    for (const text of ['', '-e', 'a b', '"', '#', 'a\n']) assert.throws(() => word(text), text)
  })

  it('writes texts as the rest of a line, without what would be a comment, and no longer than snmpd keeps them', () => {
    assert.deepEqual(textLines('sysLocation', '## rack "5" \\ '), ['sysLocation rack "5" \\'])
    assert.deepEqual(textLines('sysLocation', ' # '), [])
    assert.deepEqual(textLines('sysName', 'ж'.repeat(200)), [`sysName ${'ж'.repeat(127)}`])
    assert.throws(() => textLines('sysName', 'a\u2028b'))
  })

  it('takes a user that access control can name, and never an option', () => {
    assert.equal(userName('a "b"'), '"a \\"b\\""')
    assert.deepEqual(['', '-e', 'x'.repeat(33), 'a\tb'].map(canBeUser), [false, false, false, false])
    assert.throws(() => userName('-e'))
  })

  it('holds secrets sealed', () => assert.match(secret('a.b//c', 'v1.1.x.y'), /v1\.1\.x\.y/))
})
