import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noFacts, type TrackedSession } from '../../core/plan/facts.ts'
import { createSessionReader } from './sessions.ts'

const tracked: TrackedSession = {
  id: 'id',
  protocol: 'TCP',
  source: '10.0.0.1',
  sourcePort: 50_000,
  destination: '10.0.0.2',
  destinationPort: 80,
  calledAs: '10.0.0.2',
  seenAs: '10.0.0.1',
  seconds: 1,
  bytesIn: 0,
  bytesOut: 0,
  packetsIn: 0,
  packetsOut: 0,
}

describe('a session of the traffic monitor', () => {
  const facts = {
    ...noFacts,
    addressBook: new Map([
      ['user.id.1', ['10.0.0.1']],
      ['user.id.2', ['10.0.0.2']],
    ]),
  }

  it('shows the user who is at an address now, and otherwise the one whose rule has it', () => {
    const { show } = createSessionReader({}, facts, (address) => (address === '10.0.0.1' ? 'user.id.7' : undefined))
    const { src_aliases, dst_aliases } = show(tracked)
    assert.deepEqual([src_aliases, dst_aliases], [['user.id.7'], ['user.id.2']])
  })
})
