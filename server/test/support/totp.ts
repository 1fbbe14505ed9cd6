// One-time codes as an authenticator application makes them (RFC 6238: SHA-1, six digits, 30 seconds).

import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** `later` steps from now; the secret in base32, as it is shown to people. */
export function codeOf(secret: string, later = 0): string {
  const letters = secret.replaceAll(/[\s=]/g, '').toUpperCase()
  const bits = [...letters].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
  const digest = createHmac('sha1', key).update(counter).digest()
  const value = digest.readUInt32BE((digest.at(-1) ?? 0) & 0x0f) & 0x7fff_ffff
  return String(value % 1_000_000).padStart(6, '0')
}
