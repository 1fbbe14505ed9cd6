// Flows as packets of NetFlow 5 and 9 (RFC 3954) and IPFIX (RFC 7011), with the template of docs/behaviour/monitor.md 3. Pure:
// the time comes with each call. Templates go out by the number of packets and by time.

import type { Flow } from './flow.ts'

export type FlowVersion = 5 | 9 | 10

export interface EncoderSettings {
  readonly version: FlowVersion
  /** Null with version 5, which has no templates. */
  readonly templatePackets: number | null
  readonly templateSeconds: number | null
}

/** The moment of a packet: Unix time, and how long the machine has been up. */
export interface Moment {
  readonly unixMs: number
  readonly upMs: number
}

/** What fits into one Ethernet frame beside the headers of IP and UDP. */
const maxPacket = 1500 - 28

const templateId = 256
const optionsId = 257

/** Number and size of each field; the order is that of the record. */
export const templateFields = [
  8, 4, 12, 4, 10, 2, 14, 2, 1, 8, 2, 8, 22, 4, 21, 4, 7, 2, 11, 2, 6, 1, 4, 1, 9, 1, 13, 1,
] as const

const recordBytes = 44
/** Of the one set with records. */
const setHeadBytes = 4

const headBytes = { 5: 24, 9: 20, 10: 16 } as const
const oldRecordBytes = 48
const oldRecordsAtMost = 30

/** Counters of version 5 have 32 bits: a larger flow becomes several, so that the sum is exact. */
const oldMost = 0xffff_ffff

const templateBody = (): Buffer => {
  const count = templateFields.length / 2
  const body = Buffer.alloc(4 + templateFields.length * 2)
  body.writeUInt16BE(templateId, 0)
  body.writeUInt16BE(count, 2)
  for (const [index, value] of templateFields.entries()) body.writeUInt16BE(value, 4 + index * 2)
  return body
}

const set = (id: number, body: Buffer): Buffer => {
  const padding = (4 - (body.length % 4)) % 4
  const head = Buffer.alloc(setHeadBytes)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(setHeadBytes + body.length + padding, 2)
  return Buffer.concat([head, body, Buffer.alloc(padding)])
}

/** IPFIX has no uptime in its header, so collectors learn by an option when the machine started (RFC 5102, element 160). */
const optionsTemplate = (): Buffer => {
  const body = Buffer.alloc(14)
  for (const [index, value] of [optionsId, 2, 1, 149, 4, 160, 8].entries()) body.writeUInt16BE(value, index * 2)
  return set(3, body)
}

function optionsRecord({ unixMs, upMs }: Moment): Buffer {
  const body = Buffer.alloc(12)
  body.writeBigUInt64BE(BigInt(Math.round(unixMs - upMs)), 4)
  return set(optionsId, body)
}

/** Packets in the order in which they must be sent; a packet under way leaves with `flush`. */
export function createEncoder({ version, templatePackets, templateSeconds }: EncoderSettings) {
  const hasTemplates = version !== 5
  let records: Flow[] = []
  /** Packets of version 9, flows of 5 and 10. */
  let sequence = 0
  let packetsSinceTemplate = Number.POSITIVE_INFINITY
  let templateAt = Number.NEGATIVE_INFINITY

  const isTemplateDue = (now: Moment): boolean =>
    hasTemplates &&
    (packetsSinceTemplate >= (templatePackets ?? 1) || now.upMs - templateAt >= (templateSeconds ?? 1) * 1000)

  function templates(now: Moment): Buffer[] {
    packetsSinceTemplate = 0
    templateAt = now.upMs
    return version === 9 ? [set(0, templateBody())] : [set(2, templateBody()), optionsTemplate(), optionsRecord(now)]
  }

  /** Room is always left for a template. */
  const most =
    version === 5
      ? oldRecordsAtMost
      : Math.floor((maxPacket - headBytes[version] - 68 - 18 - 2 - 16 - setHeadBytes) / recordBytes)

  function finish(now: Moment): Buffer {
    const flows = records
    records = []
    const sets = isTemplateDue(now) ? templates(now) : []
    const before = sets.length
    if (flows.length > 0) sets.push(version === 5 ? oldRecords(flows, now) : set(templateId, newRecords(flows, now)))
    packetsSinceTemplate += 1
    const body = Buffer.concat(sets)
    const head = Buffer.alloc(headBytes[version])
    head.writeUInt16BE(version, 0)
    const seconds = Math.floor(now.unixMs / 1000)
    if (version === 10) {
      head.writeUInt16BE(head.length + body.length, 2)
      head.writeUInt32BE(seconds >>> 0, 4)
      head.writeUInt32BE(sequence, 8)
      // The one option record counts too (RFC 7011, section 3.1).
      sequence = (sequence + flows.length + (before > 0 ? 1 : 0)) >>> 0
    } else {
      // Version 9 counts the records of every set, templates among them.
      head.writeUInt16BE(flows.length + (version === 9 ? before : 0), 2)
      head.writeUInt32BE(uptime(now.upMs), 4)
      head.writeUInt32BE(seconds >>> 0, 8)
      if (version === 5) head.writeUInt32BE(Math.floor((now.unixMs % 1000) * 1e6), 12)
      head.writeUInt32BE(sequence, version === 5 ? 16 : 12)
      sequence = (sequence + (version === 5 ? flows.length : 1)) >>> 0
    }
    return Buffer.concat([head, body])
  }

  return {
    /** The packets that became full. */
    add(flow: Flow, now: Moment): Buffer[] {
      const full: Buffer[] = []
      for (const part of version === 5 ? parts(flow) : [flow]) {
        records.push(part)
        if (records.length >= most) full.push(finish(now))
      }
      return full
    },
    /** What waits, and a template that is due although nothing waits. */
    flush: (now: Moment): Buffer[] => (records.length > 0 || isTemplateDue(now) ? [finish(now)] : []),
    /** Flows that wait for their packet to become full. */
    get waiting(): number {
      return records.length
    },
  }
}

function parts(flow: Flow): Flow[] {
  const found: Flow[] = []
  let { packets, bytes } = flow
  while (packets > oldMost || bytes > oldMost) {
    const count = Math.ceil(Math.max(packets, bytes) / oldMost)
    const part = { packets: Math.floor(packets / count), bytes: Math.floor(bytes / count) }
    packets -= part.packets
    bytes -= part.bytes
    found.push({ ...flow, ...part })
  }
  return [...found, { ...flow, packets, bytes }]
}

/** It starts again at zero after 49 days. */
const uptime = (upMs: number): number => Math.floor(upMs) % 2 ** 32

/** When something was, on the clock of the uptime; nothing was before the start or is later than now. */
const switched = (unixMs: number, now: Moment): number =>
  uptime(Math.min(now.upMs, Math.max(0, now.upMs - (now.unixMs - unixMs))))

function newRecords(flows: readonly Flow[], now: Moment): Buffer {
  const body = Buffer.alloc(flows.length * recordBytes)
  let at = 0
  for (const flow of flows) {
    body.writeUInt32BE(flow.source, at)
    body.writeUInt32BE(flow.destination, at + 4)
    body.writeUInt16BE(flow.input, at + 8)
    body.writeUInt16BE(flow.output, at + 10)
    body.writeBigUInt64BE(BigInt(flow.bytes), at + 12)
    body.writeBigUInt64BE(BigInt(flow.packets), at + 20)
    body.writeUInt32BE(switched(flow.first, now), at + 28)
    body.writeUInt32BE(switched(flow.last, now), at + 32)
    body.writeUInt16BE(flow.sourcePort, at + 36)
    body.writeUInt16BE(flow.destinationPort, at + 38)
    body[at + 40] = flow.tcpFlags
    body[at + 41] = flow.protocol
    body[at + 42] = flow.sourcePrefix
    body[at + 43] = flow.destinationPrefix
    at += recordBytes
  }
  return body
}

function oldRecords(flows: readonly Flow[], now: Moment): Buffer {
  const body = Buffer.alloc(flows.length * oldRecordBytes)
  let at = 0
  for (const flow of flows) {
    body.writeUInt32BE(flow.source, at)
    body.writeUInt32BE(flow.destination, at + 4)
    body.writeUInt16BE(flow.input, at + 12)
    body.writeUInt16BE(flow.output, at + 14)
    body.writeUInt32BE(flow.packets, at + 16)
    body.writeUInt32BE(flow.bytes, at + 20)
    body.writeUInt32BE(switched(flow.first, now), at + 24)
    body.writeUInt32BE(switched(flow.last, now), at + 28)
    body.writeUInt16BE(flow.sourcePort, at + 32)
    body.writeUInt16BE(flow.destinationPort, at + 34)
    body[at + 37] = flow.tcpFlags
    body[at + 38] = flow.protocol
    body[at + 44] = flow.sourcePrefix
    body[at + 45] = flow.destinationPrefix
    at += oldRecordBytes
  }
  return body
}
