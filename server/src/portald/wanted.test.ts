import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkWanted, wantedOf } from './wanted.ts'

test('an address of a web page is wanted, in its plain form', () => {
  assert.equal(checkWanted('http://example.com'), 'http://example.com/')
  assert.equal(checkWanted('HTTPS://Example.com:8443/a?b#c'), 'https://example.com:8443/a?b#c')
  assert.equal(checkWanted('http://example.com/"<>'), 'http://example.com/%22%3C%3E')
  assert.equal(checkWanted('http://пример.рф/'), 'http://xn--e1afmkfd.xn--p1ai/')
})

test('nothing else is', () => {
  const others = [
    '',
    'example.com',
    '/a',
    '//example.com',
    'javascript:alert(1)',
    ' http://a/',
    'http://a /',
    'http://',
    'data:text/html,x',
    'ftp://a/',
    'http:a',
    'http:\\\\a\\',
    'http://a\\b',
    'http://a@b/',
    'http://a:b@c/',
    'http://a/\n',
    'http://a/\0',
    'java\nscript:x',
    `http://a/${'x'.repeat(1024)}`,
    'http://[::1',
    'http://a:99999/',
  ]
  for (const text of others) assert.equal(checkWanted(text), null, JSON.stringify(text))
  assert.equal(checkWanted(null), null)
})

test('a plain request wants its host and target', () => {
  assert.equal(wantedOf('example.com:81', '/a?b'), 'http://example.com:81/a?b')
  assert.equal(wantedOf('example.com', 'http://other.example/a'), 'http://example.com/a')
  assert.equal(wantedOf('example.com', '*'), 'http://example.com/')
  assert.equal(wantedOf(undefined, '/'), null)
  for (const host of ['', 'a b', 'a@b', 'a/b', '"', 'a:b', '[::1]']) assert.equal(wantedOf(host, '/'), null, host)
  assert.equal(wantedOf('example.com', '/generate_204'), null)
})
