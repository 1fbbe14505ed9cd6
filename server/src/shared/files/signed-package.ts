// Reads an update package: a Debian package whose last member, `_portcullis`, says what it is and carries a signature
// (scripts/lib/sign-package.mjs writes it). The file may come from anywhere: it is read in one pass with bounded memory, only
// the four members that we write are allowed, and nothing in it is believed before the signature is checked.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { type SaidText, say } from '../said.ts'

/** What the signature vouches for. */
export interface PackageStatement {
  readonly version: string
  readonly architecture: string
  /** The number of the state format that the program in it writes. */
  readonly format: number
  /** Unix seconds of the commit that it was built from. */
  readonly timestamp: number
}

export interface CheckedPackage extends PackageStatement {
  readonly key: string
  /** SHA-256 of the whole file with its signature, in hexadecimal. */
  readonly digest: string
  readonly bytes: number
}

export type PackageFault = 'not-a-package' | 'not-signed' | 'unknown-key' | 'broken-signature'

export class RefusedPackage extends Error {
  declare readonly message: SaidText
  readonly fault: PackageFault
  constructor(fault: PackageFault, message: SaidText) {
    super(message)
    this.fault = fault
  }
}

export type TrustedKeys = ReadonlyMap<string, KeyObject>

export const maxPackageBytes = 256 * 1024 * 1024

const magic = '!<arch>\n'
const headerBytes = 60
const maxStatementBytes = 4096

/** The members in their order; `max` bounds what may be kept or skipped. */
const members = [
  { form: /^debian-binary$/, max: 16 },
  { form: /^control\.tar(?:\.gz|\.xz|\.zst)?$/, max: 16 * 1024 * 1024 },
  { form: /^data\.tar(?:\.gz|\.xz|\.zst)?$/, max: maxPackageBytes },
  { form: /^_portcullis$/, max: maxStatementBytes },
] as const
const statementMember = members.length - 1

const notAPackage = (why: string): RefusedPackage =>
  new RefusedPackage('not-a-package', say`The file is not an update package: ${why}.`)

/** Takes the bytes of a file as they come; a fault is thrown as soon as it is certain. */
export class PackageReader {
  readonly #keys: TrustedKeys
  readonly #whole = createHash('sha256')
  readonly #signed = createHash('sha256')
  #bytes = 0
  #isBegun = false
  /** Bytes of a header, or of a member that is kept. */
  #pending = Buffer.alloc(0)
  #member = -1
  /** Bytes of the member that are still to come, its padding included. */
  #left = 0
  /** The last member as it is in the file, with its header. */
  #content: Buffer | null = null

  constructor(keys: TrustedKeys) {
    this.#keys = keys
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > maxPackageBytes) throw notAPackage(say`it is larger than 256 MB`)
    this.#whole.update(chunk)
    let rest = chunk
    while (rest.length > 0) rest = this.#left > 0 ? this.#takeContent(rest) : this.#takeHeader(rest)
  }

  /** What the file is, once all of it was taken and the signature is good. */
  finish(): CheckedPackage {
    if (this.#bytes < magic.length) throw notAPackage(say`it does not begin like one`)
    if (this.#member < 2) throw notAPackage(say`it ends too early`)
    if (this.#left > 0) throw notAPackage(say`it ends in the middle of a member`)
    if (this.#member < statementMember && this.#pending.length > 0) throw notAPackage(say`it ends too early`)
    if (this.#content === null)
      throw new RefusedPackage('not-signed', say`The package is not signed, so it cannot be installed as an update.`)
    const statement = checkStatement(this.#content, this.#signed.digest('hex'), this.#keys)
    return { ...statement, digest: this.#whole.digest('hex'), bytes: this.#bytes }
  }

  /** Text between members: the mark of an archive first, then the header of a member. */
  #takeHeader(chunk: Buffer): Buffer {
    const wanted = this.#isBegun ? headerBytes : magic.length
    if (this.#member === statementMember) throw notAPackage(say`something follows its signature`)
    const taken = chunk.subarray(0, wanted - this.#pending.length)
    this.#pending = Buffer.concat([this.#pending, taken])
    if (wanted === magic.length && !magic.startsWith(this.#pending.toString('latin1')))
      throw notAPackage(say`it does not begin like one`)
    if (this.#pending.length === wanted) {
      const text = this.#pending.toString('latin1')
      if (wanted === headerBytes) this.#begin(text)
      // The header of the statement is after the bytes that are signed.
      if (this.#member !== statementMember) this.#signed.update(this.#pending)
      this.#isBegun = true
      this.#pending = Buffer.alloc(0)
    }
    return chunk.subarray(taken.length)
  }

  #begin(header: string): void {
    const next = this.#member + 1
    const size = header.slice(48, 58).trimEnd()
    if (!header.endsWith('`\n') || !/^\d{1,10}$/.test(size)) throw notAPackage(say`a member of it has a broken header`)
    const name = header.slice(0, 16).trimEnd()
    const expected = members[next]
    if (!expected?.form.test(name)) throw notAPackage(say`it has members that do not belong into one`)
    const length = Number(size)
    if (length < 1 || length > expected.max) throw notAPackage(say`a member of it has a wrong size`)
    this.#member = next
    this.#left = length + (length % 2)
    if (next === statementMember) this.#content = Buffer.from(header, 'latin1')
  }

  #takeContent(chunk: Buffer): Buffer {
    const taken = chunk.subarray(0, this.#left)
    this.#left -= taken.length
    if (this.#content) this.#content = Buffer.concat([this.#content, taken])
    else this.#signed.update(taken)
    return chunk.subarray(taken.length)
  }
}

const textOf = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 1e12 ? value : null

/** The version of a Debian package without an epoch; also safe as a part of a file name. */
const versionForm = /^\d[A-Za-z0-9.+~-]{0,63}$/

/** The last member as it is written: the same statement never has two forms. */
function memberOf(statement: object, timestamp: number): Buffer {
  const content = `${JSON.stringify(statement)}\n`
  const numbers = `${String(timestamp).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`
  const header = `${'_portcullis'.padEnd(16)}${numbers}${String(content.length).padEnd(10)}\`\n`
  return Buffer.from(`${header}${content}${content.length % 2 === 1 ? '\n' : ''}`)
}

function checkStatement(member: Buffer, digest: string, keys: TrustedKeys): PackageStatement & { key: string } {
  const broken = new RefusedPackage(
    'broken-signature',
    say`The signature of the package is broken: the file was changed after it was signed, or damaged on its way.`,
  )
  let told: Partial<Record<string, unknown>>
  try {
    const value: unknown = JSON.parse(member.toString('utf8', headerBytes))
    if (typeof value !== 'object' || value === null) throw broken
    told = value as Partial<Record<string, unknown>>
  } catch {
    throw broken
  }
  const version = textOf(told.version, versionForm)
  const architecture = textOf(told.architecture, /^[a-z0-9]{1,16}$/)
  const key = textOf(told.key, /^[0-9a-f]{16}$/)
  const signature = textOf(told.signature, /^[A-Za-z0-9+/]{85}[AQgw]==$/)
  const [format, timestamp] = [numberOf(told.format), numberOf(told.timestamp)]
  if (version === null || architecture === null || key === null || signature === null) throw broken
  if (format === null || timestamp === null || told.package !== 'portcullis') throw broken
  const trusted = keys.get(key)
  if (!trusted)
    throw new RefusedPackage(
      'unknown-key',
      say`The package is signed with the key ${key}, which this gateway does not trust.`,
    )
  // The same words in the same order as when it was signed; the digest is that of the file at hand.
  const said = { package: 'portcullis', version, architecture, format, timestamp, sha256: digest, key }
  if (!verify(null, Buffer.from(JSON.stringify(said)), trusted, Buffer.from(signature, 'base64'))) throw broken
  if (!memberOf({ ...said, signature }, timestamp).equals(member)) throw broken
  return { version, architecture, format, timestamp, key }
}

/** The name of a key: the beginning of the SHA-256 of its public half. */
export const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

const maxKeys = 64
const maxKeyBytes = 4096

/** The keys that updates may be signed with. A file that is not such a key is left out; a folder may be missing. */
export function readTrustedKeys(folders: readonly string[]): TrustedKeys {
  const keys = new Map<string, KeyObject>()
  for (const folder of folders) {
    let names: string[] = []
    try {
      names = fs.readdirSync(folder).filter((name) => name.endsWith('.pem'))
    } catch {
      continue
    }
    for (const name of names.sort().slice(0, maxKeys)) {
      const key = readKey(join(folder, name))
      if (key) keys.set(keyId(key), key)
    }
  }
  return keys
}

function readKey(path: string): KeyObject | null {
  try {
    const stat = fs.statSync(path)
    if (!stat.isFile() || stat.size > maxKeyBytes) return null
    const key = createPublicKey(fs.readFileSync(path))
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

/** Checks a file that is open for reading, from its beginning. */
export function checkOpenPackage(file: number, keys: TrustedKeys): CheckedPackage {
  const reader = new PackageReader(keys)
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let at = 0; ; ) {
    const count = fs.readSync(file, buffer, 0, buffer.length, at)
    if (count === 0) return reader.finish()
    reader.push(buffer.subarray(0, count))
    at += count
  }
}

/** Negative when the first version is older, as dpkg orders them (deb-version(7)); neither has an epoch. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parts(left), parts(right)]
  return compareParts(a.upstream, b.upstream) || compareParts(a.revision, b.revision)
}

function parts(version: string): { upstream: string; revision: string } {
  const at = version.lastIndexOf('-')
  return at < 0
    ? { upstream: version, revision: '' }
    : { upstream: version.slice(0, at), revision: version.slice(at + 1) }
}

const isDigit = (sign: string | undefined): boolean => sign !== undefined && sign >= '0' && sign <= '9'

/** `~` sorts before the end, the end before letters, letters before other signs. */
function weight(sign: string | undefined): number {
  if (sign === undefined || isDigit(sign)) return 0
  if (sign === '~') return -1
  return /[A-Za-z]/.test(sign) ? sign.charCodeAt(0) : sign.charCodeAt(0) + 256
}

function compareParts(left: string, right: string): number {
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    while ((i < left.length && !isDigit(left[i])) || (j < right.length && !isDigit(right[j]))) {
      const difference = weight(left[i]) - weight(right[j])
      if (difference !== 0) return difference
      if (i < left.length) i++
      if (j < right.length) j++
    }
    const [a, b] = [/^\d*/.exec(left.slice(i))?.[0] ?? '', /^\d*/.exec(right.slice(j))?.[0] ?? '']
    const difference = Number(a) - Number(b)
    if (difference !== 0) return difference
    i += a.length
    j += b.length
  }
  return 0
}
