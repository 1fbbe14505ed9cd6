// One field of many rules.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planBulk, readEdit } from './bulk.ts'
import { sampleIndex, sampleRule } from './sample-rules.ts'
import { ruleTables } from './tables.ts'

test('only rules that change are part of the plan', () => {
  const plan = planBulk([sampleRule(1), sampleRule(2, { action: 'drop' })], {
    field: 'action',
    mode: 'set',
    value: 'drop',
  })
  assert.deepEqual(plan, { changes: [{ id: 1, body: { action: 'drop' } }], same: 1, faults: [] })
})

test('objects are added and removed, and any never appears by itself', () => {
  const rules = [
    sampleRule(1, { source_addresses: ['ip.id.1'] }),
    sampleRule(2, { source_addresses: ['ip.id.1', 'ip.id.2'] }),
    sampleRule(3),
  ]
  const added = planBulk(rules, { field: 'source_addresses', mode: 'add', value: ['ip.id.2'] })
  assert.deepEqual(added.changes, [{ id: 1, body: { source_addresses: ['ip.id.1', 'ip.id.2'] } }])
  assert.equal(added.same, 1)
  assert.deepEqual(
    added.faults.map(({ id }) => id),
    [3],
  )
  const removed = planBulk(rules, { field: 'source_addresses', mode: 'remove', value: ['ip.id.1'] })
  assert.deepEqual(removed.changes, [{ id: 2, body: { source_addresses: ['ip.id.2'] } }])
  assert.deepEqual(
    removed.faults.map(({ id }) => id),
    [1],
  )
  assert.equal(removed.same, 1)
})

test('ports need a protocol that has them', () => {
  const rules = [sampleRule(1), sampleRule(2, { protocol: 'protocol.tcp', destination_ports: ['port.id.5'] })]
  assert.deepEqual(
    planBulk(rules, { field: 'destination_ports', mode: 'set', value: ['port.id.5'] }).faults.map(({ id }) => id),
    [1],
  )
  assert.deepEqual(
    planBulk(rules, { field: 'protocol', mode: 'set', value: 'protocol.icmp' }).faults.map(({ id }) => id),
    [2],
  )
})

test('a comment can be appended to', () => {
  const rules = [sampleRule(1, { comment: 'Old' }), sampleRule(2), sampleRule(3, { comment: 'x'.repeat(250) })]
  const plan = planBulk(rules, { field: 'comment', mode: 'append', value: 'ticket 7' })
  assert.deepEqual(
    plan.changes.map(({ body }) => body.comment),
    ['Old ticket 7', 'ticket 7'],
  )
  assert.deepEqual(
    plan.faults.map(({ id }) => id),
    [3],
  )
})

test('an edit is read from one line', () => {
  const read = (line: string) => readEdit(line, ruleTables.forward, sampleIndex)
  assert.deepEqual(read('action=drop'), { field: 'action', mode: 'set', value: 'drop' })
  assert.deepEqual(read('Source += Office'), { field: 'source_addresses', mode: 'add', value: ['subnet.id.3'] })
  assert.deepEqual(read('source -= 10.0.0.2, 192.0.2.9'), {
    field: 'source_addresses',
    mode: 'remove',
    value: ['ip.id.2', '192.0.2.9'],
  })
  assert.deepEqual(read('comment += ticket 7'), { field: 'comment', mode: 'append', value: 'ticket 7' })
  assert.deepEqual(read('comment ='), { field: 'comment', mode: 'set', value: '' })
  assert.deepEqual(read('on = no'), { field: 'enabled', mode: 'set', value: false })
  for (const line of ['', 'action', 'colour = red', 'action += drop', 'action = allow', 'source = nowhere', 'source ='])
    assert.ok('problem' in read(line), line)
})
