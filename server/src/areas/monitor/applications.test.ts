import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrackedSession } from '../../plan/facts.ts'
import { recognise } from './applications.ts'

const session: TrackedSession = {
  ...{
    id: 'x',
    protocol: 'TCP',
    source: '10.0.0.2',
    sourcePort: 50_000,
    destination: '192.0.2.9',
    destinationPort: 443,
  },
  ...{ calledAs: '192.0.2.9', seenAs: '10.0.0.2', seconds: 1, bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 },
}
const key = 'tcp 10.0.0.2:50000 192.0.2.9:443'
const named = (name: string) => recognise(session, new Map([[key, { name, server: 'a.example' }]]))

test('names of nDPI become applications of the catalogue, with the protocol that carries them', () => {
  const server = 'a.example'
  const youtube = { application: 'YouTube', id: 'id.l7.youtube', protocol: 'TLS', server }
  assert.deepEqual(named('TLS.YouTube'), youtube)
  assert.deepEqual(named('SSH'), { application: 'SSH', id: 'id.l7.ssh', protocol: 'SSH', server })
  assert.deepEqual(named('Redis'), { application: 'RESP', id: 'id.l7.resp', protocol: 'RESP', server })
  assert.equal(named('Z39.50').id, 'id.l7.z3950')
  assert.equal(named('NetFlix').application, 'Netflix')
})

test('what has no place in the catalogue keeps its name and has no id', () => {
  assert.deepEqual(named('HTTP.Hotmail'), { application: 'Hotmail', id: '', protocol: 'HTTP', server: 'a.example' })
})

test('a session is found whoever opened it, and others are not', () => {
  const turned = { source: '192.0.2.9', sourcePort: 443, destination: '10.0.0.2', destinationPort: 50_000 }
  const found = new Map([[key, { name: 'SSH', server: '' }]])
  assert.equal(recognise({ ...session, ...turned }, found).application, 'SSH')
  assert.equal(recognise({ ...session, protocol: 'UDP' }, found).application, '')
  assert.equal(recognise({ ...session, sourcePort: null }, found).application, '')
  assert.equal(recognise(session, new Map()).application, '')
})
