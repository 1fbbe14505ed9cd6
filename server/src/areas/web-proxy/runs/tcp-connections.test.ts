import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countBeside, parseTcpUse } from './tcp-connections.ts'

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const row = (local: string, state: string, owner = 0) =>
  `   0: ${local} 010071CB:C350 ${state} 00000000:00000000 00:00000000 00000000     ${owner}        0 1 1 0 20 4 30 10 -1\n`

test('only connections to ports on which something listens were opened by others', () => {
  const four = head + row('00000000:0016', '0A') + row('027100CB:0016', '01') + row('027100CB:D431', '01')
  const six =
    head +
    row('00000000000000000000000000000000:01BB', '0A') +
    row('0000000000000000FFFF0000027100CB:01BB', '01') +
    row('B80D0120000071000000000002000000:0016', '01') +
    row('B80D0120000071000000000002000000:0016', '01')
  assert.deepEqual([...parseTcpUse(four, six).listening], [22, 443])
  assert.deepEqual(parseTcpUse(four, six).inbound, [
    { address: '203.0.113.2', port: 22 },
    { address: '203.0.113.2', port: 443 },
    { address: '2001:db8:71::2', port: 22 },
  ])
})

test('tables that are not there have no connections', () =>
  assert.deepEqual(parseTcpUse('', ''), { listening: new Set(), inbound: [] }))

test('the sockets of no matter who listens at a port are counted, wherever they lead', () => {
  const four = head + row('0100007F:0C3E', '0A', 7) + row('1E6433C6:0050', '01', 7) + row('1E6433C6:0050', '01', 8)
  const six = head + row('0000000000000000FFFF0000027100CB:01BB', '01', 7)
  assert.equal(countBeside(3134, four, six), 3)
  assert.equal(countBeside(3135, four, six), 0)
})
