// Tracked connections: recorded lines of the kernel's table are read, and rates come from what changed between readings.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SessionTable } from '../../../core/plan/artifacts.ts'
import { createTrafficReader, parseEnds, parseTracked, ulid } from './conntrack.ts'

const tcp = (out: number, back: number, state = 'ESTABLISHED', more = ''): string =>
  `ipv4     2 tcp      6 431999 ${state} src=10.10.0.7 dst=203.0.113.9 sport=40000 dport=443 ` +
  `packets=${out / 100} bytes=${out} src=203.0.113.9 dst=203.0.113.2 sport=443 dport=40000 packets=${back / 100} ` +
  `bytes=${back} [ASSURED] mark=0 zone=0 ${more}use=2`
const icmp =
  'ipv4     2 icmp     1 29 src=10.10.0.7 dst=203.0.113.9 type=8 code=0 id=77 src=203.0.113.9 dst=203.0.113.2 type=0 code=0 id=77 mark=0 use=2'
const translated =
  'ipv4     2 udp      17 28 src=192.0.2.7 dst=203.0.113.2 sport=5000 dport=53 packets=1 bytes=60 ' +
  'src=10.10.0.9 dst=192.0.2.7 sport=5353 dport=5000 packets=1 bytes=90 mark=0 delta-time=3 use=2'
const ipv6 =
  'ipv6     10 tcp      6 100 ESTABLISHED src=fd00::1 dst=fd00::2 sport=1 dport=2 src=fd00::2 dst=fd00::1 sport=2 dport=1 use=1'

/** As Debian 12 shows it: without time left and state. */
const fast =
  'ipv4     2 tcp      6 src=10.10.0.2 dst=198.51.100.10 sport=40000 dport=9000 packets=69 bytes=3085836 ' +
  'src=198.51.100.10 dst=203.0.113.2 sport=9000 dport=40000 packets=58 bytes=3437 [OFFLOAD] mark=0 zone=0 delta-time=31 use=3'

describe('tracked connections', () => {
  it('are read while their packets pass by the rules, and stay the same ones', () => {
    const read = parseTracked(fast)
    assert.deepEqual([read?.protocol, read?.bytesOut, read?.packetsIn, read?.age], ['TCP', 3_085_836, 58, 31])
    const before = fast.replace('tcp      6 ', 'tcp      6 431994 ESTABLISHED ').replace('[OFFLOAD]', '[ASSURED]')
    assert.deepEqual(parseTracked(before), read)
    assert.deepEqual(parseEnds(fast), {
      protocol: 'tcp',
      source: '10.10.0.2',
      sourcePort: 40_000,
      destination: '198.51.100.10',
      destinationPort: 9000,
      answeredBy: '198.51.100.10',
      answeredPort: 9000,
    })
    assert.deepEqual(parseEnds(before), parseEnds(fast))
    const datagrams = fast.replace('tcp      6', 'udp      17')
    assert.equal(parseTracked(datagrams)?.protocol, 'UDP')
    assert.equal(parseEnds(datagrams)?.protocol, 'udp')
  })

  it('are read from the lines of the kernel', () => {
    const { key: _key, ...rest } = parseTracked(tcp(500, 900)) ?? {}
    assert.deepEqual(rest, {
      protocol: 'TCP',
      source: '10.10.0.7',
      sourcePort: 40_000,
      destination: '203.0.113.9',
      destinationPort: 443,
      calledAs: '203.0.113.9',
      seenAs: '203.0.113.2',
      age: null,
      bytesOut: 500,
      packetsOut: 5,
      bytesIn: 900,
      packetsIn: 9,
    })
    const echo = parseTracked(icmp)
    assert.deepEqual([echo?.protocol, echo?.sourcePort, echo?.bytesIn], ['ICMP', null, 0])
    const behind = parseTracked(translated)
    assert.deepEqual(
      [behind?.destination, behind?.destinationPort, behind?.calledAs, behind?.seenAs, behind?.age],
      ['10.10.0.9', 5353, '203.0.113.2', '192.0.2.7', 3],
    )
    for (const line of [
      ipv6,
      '',
      'ipv4',
      'ipv4 2 tcp 6 src=10.0.0.1',
      'nonsense',
      tcp(1, 1).replace('10.10.0.7', '127.0.0.1'),
    ])
      assert.equal(parseTracked(line), null)
    for (const state of ['TIME_WAIT', 'CLOSE']) assert.equal(parseTracked(tcp(1, 1, state)), null, 'it is over')
  })

  it('count what goes through the web proxy once, and give both halves to who ends it', () => {
    const marked = (mark: number) => tcp(500, 900).replace('mark=0', `mark=${mark}`)
    const [clientHalf, serverHalf] = [marked(2), marked(4)]
    const logged = marked(3)
    assert.deepEqual([clientHalf, logged, ''].map(parseTracked), [null, null, null])
    assert.equal(parseTracked(serverHalf)?.bytesOut, 500)
    assert.equal(parseTracked(marked(1))?.bytesOut, 500)
    assert.deepEqual(parseEnds(clientHalf), parseEnds(serverHalf))
    assert.notEqual(parseEnds(clientHalf), null)
  })

  it('give their ends before and behind the translation of destinations', () => {
    const ends = { protocol: 'tcp', source: '10.10.0.7', sourcePort: 40_000, destination: '203.0.113.9' }
    const behind = { answeredBy: '203.0.113.9', answeredPort: 443 }
    assert.deepEqual(parseEnds(tcp(500, 900)), { ...ends, destinationPort: 443, ...behind })
    assert.deepEqual(parseEnds(translated), {
      protocol: 'udp',
      source: '192.0.2.7',
      sourcePort: 5000,
      destination: '203.0.113.2',
      destinationPort: 53,
      answeredBy: '10.10.0.9',
      answeredPort: 5353,
    })
    const unanswered = translated.replace('packets=1 bytes=60', 'packets=1 bytes=60 [UNREPLIED]')
    assert.equal(parseEnds(unanswered)?.answeredPort, 5353)
    const echo = parseEnds(icmp)
    assert.deepEqual([echo?.protocol, echo?.sourcePort, echo?.answeredBy], ['icmp', null, '203.0.113.9'])
    const tunnel = parseEnds(icmp.replace('icmp     1', 'unknown  50'))
    assert.equal(tunnel?.protocol, 'esp')
    for (const line of [ipv6, '', 'ipv4', 'nonsense', icmp.replace(' 1 29', ' 132 29'), tcp(1, 1, 'TIME_WAIT')])
      assert.equal(parseEnds(line), null, line)
    assert.equal(parseEnds(tcp(1, 1).replace('10.10.0.7', '127.0.0.1')), null)
  })

  const readerOf = (now: { seconds: number; table: Partial<SessionTable> }) =>
    createTrafficReader({
      elapsed: () => now.seconds,
      now: () => new Date(1_700_000_000_000),
      random: () => crypto.getRandomValues(new Uint8Array(10)),
      read: async () => ({ text: '', isCut: false, isCounting: true, limitation: null, next: null, ...now.table }),
      slices: () => () => undefined,
    })

  it('have a rate once they were read twice, and keep their id', async () => {
    const now = { seconds: 100, table: { text: tcp(500, 900) } }
    const reader = readerOf(now)
    const [first] = (await reader.read()).sessions
    assert.deepEqual([first?.seconds, first?.bytesOut, first?.bytesIn], [0, 0, 0])
    now.seconds = 102
    now.table.text = `${tcp(700, 1900)}\n${icmp}\n`
    const [second, other] = (await reader.read()).sessions
    assert.equal(second?.id, first?.id)
    assert.deepEqual(
      [second?.seconds, second?.bytesOut, second?.bytesIn, second?.packetsOut, second?.packetsIn],
      [2, 100, 500, 1, 5],
    )
    assert.equal(other?.seconds, 0)
    now.seconds = 102.5
    assert.equal((await reader.read()).sessions[0]?.bytesIn, 400, 'two readings close together are one')
    now.table.text = ''
    assert.deepEqual((await reader.read()).sessions, [])
  })

  it('have the age that the kernel reports, and a rate over it from the first reading on', async () => {
    const now = { seconds: 100, table: { text: tcp(500, 900, 'ESTABLISHED', 'delta-time=10 ') } }
    const reader = readerOf(now)
    const [first] = (await reader.read()).sessions
    assert.deepEqual([first?.seconds, first?.bytesOut, first?.bytesIn], [10, 50, 90])
    now.seconds = 102
    now.table.text = tcp(500, 900, 'ESTABLISHED', 'delta-time=12 ')
    const [second] = (await reader.read()).sessions
    assert.deepEqual([second?.id, second?.seconds, second?.bytesIn], [first?.id, 12, 0])
    now.seconds = 110
    now.table.text = tcp(100, 100, 'ESTABLISHED', 'delta-time=1 ')
    const [third] = (await reader.read()).sessions
    assert.notEqual(third?.id, first?.id, 'the same ends have met again')
    assert.deepEqual([third?.seconds, third?.bytesOut], [1, 100])
  })

  it('are read once for all who ask at the same time', async () => {
    let readings = 0
    const reader = createTrafficReader({
      elapsed: () => 0,
      now: () => new Date(0),
      random: () => new Uint8Array(10),
      read: async () => {
        readings++
        return { text: '', isCut: true, isCounting: false, limitation: 'no table', next: null }
      },
      slices: () => () => undefined,
    })
    const [told] = await Promise.all([reader.read(), reader.read()])
    assert.equal(readings, 1)
    assert.deepEqual(told, { sessions: [], isCut: true, isCounting: false, limitation: 'no table' })
    await reader.read()
    assert.equal(readings, 2)
  })

  it('are read part by part, and others get their turn', async () => {
    let turns = 0
    const asked: number[] = []
    const parts = [tcp(100, 100), translated, icmp]
    const reader = createTrafficReader({
      elapsed: () => 0,
      now: () => new Date(0),
      random: () => new Uint8Array(10),
      read: async (reading) => {
        asked.push(reading)
        const next = asked.length < parts.length ? 7 : null
        return { text: `${parts[asked.length - 1]}\n`, isCut: false, isCounting: true, limitation: null, next }
      },
      slices: () => () => {
        turns++
        return undefined
      },
    })
    const { sessions, isCut } = await reader.read()
    assert.deepEqual([sessions.map(({ protocol }) => protocol), isCut], [['TCP', 'UDP', 'ICMP'], false])
    assert.deepEqual([asked, turns], [[0, 7, 7], 6], 'after each line, and after each session')
  })

  it('get ids that sort by time', () => {
    // The example of the ULID specification: its time part is 01ARYZ6S41.
    assert.equal(ulid(1_469_918_176_385, new Uint8Array(10)), '01ARYZ6S410000000000000000')
    assert.equal(ulid(0, new Uint8Array(10).fill(255)), '0000000000ZZZZZZZZZZZZZZZZ')
  })
})
