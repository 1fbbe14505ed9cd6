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
  readonly #perWord: number
  readonly #atEnd: number
  /** Of the last call, as numbers from 0. */
  high = 0
  low = 0

  constructor(key: Uint8Array, { perWord, atEnd }: Rounds = forTables) {
    if (key.length !== keyBytes) throw new Error('the key of a hash has 16 bytes')
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    this.#k = Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at, true))
    this.#perWord = perWord
    this.#atEnd = atEnd
  }

  /**
   * Hashes the bytes from `begin` to before `end`; the result is in `high` and `low`. All in one function with local numbers,
   * v0 to v3 being the low halves and w0 to w3 the high ones: kept in fields it takes twice as long.
   */
  run(bytes: Uint8Array, begin: number, end: number): void {
    const k = this.#k
    let v0 = (k[0] as number) ^ 0x70736575
    let w0 = (k[1] as number) ^ 0x736f6d65
    let v1 = (k[2] as number) ^ 0x6e646f6d
    let w1 = (k[3] as number) ^ 0x646f7261
    let v2 = (k[0] as number) ^ 0x6e657261
    let w2 = (k[1] as number) ^ 0x6c796765
    let v3 = (k[2] as number) ^ 0x79746573
    let w3 = (k[3] as number) ^ 0x74656462
    const length = end - begin
    const whole = end - (length & 7)
    // After the words comes the last one with the length, after that the end.
    for (let at = begin; at <= whole + 8; at += 8) {
      let low = 0
      let high = 0
      let rounds = this.#perWord
      if (at < whole) {
        low = wordAt(bytes, at)
        high = wordAt(bytes, at + 4)
      } else if (at === whole) {
        high = (length & 0xff) << 24
        for (let byte = whole, shift = 0; byte < end; byte++, shift += 8) {
          if (shift < 32) low |= (bytes[byte] as number) << shift
          else high |= (bytes[byte] as number) << (shift - 32)
        }
      } else {
        v2 ^= 0xff
        rounds = this.#atEnd
      }
      v3 ^= low
      w3 ^= high
      // The rounds of the paper; a sum of low halves carries when it is smaller than a part of it.
      for (; rounds > 0; rounds--) {
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
      v0 ^= low
      w0 ^= high
    }
    this.low = (v0 ^ v1 ^ v2 ^ v3) >>> 0
    this.high = (w0 ^ w1 ^ w2 ^ w3) >>> 0
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)
