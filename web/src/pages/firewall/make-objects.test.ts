// Objects that are made with the rules that name them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOfCall, withObjects } from './make-objects.ts'
import { ruleTables } from './rules/tables.ts'

const endpoint = ruleTables.forward.calls.create

test('each written address is one object, and every rule that names it gets its id', () => {
  const { calls, made } = withObjects([
    { endpoint, body: { action: 'drop', source_addresses: ['ip.id.2', '192.0.2.7'], destination_ports: ['8443'] } },
    { endpoint, body: { source_addresses: ['192.0.2.7', '192.0.2.7'], comment: '192.0.2.7' } },
    { endpoint, body: { source_addresses: ['any'] } },
  ])
  assert.equal(made, 2)
  assert.deepEqual(
    calls.map(({ endpoint: { path }, body, ids }) => [path, body, ids]),
    [
      ['/aliases/ip_addresses', { title: '192.0.2.7', value: '192.0.2.7' }, undefined],
      ['/aliases/ports', { title: '8443', value: 8443 }, undefined],
      [
        endpoint.path,
        { action: 'drop', source_addresses: ['ip.id.2', null], destination_ports: [null] },
        [
          { into: 'source_addresses[1]', of: 0 },
          { into: 'destination_ports[0]', of: 1 },
        ],
      ],
      [endpoint.path, { source_addresses: [null], comment: '192.0.2.7' }, [{ into: 'source_addresses[0]', of: 0 }]],
      [endpoint.path, { source_addresses: ['any'] }, undefined],
    ],
  )
})

test('rules without written addresses stay as they are', () => {
  const rules = [{ endpoint, body: { action: 'drop', source_addresses: ['ip.id.2'] } }]
  assert.deepEqual(withObjects(rules), { calls: rules, made: 0, reads: [] })
})

test('a refusal belongs to the field of the rule', () => {
  assert.deepEqual(
    problemsOfCall(
      [
        { field: 'calls[1].body.source_addresses[0]', message: 'a' },
        { field: 'calls[0].body.title', message: 'b' },
        { field: 'calls[10].body.title', message: 'c' },
      ],
      1,
    ).map(({ field }) => field),
    ['source_addresses[0]', 'calls[0].body.title', 'calls[10].body.title'],
  )
})
