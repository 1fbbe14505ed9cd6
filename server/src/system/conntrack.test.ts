// Tracked connections: recorded lines of the kernel's table are read, and rates come from what changed between readings.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTrafficReader, parseTracked, ulid } from './conntrack.ts'

const tcp = (out: number, back: number): string =>
  'ipv4     2 tcp      6 431999 ESTABLISHED src=10.10.0.7 dst=203.0.113.9 sport=40000 dport=443 ' +
  `packets=${out / 100} bytes=${out} src=203.0.113.9 dst=203.0.113.2 sport=443 dport=40000 packets=${back / 100} ` +
  `bytes=${back} [ASSURED] mark=0 zone=0 use=2`
const icmp =
  'ipv4     2 icmp     1 29 src=10.10.0.7 dst=203.0.113.9 type=8 code=0 id=77 src=203.0.113.9 dst=203.0.113.2 type=0 code=0 id=77 mark=0 use=2'
const ipv6 =
  'ipv6     10 tcp      6 100 ESTABLISHED src=fd00::1 dst=fd00::2 sport=1 dport=2 src=fd00::2 dst=fd00::1 sport=2 dport=1 use=1'

describe('tracked connections', () => {
  it('are read from the lines of the kernel', () => {
    const { key: _key, ...rest } = parseTracked(tcp(500, 900)) ?? {}
    assert.deepEqual(rest, {
      protocol: 'TCP',
      source: '10.10.0.7',
      sourcePort: 40_000,
      destination: '203.0.113.9',
      destinationPort: 443,
      bytesOut: 500,
      packetsOut: 5,
      bytesIn: 900,
      packetsIn: 9,
    })
    const echo = parseTracked(icmp)
    assert.deepEqual([echo?.protocol, echo?.sourcePort, echo?.bytesIn], ['ICMP', null, 0])
    for (const line of [ipv6, '', 'ipv4', 'ipv4 2 tcp 6 src=10.0.0.1', 'nonsense'])
      assert.equal(parseTracked(line), null)
  })

  it('have a rate once they were read twice, and keep their id', async () => {
    let [seconds, table] = [100, tcp(500, 900)]
    const reader = createTrafficReader({
      elapsed: () => seconds,
      now: () => new Date(1_700_000_000_000),
      random: () => new Uint8Array(10),
      read: async () => table,
    })
    const [first] = await reader.sessions()
    assert.deepEqual([first?.seconds, first?.bytesOut, first?.bytesIn], [0, 0, 0])
    seconds = 102
    table = `${tcp(700, 1900)}\n${icmp}\n`
    const [second, other] = await reader.sessions()
    assert.equal(second?.id, first?.id)
    assert.deepEqual(
      [second?.seconds, second?.bytesOut, second?.bytesIn, second?.packetsOut, second?.packetsIn],
      [2, 100, 500, 1, 5],
    )
    assert.equal(other?.seconds, 0)
    seconds = 102.5
    assert.equal((await reader.sessions())[0]?.bytesIn, 400, 'two readings close together are one')
    table = ''
    assert.deepEqual(await reader.sessions(), [])
  })

  it('are none where the table cannot be read', async () => {
    const source = { elapsed: () => 0, now: () => new Date(0), random: () => new Uint8Array(10) }
    assert.deepEqual(await createTrafficReader({ ...source, read: async () => '' }).sessions(), [])
  })

  it('get ids that sort by time', () => {
    // The example of the ULID specification: its time part is 01ARYZ6S41.
    assert.equal(ulid(1_469_918_176_385, new Uint8Array(10)), '01ARYZ6S410000000000000000')
    assert.equal(ulid(0, new Uint8Array(10).fill(255)), '0000000000ZZZZZZZZZZZZZZZZ')
  })
})
