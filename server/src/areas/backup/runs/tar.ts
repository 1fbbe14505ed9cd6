// Writes tar archives (POSIX ustar) in memory and reads them piece by piece. Reading is strict: plain files with plain
// relative names and right checksums, within limits; everything else is refused, so that no archive can name a place
// outside itself.

const block = 512
const maxEntries = 10_000
/** Short names of our own making: no folder above, no absolute path, nothing a file system could read differently. */
const partForm = /^[a-z0-9][a-z0-9._-]*$/
const maxName = 100

const isPlainName = (name: string): boolean =>
  name.length <= maxName && name.split('/').every((part) => partForm.test(part))

export type Entries = ReadonlyMap<string, Buffer>

export class TarError extends Error {}

export function writeTar(entries: Entries, unixSeconds: number): Buffer {
  const parts: Buffer[] = []
  for (const [name, content] of entries) {
    if (!isPlainName(name)) throw new Error(`a file of an archive cannot be called ${name}`)
    const padding = (block - (content.length % block)) % block
    parts.push(headerOf(name, content.length, unixSeconds), content, Buffer.alloc(padding))
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

function headerOf(name: string, size: number, unixSeconds: number): Buffer {
  const header = Buffer.alloc(block)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(unixSeconds, 11), 136)
  header.write(plainFile, 156)
  header.write('ustar\x0000', 257)
  header.write(octal(checksumOf(header), 6), 148)
  header.write(' ', 155)
  return header
}

const plainFile = '0'

/** The sum of all bytes, with those of the checksum itself taken as blanks. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 32
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0
  return sum
}

/** The whole archive at once. */
export function readTar(bytes: Buffer): Entries {
  const reader = new TarReader()
  reader.write(bytes)
  return reader.end()
}

interface OpenEntry {
  readonly name: string
  readonly parts: Buffer[]
  content: number
  padding: number
}

/** Reads an archive that comes in pieces. With `keeps` false it only looks whether the archive is one. */
export class TarReader {
  readonly #keeps: boolean
  readonly #entries = new Map<string, Buffer>()
  #header = Buffer.alloc(0)
  #open: OpenEntry | null = null
  /** Bytes since the first empty block, which ends an archive. */
  #tail: number | null = null

  constructor(keeps = true) {
    this.#keeps = keeps
  }

  write(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#tail !== null) rest = this.#takeTail(this.#tail, rest)
      else rest = this.#open ? this.#takeContent(this.#open, rest) : this.#takeHeader(rest)
    }
  }

  /** The files; empty ones when only looking. */
  end(): Entries {
    if (this.#tail === null) throw new TarError('it is incomplete')
    if (this.#tail < 2 * block) throw new TarError('there is data after its end')
    return this.#entries
  }

  #takeTail(before: number, bytes: Buffer): Buffer {
    if (bytes.some((byte) => byte !== 0)) throw new TarError('there is data after its end')
    this.#tail = before + bytes.length
    return bytes.subarray(bytes.length)
  }

  #takeHeader(bytes: Buffer): Buffer {
    const missing = block - this.#header.length
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, missing)])
    if (this.#header.length < block) return bytes.subarray(missing)
    const header = this.#header
    this.#header = Buffer.alloc(0)
    if (header.every((byte) => byte === 0)) this.#tail = block
    else this.#begin(readHeader(header))
    return bytes.subarray(missing)
  }

  #begin({ name, size }: ReturnType<typeof readHeader>): void {
    if (this.#entries.has(name)) throw new TarError('it contains a duplicate name')
    if (this.#entries.size === maxEntries) throw new TarError('it has too many files')
    this.#entries.set(name, Buffer.alloc(0))
    if (size > 0) this.#open = { name, parts: [], content: size, padding: (block - (size % block)) % block }
  }

  #takeContent(entry: OpenEntry, bytes: Buffer): Buffer {
    const content = bytes.subarray(0, entry.content)
    if (this.#keeps && content.length > 0) entry.parts.push(content)
    entry.content -= content.length
    const padding = bytes.subarray(content.length, content.length + entry.padding)
    entry.padding -= padding.length
    if (entry.content === 0 && entry.padding === 0) {
      if (this.#keeps) this.#entries.set(entry.name, Buffer.concat(entry.parts))
      this.#open = null
    }
    return bytes.subarray(content.length + padding.length)
  }
}

function readHeader(header: Buffer): { readonly name: string; readonly size: number } {
  if (readOctal(header, 148, 8) !== checksumOf(header)) throw new TarError('a checksum does not match')
  const type = String.fromCharCode(header[156] ?? 0)
  if (type !== plainFile && type !== '\0') throw new TarError('it contains something other than plain files')
  const name = textAt(header, 0, 100)
  const hasPrefix = textAt(header, 345, 155) !== ''
  if (hasPrefix || !isPlainName(name)) throw new TarError('a file has a name that is not allowed')
  return { name, size: readOctal(header, 124, 12) }
}

const textAt = (header: Buffer, at: number, length: number): string =>
  header.toString('latin1', at, at + length).split('\0')[0] ?? ''

function readOctal(header: Buffer, at: number, length: number): number {
  const digits = /^([0-7]{1,11})[\0 ]*$/.exec(header.toString('latin1', at, at + length))?.[1]
  if (digits === undefined) throw new TarError('a number in it cannot be read')
  return Number.parseInt(digits, 8)
}
