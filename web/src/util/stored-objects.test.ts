// Stored objects in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameIn, parseObject, pathOfObject, titleOfObject, wordOfValue } from './stored-objects.ts'

test('an object is its kind with the number or the name that people use', () => {
  assert.deepEqual(parseObject('firewall.forward[42]'), { slot: 'firewall.forward', id: '42' })
  assert.deepEqual(parseObject('dns.settings'), { slot: 'dns.settings', id: null })
  assert.equal(
    titleOfObject('firewall.forward[42]', [{ field: 'comment', before: 'a', after: 'b' }], () => 3),
    'FORWARD rule 3',
  )
  assert.equal(
    titleOfObject('firewall.forward[42]', [], () => null),
    'FORWARD rule (id 42)',
  )
  assert.equal(titleOfObject('firewall.forward[42]'), 'FORWARD rule', 'not known yet')
  const lease = [{ field: 'ip_address', before: null, after: '10.0.0.5' }]
  assert.equal(
    titleOfObject('dhcp.static_leases[7f3a9c52-0000-0000-0000-000000000000]', lease),
    'Static lease 10.0.0.5',
  )
  assert.equal(titleOfObject('dhcp.static_leases[7f3a9c52-0000-0000-0000-000000000000]'), 'Static lease')
  assert.equal(titleOfObject('dns.settings'), 'DNS settings')
  assert.equal(titleOfObject('new_area.some_list[x]'), 'New area some list x')
})

test('an object leads to its page', () => {
  assert.equal(pathOfObject('firewall.forward[42]'), 'policy/rules/forward/42')
  assert.equal(pathOfObject('unknown.list[1]'), null)
})

test('values are words', () => {
  assert.equal(wordOfValue(null), 'none')
  assert.equal(wordOfValue(true), 'on')
  assert.equal(
    wordOfValue(['ip.id.1', 'any'], (id) => (id === 'ip.id.1' ? 'web' : id)),
    'web, any',
  )
  assert.equal(wordOfValue([1, 2, 3, 4, 5, 6, 7, 8]), '1, 2, 3, 4, 5, 6 +2')
  assert.equal(wordOfValue({ a: 1 }), '{"a":1}')
  assert.equal(nameIn([{ field: 'title', before: 'old', after: null }]), 'old')
})
