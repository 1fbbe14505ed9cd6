// One rule in the drawer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { creationOf, disputed, newRule, patchOf, prefilled } from './rule-draft.ts'
import { sampleIndex, sampleRule } from './sample-rules.ts'
import { ruleTables } from './tables.ts'

const table = ruleTables.forward

test('only what differs is sent', () => {
  assert.deepEqual(creationOf(table, { ...newRule(table), comment: 'x' }), { action: 'accept', comment: 'x' })
  assert.deepEqual(patchOf(sampleRule(4), sampleRule(4, { action: 'drop' })), { action: 'drop' })
})

test('a dispute is what both sides changed differently', () => {
  const base = sampleRule(4)
  const mine = sampleRule(4, { action: 'drop', comment: 'mine' })
  assert.deepEqual(disputed(base, mine, sampleRule(4, { enabled: false })), [])
  assert.deepEqual(disputed(base, mine, sampleRule(4, { action: 'drop' })), [])
  assert.deepEqual(disputed(base, mine, sampleRule(4, { comment: 'theirs' })), ['comment'])
})

test('a rule begins with what the address of the page says', () => {
  const rule = prefilled(
    table,
    { source: '10.0.0.2,192.0.2.7', destination: 'Office', protocol: 'tcp', port: '443', action: 'drop' },
    sampleIndex,
  )
  assert.deepEqual(rule.source_addresses, ['ip.id.2', '192.0.2.7'])
  assert.deepEqual(rule.destination_addresses, ['subnet.id.3'])
  assert.deepEqual(rule.destination_ports, ['port.id.5'])
  assert.equal(rule.action, 'drop')
  assert.deepEqual(prefilled(table, { protocol: 'evil', source: '<b>', port: '443' }, sampleIndex), newRule(table))
})
