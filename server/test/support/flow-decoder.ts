// Takes packets of NetFlow 5, 9 and IPFIX apart, as a collector does: by the templates in them. Written from RFC 3954, RFC 7011 and
// the layout of version 5, for tests of the exporter.

import assert from 'node:assert/strict'

export interface DecodedFlow {
  readonly source: string
  readonly destination: string
  readonly sourcePort: number
  readonly destinationPort: number
  readonly protocol: number
  readonly input: number
  readonly output: number
  readonly sourcePrefix: number
  readonly destinationPrefix: number
  readonly packets: bigint
  readonly bytes: bigint
  readonly tcpFlags: number
  /** Unix milliseconds. */
  readonly first: number
  readonly last: number
}

export interface Decoded {
  readonly versions: readonly number[]
  readonly flows: readonly DecodedFlow[]
  /** `number/bytes` of each field. */
  readonly templates: readonly (readonly string[])[]
  /** How often the sequence numbers did not go on. */
  readonly gaps: number
}

type Template = readonly { readonly id: number; readonly size: number }[]

export function decode(packets: readonly Buffer[]): Decoded {
  const flows: DecodedFlow[] = []
  const templates: string[][] = []
  const known = new Map<number, Template>()
  let bootMs = 0
  let gaps = 0
  let expected: number | null = null
  for (const packet of packets) {
    const version = packet.readUInt16BE(0)
    const before = flows.length
    if (version === 5) {
      const count = packet.readUInt16BE(2)
      assert.equal(packet.length, 24 + 48 * count)
      bootMs = packet.readUInt32BE(8) * 1000 + packet.readUInt32BE(12) / 1e6 - packet.readUInt32BE(4)
      for (let at = 24; at < packet.length; at += 48) flows.push(oldFlow(packet, at, bootMs))
      if (expected !== null && packet.readUInt32BE(16) !== expected) gaps++
      expected = packet.readUInt32BE(16) + count
      continue
    }
    if (version === 10) assert.equal(packet.readUInt16BE(2), packet.length)
    // The header of version 9 has whole seconds only, so the test reads the rest from its own clock.
    else bootMs = packet.readUInt32BE(8) * 1000 + 500 - packet.readUInt32BE(4)
    let options = 0
    let records = 0
    for (let at = version === 9 ? 20 : 16; at < packet.length; ) {
      const [id, length] = [packet.readUInt16BE(at), packet.readUInt16BE(at + 2)]
      assert.ok(length >= 4 && at + length <= packet.length && length % 4 === 0, `set of ${length} bytes`)
      const body = packet.subarray(at + 4, at + length)
      at += length
      if (id === (version === 9 ? 0 : 2)) {
        templates.push(learn(body, 4, body.readUInt16BE(2), known).map((field) => `${field.id}/${field.size}`))
        records++
      } else if (id === 3) learn(body, 6, body.readUInt16BE(2), known)
      else {
        const template = known.get(id)
        assert.ok(template, `no template ${id}`)
        const size = template.reduce((sum, field) => sum + field.size, 0)
        for (let from = 0; from + size <= body.length; from += size) {
          const fields = fieldsOf(body, from, template)
          const start = fields.get(160)
          if (start === undefined) flows.push(newFlow(fields, bootMs))
          else {
            bootMs = Number(start)
            options++
          }
          records++
        }
      }
    }
    const [sequence, step] =
      version === 9 ? [packet.readUInt32BE(12), 1] : [packet.readUInt32BE(8), flows.length - before + options]
    if (version === 9) assert.equal(packet.readUInt16BE(2), records)
    if (expected !== null && sequence !== expected) gaps++
    expected = sequence + step
  }
  return { versions: packets.map((packet) => packet.readUInt16BE(0)), flows, templates, gaps }
}

function learn(body: Buffer, from: number, count: number, known: Map<number, Template>): Template {
  const template = Array.from({ length: count }, (_, index) => ({
    id: body.readUInt16BE(from + index * 4),
    size: body.readUInt16BE(from + index * 4 + 2),
  }))
  known.set(body.readUInt16BE(0), template)
  return template
}

function fieldsOf(body: Buffer, from: number, template: Template): Map<number, bigint> {
  const fields = new Map<number, bigint>()
  let at = from
  for (const { id, size } of template) {
    fields.set(id, BigInt(`0x${body.toString('hex', at, at + size)}`))
    at += size
  }
  return fields
}

function newFlow(fields: ReadonlyMap<number, bigint>, bootMs: number): DecodedFlow {
  const number = (id: number): number => Number(fields.get(id))
  return {
    source: dotted(number(8)),
    destination: dotted(number(12)),
    sourcePort: number(7),
    destinationPort: number(11),
    protocol: number(4),
    input: number(10),
    output: number(14),
    sourcePrefix: number(9),
    destinationPrefix: number(13),
    packets: fields.get(2) ?? 0n,
    bytes: fields.get(1) ?? 0n,
    tcpFlags: number(6),
    first: bootMs + number(22),
    last: bootMs + number(21),
  }
}

function oldFlow(packet: Buffer, at: number, bootMs: number): DecodedFlow {
  const [short, long] = [(to: number) => packet.readUInt16BE(at + to), (to: number) => packet.readUInt32BE(at + to)]
  const byte = (to: number): number => packet.readUInt8(at + to)
  return {
    source: dotted(long(0)),
    destination: dotted(long(4)),
    sourcePort: short(32),
    destinationPort: short(34),
    protocol: byte(38),
    input: short(12),
    output: short(14),
    sourcePrefix: byte(44),
    destinationPrefix: byte(45),
    packets: BigInt(long(16)),
    bytes: BigInt(long(20)),
    tcpFlags: byte(37),
    first: bootMs + long(24),
    last: bootMs + long(28),
  }
}

const dotted = (value: number): string => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.')
