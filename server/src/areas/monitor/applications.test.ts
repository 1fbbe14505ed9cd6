import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrackedSession } from '../../core/plan/facts.ts'
import { recognise } from './applications.ts'

const session: TrackedSession = {
  id: 'x',
  protocol: 'TCP',
  source: '10.0.0.2',
  sourcePort: 50_000,
  destination: '192.0.2.9',
  destinationPort: 443,
  calledAs: '192.0.2.9',
  seenAs: '10.0.0.2',
  seconds: 1,
  bytesIn: 0,
  bytesOut: 0,
  packetsIn: 0,
  packetsOut: 0,
}
const key = 'tcp 10.0.0.2:50000 192.0.2.9:443'
const named = (name: string) => recognise(session, new Map([[key, { name, server: 'a.example' }]]))

test('names of nDPI become applications of the catalogue', () => {
  assert.equal(named('TLS.YouTube'), 'YouTube')
  assert.equal(named('SSH'), 'SSH')
  assert.equal(named('Redis'), 'RESP')
  assert.equal(named('Z39.50'), 'Z3950')
  assert.equal(named('NetFlix'), 'Netflix')
})

test('what has no place in the catalogue keeps its name', () => {
  assert.equal(named('HTTP.Hotmail'), 'Hotmail')
})

test('a session is found no matter who opened it, and others are not', () => {
  const turned = { source: '192.0.2.9', sourcePort: 443, destination: '10.0.0.2', destinationPort: 50_000 }
  const found = new Map([[key, { name: 'SSH', server: '' }]])
  assert.equal(recognise({ ...session, ...turned }, found), 'SSH')
  assert.equal(recognise({ ...session, protocol: 'UDP' }, found), '')
  assert.equal(recognise({ ...session, sourcePort: null }, found), '')
  assert.equal(recognise(session, new Map()), '')
})
