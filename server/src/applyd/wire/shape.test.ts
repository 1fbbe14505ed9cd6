// Frames that are small enough for the socket, and take gigabytes and minutes to parse.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../engines/kit/values.ts'
import { checkShape } from './shape.ts'

const size = 1024 * 1024
const wrap = (inner: string): Buffer => Buffer.from(`{"id":1,"verb":"check","args":${inner}}`)

const hostile: Record<string, Buffer> = {
  'lists in lists': wrap('['.repeat(size) + ']'.repeat(size)),
  'objects in objects': wrap(`${'{"a":'.repeat(size)}0${'}'.repeat(size)}`),
  'lists without end': wrap('['.repeat(size)),
  'more empty objects than a plan has pieces': wrap(`[${'{},'.repeat(size)}{}]`),
  'an object of many keys': wrap(`{${Array.from({ length: size }, (_, at) => `"k${at}":0`).join()}}`),
  'more numbers than a plan has lines': wrap(`[${'1,'.repeat(6 * size)}1]`),
  'ends without a begin': Buffer.from(']'.repeat(size)),
  'lists after a text with quotes': wrap(`["a\\"[\\\\",${'['.repeat(size)}`),
}
for (const [what, bytes] of Object.entries(hostile))
  test(`${what} are refused before they are parsed`, () => assert.throws(() => checkShape(bytes), Refusal))

test('what a large plan has is not refused, whatever its texts contain', () => {
  const lines = Array.from({ length: 200_000 }, (_, at) => `{[{[${at}]}]} : , \\"" ${'['.repeat(20)}`)
  const pieces = Array.from({ length: 1_000 }, () => {
    return { kind: 'set', name: 's', head: '', parts: [{ lines: lines.slice(0, 200), hash: '' }], origin: '', hash: '' }
  })
  const plan = { revision: 1, artifacts: [{ kind: 'nft', name: 'inet portcullis', pieces }, { lines }] }
  checkShape(wrap(JSON.stringify({ number: 1, plan })))
})

test('a small frame is left to the parser', () => checkShape(wrap('['.repeat(1_000))))
