// The writer for ulogd: names, numbers and standard streams, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { section, setting, stack, streamSetting } from './ulogd.ts'

test('sections hold settings, one a line', () => {
  assert.equal(
    section('global', [
      streamSetting('logfile', 'stderr'),
      setting('loglevel', 7),
      stack([
        ['hits', 'NFLOG'],
        ['text', 'IP2STR'],
      ]),
    ]),
    '[global]\nlogfile="/dev/stderr"\nloglevel=7\nstack=hits:NFLOG,text:IP2STR\n',
  )
})

test('what is not a name, a plugin or a number is refused', () => {
  for (const bad of ['', 'a b', 'a]', 'a\nb', 'a=b', 'A', '1']) {
    assert.throws(() => section(bad, []))
    assert.throws(() => setting(bad, 1))
    assert.throws(() => stack([[bad, 'JSON']]))
  }
  for (const bad of ['', 'json', 'A,B', 'A\n']) assert.throws(() => stack([['out', bad]]))
  for (const bad of [-1, 1.5, Number.NaN]) assert.throws(() => setting('group', bad))
})
