// The wire of one side of a lab: sends frames that were made by hand, and hears what comes back (frames.pl). On top of it a TCP that
// shakes hands and then says whatever it is told to, in any order.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import {
  type Ends,
  familyOf,
  flag,
  type IpFields,
  ipPacket,
  protocols,
  type Segment,
  segmentBytes,
} from './crafted-packets.ts'

export interface Door {
  readonly command: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

export interface Heard {
  readonly family: 4 | 6
  readonly protocol: number
  readonly payload: Buffer
}

export class FramePipe {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #head: { readonly own: string; readonly other: string }
  readonly #listeners = new Set<(heard: Heard) => void>()
  readonly ready: Promise<void>

  /** `own` and `other` are addresses of cards. */
  constructor({ command, env }: Door, device: string, own: string, other: string) {
    const [program = '', ...args] = [
      ...command,
      '/usr/bin/perl',
      join(appRoot, 'server/test/support/frames.pl'),
      device,
    ]
    this.#child = spawn(program, args, { env: env ?? process.env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#head = { own: own.replaceAll(':', ''), other: other.replaceAll(':', '') }
    this.ready = new Promise((resolve, reject) => {
      this.#child.once('close', () => reject(new Error('the frames end')))
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        if (line === 'ready') return resolve()
        const heard = read(Buffer.from(line, 'hex'))
        if (heard !== null) for (const listener of this.#listeners) listener(heard)
      })
    })
    this.ready.catch(() => {})
    this.#child.stdin.on('error', () => {})
  }

  /** In this order. */
  async send(packets: readonly Buffer[]): Promise<void> {
    const lines = packets.map((packet) => {
      const type = (packet[0] ?? 0) >>> 4 === 6 ? '86dd' : '0800'
      return `${this.#head.other}${this.#head.own}${type}${packet.toString('hex')}\n`
    })
    if (!this.#child.stdin.write(lines.join(''))) await once(this.#child.stdin, 'drain')
  }

  onHeard(listener: (heard: Heard) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async stop(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.stdin.end()
    await closed
  }
}

function read(frame: Buffer): Heard | null {
  const packet = frame.subarray(14)
  if (frame.readUInt16BE(12) === 0x86dd)
    return { family: 6, protocol: packet[6] ?? 0, payload: packet.subarray(40, 40 + packet.readUInt16BE(4)) }
  if (frame.readUInt16BE(12) !== 0x0800) return null
  const start = ((packet[0] ?? 0) & 15) * 4
  return { family: 4, protocol: packet[9] ?? 0, payload: packet.subarray(start, packet.readUInt16BE(2)) }
}

export type Said = Partial<Omit<Segment, 'sourcePort' | 'destinationPort' | 'sequence'>>

/** A client's end of a connection. Places are counted from the first byte that the client says. */
export class HandTcp {
  readonly ends: Ends
  readonly port: number
  readonly #to: number
  readonly #pipe: FramePipe
  readonly #first: number
  #acknowledged = 0
  /** Of the server, when both sides have them. */
  #stamp: number | null = null

  constructor(pipe: FramePipe, ends: Ends, port: number, to: number) {
    this.ends = ends
    this.port = port
    this.#to = to
    this.#pipe = pipe
    this.#first = 0x1000_0000 + port * 0x1000
  }

  /** Both bits of a time stamp option, for segments that have to have one. */
  stamp(value: number): readonly number[] {
    const bytes = (one: number): number[] => [one >>> 24, (one >>> 16) & 255, (one >>> 8) & 255, one & 255]
    return [1, 1, 8, 10, ...bytes(value), ...bytes(this.#stamp ?? 0)]
  }

  /** The bytes behind the header of IP. */
  at(place: number, data: Buffer | string, said: Said = {}): Buffer {
    return segmentBytes(this.ends, {
      sourcePort: this.port,
      destinationPort: this.#to,
      sequence: this.#first + 1 + place,
      acknowledged: this.#acknowledged,
      flags: flag.ack | flag.psh,
      data: Buffer.from(data as string, 'latin1'),
      ...said,
    })
  }

  packet(place: number, data: Buffer | string, said: Said = {}, fields: IpFields = {}): Buffer {
    return ipPacket(this.ends, protocols.tcp, this.at(place, data, said), fields)
  }

  /** A packet that seems to come from the server, at a place of what it says. */
  forged(place: number, data: string): Buffer {
    const ends = { source: this.ends.destination, destination: this.ends.source }
    const segment = segmentBytes(ends, {
      sourcePort: this.#to,
      destinationPort: this.port,
      sequence: this.#acknowledged + place,
      acknowledged: this.#first + 1,
      flags: flag.ack | flag.psh,
      data: Buffer.from(data),
    })
    return ipPacket(ends, protocols.tcp, segment)
  }

  /** Says that it has heard the server up to this place. */
  heard(place: number): Said {
    return { acknowledged: this.#acknowledged + place, flags: flag.ack }
  }

  /** False when the server does not answer in time. `said` and `fields` are of the first packet. */
  async open(said: Said = {}, fields: IpFields = {}): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const answered = this.#answer(1_000)
      await this.#pipe.send([
        this.packet(
          -1,
          said.data ?? '',
          { flags: flag.syn, acknowledged: 0, options: [2, 4, 5, 0xb4], ...said },
          fields,
        ),
      ])
      if (await answered) {
        await this.#pipe.send([this.packet(0, '', { flags: flag.ack, ...this.#stamped(said) })])
        return true
      }
    }
    return false
  }

  #stamped({ options = [] }: Said): Said {
    return options.includes(10) && this.#stamp !== null ? { options: this.stamp(1_001) } : {}
  }

  #answer(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isThere: boolean): void => {
        stop()
        clearTimeout(timer)
        resolve(isThere)
      }
      const timer = setTimeout(() => done(false), waitMs)
      const stop = this.#pipe.onHeard(({ family, protocol, payload }) => {
        const isOurs = family === familyOf(this.ends) && protocol === protocols.tcp && payload.length >= 20
        if (!isOurs || payload.readUInt16BE(0) !== this.#to || payload.readUInt16BE(2) !== this.port) return
        if (((payload[13] ?? 0) & (flag.syn | flag.ack)) !== (flag.syn | flag.ack)) return
        this.#acknowledged = (payload.readUInt32BE(4) + 1) >>> 0
        const at = payload.subarray(20, ((payload[12] ?? 0) >>> 4) * 4).indexOf(Buffer.from([8, 10]))
        if (at >= 0) this.#stamp = payload.readUInt32BE(20 + at + 2)
        done(true)
      })
    })
  }

  send(...packets: readonly Buffer[]): Promise<void> {
    return this.#pipe.send(packets)
  }
}

/** The card of a device, as `ip -j link` has it. */
export function cardIn(listing: string): string {
  const [{ address = '' } = {}] = JSON.parse(listing) as { address?: string }[]
  assert.match(address, /^[0-9a-f:]{17}$/)
  return address
}
