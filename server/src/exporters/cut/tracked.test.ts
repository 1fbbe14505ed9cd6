// What the kernel holds is told apart from what ended and from what it refuses. Real connections are in applyd/live/cut.test.ts.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cutConnections } from './tracked.ts'

/** An attribute of netlink; `isNested` has the flag that the kernel sets. */
function attribute(type: number, value: Buffer, isNested = false): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(4 + value.length, 0)
  head.writeUInt16LE(isNested ? type | 0x8000 : type, 2)
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

function message(type: number, sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(16 + body.length, 0)
  head.writeUInt16LE(type, 4)
  head.writeUInt32LE(sequence, 8)
  return Buffer.concat([head, body])
}

const ends = (port: number): Buffer =>
  Buffer.concat([
    attribute(
      1,
      Buffer.concat([attribute(1, Buffer.from([10, 0, 0, 1])), attribute(2, Buffer.from([10, 0, 0, 2]))]),
      true,
    ),
    attribute(
      2,
      Buffer.concat([attribute(1, Buffer.from([6])), attribute(2, Buffer.from([port >> 8, port & 255]))]),
      true,
    ),
  ])
const entry = (sequence: number, port: number): Buffer =>
  message(0x100, sequence, Buffer.concat([Buffer.from([2, 0, 0, 0]), attribute(1, ends(port), true)]))
const done = (sequence: number): Buffer => message(3, sequence, Buffer.alloc(4))
function refusal(sequence: number, code: number): Buffer {
  const body = Buffer.alloc(20)
  body.writeInt32LE(code, 0)
  return message(2, sequence, body)
}

/** Two questions about one host find a connection each; the removals are answered with these codes. */
function cutWith(codes: readonly number[]) {
  const answers = [
    Buffer.concat([entry(1, 1001), done(1)]),
    Buffer.concat([entry(2, 1002), done(2)]),
    Buffer.concat(codes.map((code, at) => refusal(3 + at, code))),
  ]
  const receive = (): Buffer => answers.shift() ?? assert.fail('nothing is left to read')
  return cutConnections({ send: () => {}, receive }, [[{ host: '10.0.0.1' }]])
}

it('counts what ended, and what the kernel holds in a flowtable', () => {
  assert.deepEqual(cutWith([0, 0]), { counts: [2], held: [0] })
  assert.deepEqual(cutWith([0, -16]), { counts: [1], held: [1] })
  assert.deepEqual(cutWith([-2, -16]), { counts: [0], held: [1] })
  assert.throws(() => cutWith([0, -1]), /does not end them \(error 1\)/)
})
