// Whether a large frame has the form of a request, seen from its bytes. Rubbish of the largest size that is allowed, such as
// lists in lists or an object with millions of keys, would take gigabytes and minutes before a parser could refuse it.

import { Refusal } from '../../engines/kit/values.ts'

/** Of a smaller frame nothing can grow enough to matter. */
const smallBytes = 256 * 1024
/** A line of a part of a piece of a table is at 10, and no object has more than 8 keys. */
const deepest = 12
const mostKeys = 16
/** The pieces of a plan with four of them each, and its lines. */
const mostContainers = 1_000_000
const mostValues = 6_000_000

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Throws when it has not; whether it is JSON is for the parser to say. */
export function checkShape(bytes: Uint8Array): void {
  if (bytes.length <= smallBytes) return
  const keys = new Uint32Array(deepest + 1)
  let [depth, containers, values, isText] = [0, 0, 0, false]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === comma) values++
    else if (byte === openList || byte === openObject) {
      containers++
      depth++
      keys[depth] = 0
      if (depth > deepest || containers > mostContainers) throw new Refusal('A frame has too many parts in each other.')
    } else if (byte === closeList || byte === closeObject) {
      if (--depth < 0) throw new Refusal('A frame is not valid.')
    } else if (byte === colon) {
      const count = (keys[depth] ?? 0) + 1
      keys[depth] = count
      if (count > mostKeys) throw new Refusal('An object of a frame has too many keys.')
    }
  }
  if (values > mostValues) throw new Refusal('A frame has too many values.')
}
