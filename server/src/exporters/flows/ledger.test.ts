// What the books of the exporter say, connection by connection, and that every packet is reported exactly once.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { networkOf } from '../../shared/net/ipv4.ts'
import type { Flow } from './flow.ts'
import { Ledger, type LedgerParts } from './ledger.ts'
import { createEndFinder } from './places.ts'
import type { Tracked } from './tracked.ts'

const [lan, uplink] = [0x0a000001, 0xcb007102]
const places = [
  { index: 11, networks: [networkOf(lan, 24)], isExternal: false, isExported: true },
  { index: 12, networks: [networkOf(uplink, 24)], isExternal: true, isExported: false },
]
const parts: LedgerParts = {
  endOf: createEndFinder(places, new Set([lan, uplink])),
  activeMs: 60_000,
  timeouts: { timeWait: 120, close: 10, udp: 30, udpStream: 120, icmp: 30, generic: 600 },
}
const start = 1_800_000_000_000

const connection: Tracked = {
  key: 1,
  protocol: 17,
  source: 0x0a000005,
  destination: 0xc6336414,
  sourcePort: 50_000,
  destinationPort: 53,
  calledAs: 0xc6336414,
  seenAs: uplink,
  packetsOut: 3,
  bytesOut: 300,
  packetsIn: 2,
  bytesIn: 900,
  began: start + 1000,
  ended: null,
  secondsLeft: 30,
  state: 0,
  isAssured: false,
}
const [timeWait, established] = [7, 3]
const short = ({ packets, bytes, input, output }: Flow) => [packets, bytes, input, output]

describe('the books of the flow exporter', () => {
  it('make two flows of a connection that ended, with its real ends and times', () => {
    const ledger = new Ledger(parts, start)
    const [out, back] = ledger.ended({ ...connection, ended: start + 41_000, secondsLeft: null }, start + 45_000)
    assert.partialDeepStrictEqual(out, {
      source: 0x0a000005,
      destination: 0xc6336414,
      sourcePort: 50_000,
      destinationPort: 53,
      input: 11,
      output: 12,
      sourcePrefix: 24,
      destinationPrefix: 0,
      packets: 3,
      bytes: 300,
      // The kernel kept it for 30 s after its last packet.
      first: start + 1000,
      last: start + 11_000,
    })
    assert.partialDeepStrictEqual(back, {
      source: 0xc6336414,
      destination: 0x0a000005,
      sourcePort: 53,
      destinationPort: 50_000,
      input: 12,
      output: 11,
      sourcePrefix: 0,
      destinationPrefix: 24,
      packets: 2,
      bytes: 900,
    })
  })

  it('make no flow of a way without packets', () => {
    const flows = new Ledger(parts, start).ended({ ...connection, packetsIn: 0, bytesIn: 0 }, start + 2000)
    assert.deepEqual(flows.map(short), [[3, 300, 11, 12]])
  })

  it('leave out what passes no exported interface', () => {
    const outside = { ...connection, source: uplink, seenAs: uplink }
    assert.deepEqual(new Ledger(parts, start).ended(outside, start + 2000), [])
  })

  it('report a connection that stays open after each interval, and then only what is new', () => {
    const ledger = new Ledger(parts, start)
    const at = (seconds: number, packetsOut: number) => {
      ledger.begin()
      const tracked = { ...connection, packetsOut, bytesOut: packetsOut * 100, packetsIn: 0, bytesIn: 0 }
      return ledger.seen(tracked, start + seconds * 1000).map(({ packets }) => packets)
    }
    assert.deepEqual([at(30, 5), at(61, 9), at(70, 12), at(121, 20), at(200, 20)], [[], [9], [], [11], []])
    assert.deepEqual(ledger.ended({ ...connection, packetsOut: 21, bytesOut: 2100, packetsIn: 0 }, start).map(short), [
      [1, 100, 11, 12],
    ])
  })

  it('report a TCP connection when it is closed, and its last packets when the kernel forgets it', () => {
    const ledger = new Ledger(parts, start)
    const tcp = { ...connection, protocol: 6, packetsIn: 0, bytesIn: 0 }
    ledger.begin()
    assert.deepEqual(ledger.seen({ ...tcp, state: established, secondsLeft: 432_000 }, start + 2000), [])
    const [flow] = ledger.seen({ ...tcp, state: timeWait, secondsLeft: 115 }, start + 9000)
    assert.deepEqual([flow?.last, flow?.tcpFlags], [start + 4000, 3])
    assert.deepEqual(ledger.seen({ ...tcp, state: timeWait, secondsLeft: 105 }, start + 19_000), [])
    assert.deepEqual(ledger.ended({ ...tcp, state: timeWait, ended: start + 130_000 }, start + 130_000), [])
    assert.equal(ledger.size, 0)
  })

  it('count a connection that is older than the export from the first look on', () => {
    const ledger = new Ledger(parts, start)
    const old = { ...connection, began: start - 5000, packetsIn: 0, bytesIn: 0 }
    ledger.begin()
    assert.deepEqual(ledger.seen(old, start), [])
    assert.deepEqual(ledger.ended({ ...old, packetsOut: 10, bytesOut: 1000 }, start + 9000).map(short), [
      [7, 700, 11, 12],
    ])
    assert.deepEqual(ledger.ended({ ...old, key: 2 }, start), [], 'one that ended before the first look')
  })

  it('report what is known of a connection that went without a word', () => {
    const ledger = new Ledger(parts, start)
    const old = { ...connection, began: start - 5000, packetsIn: 0, bytesIn: 0 }
    ledger.begin()
    ledger.seen(old, start)
    ledger.begin()
    ledger.seen({ ...old, packetsOut: 5, bytesOut: 500 }, start + 10_000)
    assert.deepEqual([...ledger.finish()], [])
    ledger.begin()
    assert.deepEqual([...ledger.finish()], [], 'one look may miss it')
    ledger.begin()
    assert.deepEqual([...ledger.finish()].map(short), [[2, 200, 11, 12]])
    assert.equal(ledger.size, 0)
  })

  it('report every packet exactly once, however looks, ends and changes follow each other', () => {
    const step = fc.record({
      kind: fc.constantFrom('packets', 'packets', 'look', 'change', 'end'),
      which: fc.integer({ min: 0, max: 4 }),
      seconds: fc.integer({ min: 1, max: 80 }),
      packets: fc.integer({ min: 0, max: 1000 }),
      state: fc.constantFrom(established, timeWait),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ledger = new Ledger(parts, start)
        const open = new Map<number, Tracked>()
        let [now, key, sent, reported] = [start, 0, 0, 0]
        const take = (flows: Iterable<Flow>): void => {
          for (const { packets, first, last } of flows) {
            assert.ok(packets > 0 && first <= last)
            reported += packets
          }
        }
        const look = (isLast: boolean): void => {
          ledger.begin()
          for (const one of open.values()) take(ledger.seen(one, now, isLast))
          take(ledger.finish())
        }
        for (const { kind, which, seconds, packets, state } of steps) {
          now += seconds * 1000
          const one = open.get(which) ?? {
            ...connection,
            key: ++key,
            protocol: 6,
            began: now,
            packetsOut: 0,
            bytesOut: 0,
            packetsIn: 0,
            bytesIn: 0,
            state,
          }
          if (kind === 'packets') {
            sent += packets
            open.set(which, { ...one, state, packetsOut: one.packetsOut + packets })
          } else if (kind === 'end') {
            take(ledger.ended({ ...one, ended: now }, now))
            open.delete(which)
          } else look(kind === 'change')
          if (kind === 'change') ledger.change(parts, now)
        }
        look(true)
        assert.equal(reported, sent)
      }),
    )
  })
})
