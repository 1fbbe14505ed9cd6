// Packets of all three versions, taken apart by a decoder that knows nothing of the encoder.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decode } from '../../../test/support/flow-decoder.ts'
import { createEncoder, type FlowVersion, type Moment } from './encoder.ts'
import type { Flow } from './flow.ts'

const now: Moment = { unixMs: 1_800_000_000_500, upMs: 3_600_000 }

const flow: Flow = {
  source: 0x0a000005,
  destination: 0xc6336414,
  sourcePort: 51_000,
  destinationPort: 443,
  protocol: 6,
  input: 11,
  output: 65_535,
  sourcePrefix: 24,
  destinationPrefix: 0,
  packets: 7,
  bytes: 4321,
  tcpFlags: 0x1b,
  first: now.unixMs - 10_000,
  last: now.unixMs - 250,
}

const shown = {
  source: '10.0.0.5',
  destination: '198.51.100.20',
  sourcePort: 51_000,
  destinationPort: 443,
  protocol: 6,
  input: 11,
  output: 65_535,
  sourcePrefix: 24,
  destinationPrefix: 0,
  packets: 7n,
  bytes: 4321n,
  tcpFlags: 0x1b,
  first: now.unixMs - 10_000,
  last: now.unixMs - 250,
}

const encoderOf = (version: FlowVersion, templatePackets = 20, templateSeconds = 1800) =>
  createEncoder({
    version,
    templatePackets: version === 5 ? null : templatePackets,
    templateSeconds: version === 5 ? null : templateSeconds,
  })

const many = (count: number): Flow[] => Array.from({ length: count }, (_, index) => ({ ...flow, sourcePort: index }))

for (const version of [5, 9, 10] as const)
  describe(`version ${version}`, () => {
    it('carries every field of a flow', () => {
      const encoder = encoderOf(version)
      assert.deepEqual(encoder.add(flow, now), [])
      const [packet, ...more] = encoder.flush(now)
      assert.deepEqual(more, [])
      const decoded = decode([packet ?? Buffer.alloc(0)])
      assert.deepEqual(decoded.flows, [shown])
      assert.deepEqual(decoded.versions, [version])
    })

    it('fits every packet into a frame and counts on without a gap', () => {
      const encoder = encoderOf(version, 10)
      const packets = many(1000).flatMap((one) => encoder.add(one, now))
      packets.push(...encoder.flush(now))
      for (const packet of packets) assert.ok(packet.length <= 1472, `${packet.length} bytes`)
      const decoded = decode(packets)
      assert.deepEqual(
        decoded.flows.map(({ sourcePort }) => sourcePort),
        many(1000).map(({ sourcePort }) => sourcePort),
      )
      assert.equal(decoded.gaps, 0)
    })

    it('sends nothing when there is nothing to send, but for a template that is due', () => {
      const encoder = encoderOf(version)
      assert.equal(encoder.flush(now).length, version === 5 ? 0 : 1)
      assert.deepEqual(encoder.flush(now), [])
      const later = { unixMs: now.unixMs + 1_800_000, upMs: now.upMs + 1_800_000 }
      assert.equal(encoder.flush(later).length, version === 5 ? 0 : 1)
    })
  })

describe('templates', () => {
  for (const version of [9, 10] as const) {
    it(`have exactly the fields of the interface in version ${version}`, () => {
      assert.deepEqual(decode(encoderOf(version).flush(now)).templates, [
        ['8/4', '12/4', '10/2', '14/2', '1/8', '2/8', '22/4', '21/4', '7/2', '11/2', '6/1', '4/1', '9/1', '13/1'],
      ])
    })

    it(`are repeated after so many packets in version ${version}`, () => {
      const encoder = encoderOf(version, 10)
      const packets = Array.from({ length: 25 }, () => {
        encoder.add(flow, now)
        return encoder.flush(now)
      })
      const templatesOf = (count: number): number => decode(packets.slice(0, count).flat()).templates.length
      assert.deepEqual([1, 10, 11, 20, 21, 25].map(templatesOf), [1, 1, 2, 2, 3, 3])
    })
  }
})

describe('large and odd values', () => {
  it('a flow that the counters of version 5 cannot hold becomes several with the same sum', () => {
    const encoder = encoderOf(5)
    const large = { ...flow, packets: 5, bytes: 10_000_000_000 }
    const { flows } = decode([...encoder.add(large, now), ...encoder.flush(now)])
    assert.ok(flows.length > 2)
    const sum = (field: 'packets' | 'bytes') => flows.reduce((total, one) => total + one[field], 0n)
    assert.deepEqual([sum('packets'), sum('bytes')], [5n, 10_000_000_000n])
  })

  it('a flow is never older than the machine or later than now', () => {
    const encoder = encoderOf(9)
    encoder.add({ ...flow, first: 0, last: now.unixMs + 99_999 }, now)
    const [one] = decode(encoder.flush(now)).flows
    assert.deepEqual([one?.first, one?.last], [now.unixMs - now.upMs, now.unixMs])
  })
})
