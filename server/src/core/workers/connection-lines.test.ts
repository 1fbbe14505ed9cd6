import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectionLine, decodeConnections, encodeConnections } from './connection-lines.ts'

test('connections cross as text and are the same on the other side', () => {
  const line: ConnectionLine = {
    protocol: 'tcp',
    source: '10.10.0.5',
    sourcePort: 40_000,
    destination: '198.51.100.10',
    destinationPort: 80,
    rule: 'firewall.forward[7]',
    user: 'user.id.5',
  }
  const lines: ConnectionLine[] = [line, { ...line, protocol: 'udp', rule: null, user: null }]
  for (const sent of [lines, []]) {
    const { value } = encodeConnections({ total: 12, withoutPorts: 3 }, sent)
    const { total, withoutPorts, lines: read } = decodeConnections(value)
    assert.deepEqual([total, withoutPorts, [...read]], [12, 3, sent])
  }
})
