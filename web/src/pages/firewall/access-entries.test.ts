// Entries of access lists as lines.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printEntry, readEntries, readEntry } from './access-entries.ts'

test('what is printed is read back', () => {
  for (const line of [
    'allow tcp 10.0.0.0/8 -> 192.168.0.0/24:443',
    'deny udp 10.0.0.1:1024-65535 -> any:53',
    'allow icmp any -> 10.0.0.0/24',
    'deny ip any -> any',
  ]) {
    const entry = readEntry(line)
    assert.ok(!('problem' in entry), line)
    assert.equal(printEntry(entry), line)
  }
  assert.deepEqual(readEntry('allow tcp 10.0.0.1 -> any:443'), {
    action: 'allow',
    proto: 'tcp',
    saddr: '10.0.0.1/32',
    daddr: '0.0.0.0/0',
    sport_min: 0,
    sport_max: 65_535,
    dport_min: 443,
    dport_max: 443,
  })
})

test('a line that is not an entry says why', () => {
  const { entries, problems } = readEntries([
    '',
    'allow',
    'permit tcp any -> any',
    'allow icmp any -> any:5',
    'allow tcp 10.0.0.300 -> any',
    'allow tcp any -> any:70000',
    'deny ip any any',
  ])
  assert.equal(entries.length, 1)
  assert.deepEqual([...problems.keys()], [1, 2, 3, 4, 5])
})
