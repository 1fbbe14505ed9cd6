// The writer for unbound, as far as applyd uses it for the settings that it adds. Zones are tested in the DNS area.
// Requirement 25.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clause, directive, megabytes, number, quoteAbsolutePath, quoteWords, word } from './unbound.ts'

test('a clause holds directives, one a line', () => {
  assert.equal(
    clause('server', [
      directive('username', quoteWords('')),
      directive('directory', quoteAbsolutePath('/var/lib/x y/unbound')),
      directive('msg-cache-size', megabytes(8)),
      directive('use-syslog', word('no')),
    ]),
    'server:\n  username: ""\n  directory: "/var/lib/x y/unbound"\n  msg-cache-size: 8m\n  use-syslog: no\n',
  )
})

test('what would end a quoted text or a line is refused', () => {
  for (const bad of ['', 'relative', '/a"b', '/a\nb', '/a\\b', '/a\0']) assert.throws(() => quoteAbsolutePath(bad), bad)
  for (const bad of ['a"', 'a\n', 'a\\', 'a;b', 'a#b']) assert.throws(() => quoteWords(bad), bad)
  assert.equal(quoteWords('. 3600 IN DNSKEY 257 3 8 AwEA+/='), '". 3600 IN DNSKEY 257 3 8 AwEA+/="')
})

test('numbers are whole and not negative', () => {
  for (const bad of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => number(bad))
    assert.throws(() => megabytes(bad))
  }
})
