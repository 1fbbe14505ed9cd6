// Messages of the kernel about connections: what they say is read, and what goes through the web proxy is there once.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, nested } from '../../shared/netlink.ts'
import { parseTracked } from './tracked.ts'

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const port = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

const tuple = (type: number, [from, to]: readonly number[], [fromPort, toPort]: readonly number[]): Buffer =>
  nested(
    type,
    nested(1, attribute(1, number(from ?? 0)), attribute(2, number(to ?? 0))),
    nested(2, attribute(1, Buffer.from([6])), attribute(2, port(fromPort ?? 0)), attribute(3, port(toPort ?? 0))),
  )

const [client, server, uplink] = [0x0a0a_0002, 0xc633_641e, 0xcb00_7102] as const
const message = (...more: readonly Buffer[]): Buffer =>
  Buffer.concat([tuple(1, [client, server], [40_000, 443]), tuple(2, [server, uplink], [443, 40_000]), ...more])
const withMark = (mark: number) => parseTracked(message(attribute(8, number(mark)), attribute(12, number(7))))

describe('messages of the kernel about connections', () => {
  it('have both ends, and what each took the other for', () => {
    const { source, destination, calledAs, seenAs, sourcePort, destinationPort } = parseTracked(message()) ?? {}
    assert.deepEqual([source, destination, calledAs, seenAs], [client, server, server, uplink])
    assert.deepEqual([sourcePort, destinationPort], [40_000, 443])
  })

  it('tell of what goes through the web proxy once: between proxy and server', () => {
    for (const mark of [0, 1, 4, 5]) assert.equal(withMark(mark)?.source, client, `${mark}`)
    for (const mark of [2, 3]) assert.equal(withMark(mark), null, `${mark}`)
  })

  it('are left out when they are not whole', () => {
    assert.equal(parseTracked(Buffer.alloc(0)), null)
    assert.equal(parseTracked(tuple(1, [client, server], [1, 2])), null)
  })
})
