// Addresses are told from words, sorted by number, and MACs are taken in any usual form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareTexts, hostPath, isAddress, isSpan, tidyMac } from './address.ts'

test('addresses are sorted by number and come before words', () => {
  const sorted = ['10.0.0.10', 'web 10', '10.0.0.9', 'web 9', '9.0.0.0/8'].sort((a, b) => compareTexts(a, b))
  assert.deepEqual(sorted, ['9.0.0.0/8', '10.0.0.9', '10.0.0.10', 'web 9', 'web 10'])
})

test('only a whole address leads to a host', () => {
  assert.equal(hostPath('10.1.2.3'), 'overview/host/10.1.2.3')
  assert.equal(hostPath('10.1.2.3/24'), null)
  assert.equal(hostPath('<b>'), null)
  assert.equal(isAddress('10.1.2.300'), false)
  assert.equal(isSpan('10.0.0.1-10.0.0.9'), true)
})

test('a MAC is taken in any usual form', () => {
  for (const text of [
    '00:1A:2b:3c:4d:5e',
    '00-1a-2b-3c-4d-5e',
    '001a.2b3c.4d5e',
    '001A2B3C4D5E',
    ' 00 1a 2b 3c 4d 5e ',
  ])
    assert.equal(tidyMac(text), '00:1a:2b:3c:4d:5e', text)
  assert.equal(tidyMac('00:1a:2b'), '00:1a:2b')
  assert.equal(tidyMac('not a mac'), 'not a mac')
})
