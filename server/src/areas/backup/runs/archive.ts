// The form of a backup file: a line that names the format, a line of JSON that anyone may read, a compressed tar archive
// sealed with AES-256-GCM under a key made from the recovery key, and the signature of the gateway that made it. The
// readable lines are authenticated too, so nothing of a file can be altered without notice. Files are read piece by piece:
// they may be large. What the archive holds is up to the backup area.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import { isSignedBy, type SigningKey, signatureLength } from './signing-key.ts'
import { type Entries, TarError, TarReader, writeTar } from './tar.ts'

/** The release that made a backup (docs/behaviour/backup.md 1). */
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
  /** Whose signature is at the end (signing-key.ts). */
  readonly signer: string
}

const magic = Buffer.from('PORTCULLIS-BACKUP 2\n')
/** At most so long are both lines together. */
export const maxHeader = 16_384
const tagLength = 16
const trailerLength = tagLength + signatureLength
const maxUnpacked = 1024 * 1024 * 1024
const maxRatio = 200
/** Below this a ratio says nothing: padding alone packs a thousandfold. */
const neverTooLarge = 16 * 1024 * 1024

/** A file that is not a backup, or one that does not open; the message completes "The backup ...". */
export class ArchiveError extends Error {}

const altered = (): ArchiveError => new ArchiveError('was altered or is incomplete')

export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('key id ').update(key).digest('hex').slice(0, 16)

const fileKey = (key: Buffer, salt: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, salt, 'backup file', 32))

/** What is signed: everything before the signature, by its hash, with a prefix used for nothing else. */
const signedMessage = (hash: Buffer): Buffer => Buffer.concat([Buffer.from('portcullis backup file\0'), hash])

export async function sealArchive(
  info: ArchiveInfo,
  entries: Entries,
  key: Buffer,
  signing: SigningKey,
): Promise<Buffer> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const header: Header = {
    ...info,
    key_id: keyIdOf(key),
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
    signer: signing.name,
  }
  const opening = Buffer.concat([magic, Buffer.from(`${JSON.stringify(header)}\n`)])
  const packed = await promisify(gzip)(writeTar(entries, Math.floor(info.timestamp)))
  const cipher = createCipheriv('aes-256-gcm', fileKey(key, salt), nonce)
  cipher.setAAD(opening)
  const sealed = Buffer.concat([opening, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([sealed, signing.sign(signedMessage(createHash('sha512').update(sealed).digest()))])
}

/** Which keys a gateway knows, and which of them are its own. */
export interface Trust {
  /** The recovery key with that id, or null. */
  find(id: string): Buffer | null
  readonly ownKeyId: string
  readonly ownSigner: string
}

export interface OpenedArchive {
  readonly info: ArchiveInfo
  readonly entries: Entries
  /** False for a backup of another gateway, whose recovery key was entered here. */
  readonly isOwn: boolean
}

/** With `keepsEntries` false everything is checked and nothing of the content kept. */
export async function openArchive(path: string, trust: Trust, keepsEntries = true): Promise<OpenedArchive> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const opening = openingOf(await readPart(file, 0, maxHeader))
    const header = headerOf(opening)
    if (size < opening.length + trailerLength) throw altered()
    const trailer = await readPart(file, size - trailerLength, trailerLength)
    const message = signedMessage(await hashOf(file, size - signatureLength))
    if (!isSignedBy(header.signer, message, trailer.subarray(tagLength))) throw altered()
    const decipher = decipherOf(header, trustedKey(header, trust), opening, trailer.subarray(0, tagLength))
    const packed = streamOf(file, opening.length, size - trailerLength)
    const entries = await unpack(packed, decipher, size, keepsEntries)
    return { info: infoOf(header), entries, isOwn: header.signer === trust.ownSigner }
  } finally {
    await file.close()
  }
}

/** The bytes from `start` up to, not including, `end`. */
function streamOf(file: FileHandle, start: number, end: number): Readable {
  return start < end ? file.createReadStream({ start, end: end - 1, autoClose: false }) : Readable.from([])
}

async function hashOf(file: FileHandle, end: number): Promise<Buffer> {
  const hash = createHash('sha512')
  for await (const chunk of streamOf(file, 0, end)) hash.update(chunk as Buffer)
  return hash.digest()
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** The signature is right by now; what is asked is whether its maker counts here. */
function trustedKey({ key_id, signer }: Header, trust: Trust): Buffer {
  const key = trust.find(key_id)
  if (!key)
    throw new ArchiveError('is sealed with a recovery key that this gateway does not know; enter that key first')
  if (key_id === trust.ownKeyId && signer !== trust.ownSigner)
    throw new ArchiveError('is sealed with the recovery key of this gateway, but this gateway did not make it')
  return key
}

function decipherOf(header: Header, key: Buffer, opening: Buffer, tag: Buffer) {
  try {
    const nonce = Buffer.from(header.nonce, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', fileKey(key, Buffer.from(header.salt, 'base64url')), nonce)
    decipher.setAAD(opening)
    decipher.setAuthTag(tag)
    return decipher
  } catch {
    throw altered()
  }
}

async function unpack(
  packed: Readable,
  decipher: ReturnType<typeof decipherOf>,
  size: number,
  keepsEntries: boolean,
): Promise<Entries> {
  const limit = Math.min(maxUnpacked, Math.max(size * maxRatio, neverTooLarge))
  const reader = new TarReader(keepsEntries)
  let unpacked = 0
  try {
    await pipeline(packed, decipher, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        unpacked += chunk.length
        if (unpacked > limit) throw new TarError('it is too large when unpacked')
        reader.write(chunk)
      }
    })
    return reader.end()
  } catch (error) {
    throw refusalFor(error)
  }
}

function refusalFor(error: unknown): unknown {
  if (error instanceof TarError) return new ArchiveError(`contains an archive that is refused: ${error.message}`)
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // A failing disk is not a fault of the file.
  if (syscall !== undefined) return error
  return code.startsWith('Z_') ? new ArchiveError('contains an archive that is refused: it is damaged') : altered()
}

/** Both readable lines at the start of a file. */
function openingOf(start: Buffer): Buffer {
  if (!isBackupStart(start)) throw new ArchiveError('was not made by this product and version')
  const end = start.subarray(0, maxHeader).indexOf('\n', magic.length)
  if (end < 0) throw altered()
  return start.subarray(0, end + 1)
}

export const magicLength = magic.length

/** Whether a file that begins like this can be a backup; refuses other files early. */
export const isBackupStart = (start: Buffer): boolean => start.subarray(0, magic.length).equals(magic)

function headerOf(opening: Buffer): Header {
  try {
    const header = JSON.parse(opening.toString('utf8', magic.length)) as Header | null
    if (typeof header?.key_id === 'string' && typeof header.signer === 'string') return header
  } catch {
    // As below.
  }
  throw altered()
}

const infoOf = ({ version, timestamp, comment }: Header): ArchiveInfo => ({ version, timestamp, comment })

/** For files of our own folder that came without their record. Null when it cannot be one. */
export function readInfo(start: Buffer): ArchiveInfo | null {
  try {
    return infoOf(headerOf(openingOf(start)))
  } catch {
    return null
  }
}
