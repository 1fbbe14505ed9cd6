// The neighbour table: hosts that answered, and nothing of what a table may hold beside them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNeighbour, isRandomMac, parseNeighbours } from './neighbours.ts'

test('hosts that answered are read, the rest is left out', () => {
  const good = { dst: '10.10.0.2', dev: 'lan0', lladdr: '02:00:00:00:00:AA', state: ['REACHABLE'] }
  const rows = [
    good,
    { ...good, dst: '10.10.0.3', state: ['STALE'], confirmed: 70, used: 3 },
    { ...good, state: ['FAILED'] },
    { ...good, state: [] },
    { dst: '10.10.0.4', dev: 'lan0', state: ['INCOMPLETE'] },
    { ...good, dst: 'fe80::1', router: null },
    { ...good, lladdr: '00:00' },
    { ...good, dev: 7 },
    null,
    7,
    'text',
    [good],
  ]
  assert.deepEqual(parseNeighbours(JSON.stringify(rows)), [
    { address: 0x0a0a0002, mac: '02:00:00:00:00:aa', device: 'lan0', isReachable: true, confirmedAgo: null },
    { address: 0x0a0a0003, mac: '02:00:00:00:00:aa', device: 'lan0', isReachable: false, confirmedAgo: 70 },
  ])
  assert.deepEqual(parseNeighbours('{}'), [])
})

test('the neighbour of exactly one address is found', () => {
  const entry = (dst: string, fields: object = {}): object => ({
    dst,
    dev: 'lan0',
    lladdr: '02:00:00:00:00:0A',
    state: ['STALE'],
    ...fields,
  })
  const text = JSON.stringify([
    entry('10.0.0.11'),
    entry('10.0.0.1', { state: ['FAILED'] }),
    entry('10.0.0.2', { lladdr: undefined, state: ['INCOMPLETE'] }),
    entry('fe80::1'),
    entry('10.0.0.3'),
  ])
  assert.partialDeepStrictEqual(findNeighbour(text, '10.0.0.3'), { mac: '02:00:00:00:00:0a', device: 'lan0' })
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.9', '0.0.0.3'])
    assert.equal(findNeighbour(text, address), null, address)
})

test('an address that a host made up is recognised', () => {
  for (const mac of ['02:00:00:00:00:01', 'da:a1:19:00:00:01', 'fe:00:00:00:00:01']) assert.ok(isRandomMac(mac), mac)
  for (const mac of ['00:22:72:00:00:01', 'a4:00:00:00:00:01', 'fc:00:00:00:00:01']) assert.ok(!isRandomMac(mac), mac)
})
