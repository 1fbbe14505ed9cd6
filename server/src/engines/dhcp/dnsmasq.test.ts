// The writer for dnsmasq: texts stay texts, words are words, and no line is longer than dnsmasq reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, directive, host, nothing, origin, prefixed, printLines, quote, word } from './dnsmasq.ts'

test('a text is quoted, whatever it holds', () => {
  assert.equal(quote('a,b:c #d'), '"a,b:c #d"')
  assert.equal(quote('say "no\\yes"'), '"say \\"no\\\\yes\\""')
  assert.equal(quote('a\nb\tc\rd\be\x1bf'), '"a\\nb\\tc\\rd\\be\\ef"')
  for (const bad of ['\0', '\x01', '\x7f']) assert.throws(() => quote(`a${bad}b`), /cannot represent/)
})

test('a word has no room for syntax', () => {
  for (const good of ['lan0', 'c1n0', '10.0.0.0/8', 'option:router', '01:02', '12s', '_sip.example', '-1'])
    assert.equal(word(good), good)
  for (const bad of ['', 'a b', 'a,b', 'a"b', 'a#b', 'a\nb', 'a=b', 'a\\b', 'a*']) assert.throws(() => word(bad))
})

test('directives, comments and hosts are printed one a line', () => {
  const lines = [
    origin('dhcp.settings[1].server'),
    directive('bind-dynamic'),
    directive('dhcp-option', prefixed('tag', word('c1n0')), word('3'), address(0x0a000001)),
    directive('dhcp-boot', nothing, quote('x')),
    host('02:00:00:00:00:01', 0x0a000002),
    host(null, 0x0a000003),
  ]
  assert.equal(
    printLines(lines),
    [
      '# dhcp.settings[1].server',
      'bind-dynamic',
      'dhcp-option=tag:c1n0,3,10.0.0.1',
      'dhcp-boot=,"x"',
      '02:00:00:00:00:01,10.0.0.2',
      '10.0.0.3',
      '',
    ].join('\n'),
  )
  assert.throws(() => origin('a\nb'))
})

test('a line longer than the buffer of dnsmasq is never written', () => {
  assert.throws(() => directive('dhcp-option', quote('x'.repeat(1010))), /too long/)
  assert.throws(() => directive('dhcp-option', quote('é'.repeat(505))), /too long/)
})
