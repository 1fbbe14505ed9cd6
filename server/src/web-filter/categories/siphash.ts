// SipHash over bytes, in pairs of 32-bit numbers. A keyed hash: who writes a list does not know the key of an index, so no
// list can be made whose entries share a hash with names of others. One hasher keeps its state, so a call allocates nothing.

/** Two 64-bit words, as they are in a file: low half first. */
export const keyBytes = 16

interface Rounds {
  readonly perWord: number
  readonly atEnd: number
}

/** SipHash-1-3, what hash tables of several language runtimes use; the rounds of a message code are not needed here. */
const forTables: Rounds = { perWord: 1, atEnd: 3 }

export class SipHash {
  readonly #k: Int32Array
  readonly #rounds: Rounds
  /** v0 to v3, each as low and high half. */
  #v0 = 0
  #w0 = 0
  #v1 = 0
  #w1 = 0
  #v2 = 0
  #w2 = 0
  #v3 = 0
  #w3 = 0
  /** Of the last call, as numbers from 0. */
  high = 0
  low = 0

  constructor(key: Uint8Array, rounds: Rounds = forTables) {
    if (key.length !== keyBytes) throw new Error('the key of a hash has 16 bytes')
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    this.#k = Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at, true))
    this.#rounds = rounds
  }

  /** Hashes the bytes from `begin` to before `end`; the result is in `high` and `low`. */
  run(bytes: Uint8Array, begin: number, end: number): void {
    const [k0 = 0, h0 = 0, k1 = 0, h1 = 0] = this.#k
    this.#v0 = k0 ^ 0x70736575
    this.#w0 = h0 ^ 0x736f6d65
    this.#v1 = k1 ^ 0x6e646f6d
    this.#w1 = h1 ^ 0x646f7261
    this.#v2 = k0 ^ 0x6e657261
    this.#w2 = h0 ^ 0x6c796765
    this.#v3 = k1 ^ 0x79746573
    this.#w3 = h1 ^ 0x74656462
    const length = end - begin
    const whole = end - (length % 8)
    for (let at = begin; at < whole; at += 8) this.#take(wordAt(bytes, at), wordAt(bytes, at + 4))
    let low = 0
    let high = (length & 0xff) << 24
    for (let at = whole; at < end; at++) {
      const shift = (at - whole) * 8
      if (shift < 32) low |= (bytes[at] as number) << shift
      else high |= (bytes[at] as number) << (shift - 32)
    }
    this.#take(low, high)
    this.#v2 ^= 0xff
    this.#mix(this.#rounds.atEnd)
    this.low = (this.#v0 ^ this.#v1 ^ this.#v2 ^ this.#v3) >>> 0
    this.high = (this.#w0 ^ this.#w1 ^ this.#w2 ^ this.#w3) >>> 0
  }

  #take(low: number, high: number): void {
    this.#v3 ^= low
    this.#w3 ^= high
    this.#mix(this.#rounds.perWord)
    this.#v0 ^= low
    this.#w0 ^= high
  }

  /** The rounds of the paper; a sum of low halves carries when it is smaller than a part of it. */
  #mix(rounds: number): void {
    let v0 = this.#v0
    let w0 = this.#w0
    let v1 = this.#v1
    let w1 = this.#w1
    let v2 = this.#v2
    let w2 = this.#w2
    let v3 = this.#v3
    let w3 = this.#w3
    for (let round = 0; round < rounds; round++) {
      let sum = (v0 + v1) | 0
      w0 = (w0 + w1 + (sum >>> 0 < v0 >>> 0 ? 1 : 0)) | 0
      v0 = sum
      let turned = (v1 << 13) | (w1 >>> 19)
      w1 = ((w1 << 13) | (v1 >>> 19)) ^ w0
      v1 = turned ^ v0
      turned = v0
      v0 = w0
      w0 = turned

      sum = (v2 + v3) | 0
      w2 = (w2 + w3 + (sum >>> 0 < v2 >>> 0 ? 1 : 0)) | 0
      v2 = sum
      turned = (v3 << 16) | (w3 >>> 16)
      w3 = ((w3 << 16) | (v3 >>> 16)) ^ w2
      v3 = turned ^ v2

      sum = (v0 + v3) | 0
      w0 = (w0 + w3 + (sum >>> 0 < v0 >>> 0 ? 1 : 0)) | 0
      v0 = sum
      turned = (v3 << 21) | (w3 >>> 11)
      w3 = ((w3 << 21) | (v3 >>> 11)) ^ w0
      v3 = turned ^ v0

      sum = (v2 + v1) | 0
      w2 = (w2 + w1 + (sum >>> 0 < v2 >>> 0 ? 1 : 0)) | 0
      v2 = sum
      turned = (v1 << 17) | (w1 >>> 15)
      w1 = ((w1 << 17) | (v1 >>> 15)) ^ w2
      v1 = turned ^ v2
      turned = v2
      v2 = w2
      w2 = turned
    }
    this.#v0 = v0
    this.#w0 = w0
    this.#v1 = v1
    this.#w1 = w1
    this.#v2 = v2
    this.#w2 = w2
    this.#v3 = v3
    this.#w3 = w3
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)
