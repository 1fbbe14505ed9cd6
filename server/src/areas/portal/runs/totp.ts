// One-time codes by time (RFC 6238 with SHA-1, six digits and 30 seconds): what every authenticator app supports. Pure but for
// the random secret.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
const digits = 6
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20
/** Clocks may be one step apart. */
const drift = [0, -1, 1] as const

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648), as apps take it. */
export const createSecret = (): string => encodeBase32(randomBytes(secretBytes))

export function encodeBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '').join('')
}

export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const whole = bits.slice(0, bits.length - (bits.length % 8))
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0x0f
  const value = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  return String(value).padStart(digits, '0')
}

/** The steps whose code this is, the present one first; none when it is wrong. Two steps can have the same code. */
export function stepsOf(secret: string, code: string, unixSeconds: number): number[] {
  const now = Math.floor(unixSeconds / stepSeconds)
  const given = Buffer.from(code)
  return drift
    .map((offset) => now + offset)
    .filter((step) => {
      const right = Buffer.from(codeAt(secret, Math.max(0, step)))
      return right.length === given.length && timingSafeEqual(right, given)
    })
}

/** What the QR code says. Both names are shown by the app; neither can add a parameter. */
export function enrolmentUri(secret: string, issuer: string, login: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`
  return `otpauth://totp/${label}?${query}`
}
