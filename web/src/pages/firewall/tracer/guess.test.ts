// Where a packet is taken to come in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessInterface } from './guess.ts'

const connections = [
  { id: 1, type: 'wan', enabled: true, addresses: ['203.0.113.2/24'] },
  { id: 2, type: 'lan', enabled: true, addresses: ['10.10.0.1/24'] },
  { id: 3, type: 'lan', enabled: false, addresses: ['10.11.0.1/24'] },
]

test('at the connection of its network, the private ones inside, all others outside', () => {
  assert.equal(guessInterface('10.10.0.9', connections), 'interface.id.2')
  assert.equal(guessInterface('203.0.113.9', connections), 'interface.id.1')
  assert.equal(guessInterface('10.99.0.9', connections), 'interface.id.2')
  assert.equal(guessInterface('198.51.100.7', connections), 'interface.id.1')
  assert.equal(guessInterface('10.10.0.1', connections), null)
  assert.equal(guessInterface('2001:db8::1', connections), 'interface.id.1')
  assert.equal(guessInterface('198.51.100.7', []), null)
})
