// The form of a backup file: a line that names the format, a line of JSON that anyone may read, and a compressed tar
// archive sealed with AES-256-GCM under a key made from the recovery key. The readable lines are authenticated too, so
// nothing of a file can be altered without notice. What the archive holds is up to the backup area.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Entries, readTar, TarError, writeTar } from './tar.ts'

/** The release that made a backup (seed, "Backup record"). */
export interface Release {
  readonly major: number
  readonly minor: number
  readonly build: number
  readonly timestamp: number
  readonly vendor: string
  readonly product: 'UTM' | 'CC'
  readonly kind: 'FSTEK' | 'VPP' | 'STANDARD' | 'BPF'
  readonly release_type: 'release' | 'beta' | 'devel'
}

/** What can be read without the key. */
export interface ArchiveInfo {
  readonly version: Release
  /** Unix seconds, with fractions. */
  readonly timestamp: number
  readonly comment: string
}

interface Header extends ArchiveInfo {
  /** Which recovery key opens it. */
  readonly key_id: string
  readonly salt: string
  readonly nonce: string
}

const magic = Buffer.from('PORTCULLIS-BACKUP 1\n')
const maxHeader = 16_384
const tagLength = 16
const maxUnpacked = 1024 * 1024 * 1024
const maxRatio = 200
/** Below this a ratio says nothing: padding alone packs a thousandfold. */
const neverTooLarge = 16 * 1024 * 1024

/** A file that is no backup, or one that does not open; the message completes "The backup ...". */
export class ArchiveError extends Error {}

export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('key id ').update(key).digest('hex').slice(0, 16)

const fileKey = (key: Buffer, salt: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, salt, 'backup file', 32))

export async function sealArchive(info: ArchiveInfo, entries: Entries, key: Buffer): Promise<Buffer> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const header: Header = {
    ...info,
    key_id: keyIdOf(key),
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
  }
  const opening = Buffer.concat([magic, Buffer.from(`${JSON.stringify(header)}\n`)])
  const packed = await promisify(gzip)(writeTar(entries, Math.floor(info.timestamp)))
  const cipher = createCipheriv('aes-256-gcm', fileKey(key, salt), nonce)
  cipher.setAAD(opening)
  return Buffer.concat([opening, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
}

export interface OpenedArchive {
  readonly info: ArchiveInfo
  readonly entries: Entries
}

/** `keyOf` gives the recovery key with that id, or null. */
export async function openArchive(bytes: Buffer, keyOf: (id: string) => Buffer | null): Promise<OpenedArchive> {
  const { header, bodyAt } = readOpening(bytes)
  const key = keyOf(header.key_id)
  if (!key)
    throw new ArchiveError('is sealed with a recovery key that this gateway does not know; enter that key first')
  const packed = decrypt(bytes, bodyAt, header, key)
  const { version, timestamp, comment } = header
  return { info: { version, timestamp, comment }, entries: await unpack(packed) }
}

function decrypt(bytes: Buffer, bodyAt: number, header: Header, key: Buffer): Buffer {
  const body = bytes.subarray(bodyAt)
  try {
    const nonce = Buffer.from(header.nonce, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', fileKey(key, Buffer.from(header.salt, 'base64url')), nonce)
    decipher.setAAD(bytes.subarray(0, bodyAt))
    decipher.setAuthTag(body.subarray(-tagLength))
    return Buffer.concat([decipher.update(body.subarray(0, -tagLength)), decipher.final()])
  } catch {
    throw new ArchiveError('was altered or is incomplete')
  }
}

async function unpack(packed: Buffer): Promise<Entries> {
  try {
    const maxOutputLength = Math.min(maxUnpacked, Math.max(packed.length * maxRatio, neverTooLarge))
    return readTar(await promisify(gunzip)(packed, { maxOutputLength }))
  } catch (error) {
    throw new ArchiveError(`holds an archive that is refused: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TarError) return error.message
  return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    ? 'it is too large when unpacked'
    : 'it is damaged'
}

interface Opening {
  readonly header: Header
  readonly bodyAt: number
}

function readOpening(bytes: Buffer): Opening {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw new ArchiveError('is not one of this product')
  const end = bytes.subarray(0, maxHeader).indexOf('\n', magic.length)
  if (end < 0 || bytes.length < end + 1 + tagLength) throw new ArchiveError('was altered or is incomplete')
  const header = parseHeader(bytes.toString('utf8', magic.length, end))
  if (!header) throw new ArchiveError('was altered or is incomplete')
  return { header, bodyAt: end + 1 }
}

function parseHeader(text: string): Header | null {
  try {
    const header = JSON.parse(text) as Header | null
    return typeof header?.key_id === 'string' ? header : null
  } catch {
    return null
  }
}

/** For files of our own folder that came without their record. Null when it cannot be one. */
export function readInfo(bytes: Buffer): ArchiveInfo | null {
  try {
    const { version, timestamp, comment } = readOpening(bytes).header
    return { version, timestamp, comment }
  } catch {
    return null
  }
}
