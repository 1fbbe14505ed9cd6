// The data section of a MaxMind database (format 2.0): finds a key of a map and reads texts and numbers at a place. It
// reads only what is asked for, never past the end, and gives up on a file made to cost endless work.

export interface Section {
  /** Place of the value under a key of the map at `place`; null when there is no map or no such key. */
  find(place: number, key: string): number | null
  /** Null when it is not a text. */
  readText(place: number): string | null
  /** Zero when it is not a number. */
  readNumber(place: number): number
}

const types = { extended: 0, pointer: 1, text: 2, uint16: 5, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 }
const pointerBases = [0, 2_048, 526_336, 0] as const
const mostSteps = 20_000_000
const deepest = 64

interface Head {
  readonly type: number
  /** Bytes of the value, entries of a map or array, or the target of a pointer. */
  readonly size: number
  readonly next: number
}

export function dataSection(bytes: Buffer, damaged: (what: string) => Error): Section {
  let steps = 0

  const byteAt = (place: number): number => {
    const byte = bytes[place]
    if (byte === undefined) throw damaged('its data are cut off')
    return byte
  }
  const bytesAt = (place: number, count: number): number => {
    let value = 0
    for (let at = place; at < place + count; at++) value = value * 256 + byteAt(at)
    return value
  }

  const headAt = (place: number): Head => {
    if (++steps > mostSteps) throw damaged('its data cost too much to read')
    const control = byteAt(place)
    const kind = control >>> 5
    const small = control & 31
    if (kind === types.pointer) {
      const length = small >>> 3
      const high = length === 3 ? 0 : (small & 7) * 256 ** (length + 1)
      const target = high + bytesAt(place + 1, length + 1) + (pointerBases[length] ?? 0)
      return { type: kind, size: target, next: place + 2 + length }
    }
    const type = kind === types.extended ? byteAt(place + 1) + 7 : kind
    const after = place + (kind === types.extended ? 2 : 1)
    if (small < 29) return { type, size: small, next: after }
    const extra = small - 28
    const base = [0, 29, 285, 65_821][extra] ?? 0
    return { type, size: base + bytesAt(after, extra), next: after + extra }
  }

  /** The value a pointer leads to; a pointer never leads to another one. */
  const resolve = (place: number): Head => {
    const head = headAt(place)
    return head.type === types.pointer ? headAt(head.size) : head
  }

  const skip = (place: number, depth = 0): number => {
    if (depth > deepest) throw damaged('its data are nested too deep')
    const { type, size, next } = headAt(place)
    if (type === types.pointer || type === types.boolean) return next
    if (type !== types.map && type !== types.array) return next + size
    let at = next
    for (let entry = 0; entry < (type === types.map ? size * 2 : size); entry++) at = skip(at, depth + 1)
    return at
  }

  const readText = (place: number): string | null => {
    const { type, size, next } = resolve(place)
    if (type !== types.text) return null
    if (next + size > bytes.length) throw damaged('its data are cut off')
    return bytes.toString('utf8', next, next + size)
  }

  return {
    readText,
    readNumber: (place) => {
      const { type, size, next } = resolve(place)
      const isNumber = type === types.uint16 || type === types.uint32 || type === types.uint64
      return isNumber && size <= 8 ? bytesAt(next, size) : 0
    },
    find: (place, key) => {
      const { type, size, next } = resolve(place)
      if (type !== types.map) return null
      let at = next
      for (let entry = 0; entry < size; entry++) {
        const value = skip(at)
        if (readText(at) === key) return value
        at = skip(value)
      }
      return null
    },
  }
}
