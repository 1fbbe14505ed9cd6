import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { jsonBytes, jsonBytesOfList, jsonBytesWithList, sendable } from './json-bytes.ts'

const parsed = ({ value }: { readonly value: Uint8Array }): unknown => JSON.parse(Buffer.from(value).toString())

it('values, lists and values with a list are written as JSON', () => {
  const items = [{ a: 'ä' }, { b: [1] }]
  assert.deepEqual(parsed(jsonBytes(items)), items)
  assert.deepEqual(parsed(jsonBytesOfList(items)), items)
  assert.deepEqual(parsed(jsonBytesOfList([])), [])
  assert.deepEqual(parsed(jsonBytesWithList({ id: 1 }, 'items', items)), { id: 1, items })
  assert.deepEqual(parsed(jsonBytesWithList({ id: 1 }, 'items', [])), { id: 1, items: [] })
})

it('short bytes are sent at once, long ones in pieces', async () => {
  assert.ok(Buffer.isBuffer(sendable(new Uint8Array(10))))
  const long = new Uint8Array(200_000).fill(7)
  const stream = sendable(long)
  assert.ok(stream instanceof Readable)
  const pieces: Buffer[] = await stream.toArray()
  assert.equal(pieces.length, 4)
  assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), long)
})
