import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Frame, FrameReader, SocketFault, writeClose, writeFrame } from './websocket-frames.ts'

/** Numbers from 0 to `below` that repeat from run to run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 8) % below
  }
}

/** The same as a client sends it: with a mask. */
function masked(bytes: Buffer, mask: readonly number[]): Buffer {
  const short = (bytes[1] ?? 0) & 0x7f
  const headerBytes = short === 127 ? 10 : short === 126 ? 4 : 2
  const head = Buffer.from(bytes.subarray(0, headerBytes))
  head.writeUInt8(head.readUInt8(1) | 0x80, 1)
  const payload = bytes.subarray(headerBytes).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.concat([head, Buffer.from(mask), payload])
}

const shown = ({ opcode, isFinal, payload }: Frame): string => `${opcode} ${isFinal} ${payload.toString('hex')}`

describe('frames', () => {
  it('are read as they were written, however the bytes arrive', () => {
    const random = createRandom(7)
    const sent: string[] = []
    const parts: Buffer[] = []
    for (const length of [0, 1, 125, 126, 127, 300, 65_535, 65_536]) {
      const payload = Buffer.from(Array.from({ length }, () => random(256)))
      const opcode = length <= 125 ? 9 : 1
      sent.push(shown({ opcode, isFinal: true, payload }))
      parts.push(masked(writeFrame(opcode, payload), [random(256), random(256), random(256), random(256)]))
    }
    const bytes = Buffer.concat(parts)
    for (let round = 0; round < 20; round++) {
      const reader = new FrameReader(65_536)
      const got: string[] = []
      for (let at = 0; at < bytes.length; ) {
        const next = at + 1 + random(round === 0 ? bytes.length : 4_000)
        for (const frame of reader.read(bytes.subarray(at, next))) got.push(shown(frame))
        at = next
      }
      assert.deepEqual(got, sent)
    }
  })

  it('of any bytes are frames or a fault, never longer than allowed', () => {
    const random = createRandom(11)
    for (let round = 0; round < 50_000; round++) {
      const bytes = Buffer.from(Array.from({ length: 1 + random(40) }, () => random(256)))
      // Half of them begin like a frame, so that more than the first byte is looked at.
      if (random(2) === 0) bytes[0] = 0x81
      if (random(2) === 0 && bytes.length > 1) bytes[1] = 0x80 | random(128)
      try {
        for (const { payload } of new FrameReader(16).read(bytes)) assert.ok(payload.length <= 16)
      } catch (error) {
        assert.ok(error instanceof SocketFault, String(error))
        assert.ok([1002, 1009].includes(error.code))
      }
    }
  })

  it('of a close carry the code and the reason', () => {
    assert.equal(writeClose(1008, 'No.').toString('hex'), '880503f04e6f2e')
  })
})
