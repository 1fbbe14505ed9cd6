// Writes and reads tar archives (POSIX ustar) in memory. Reading is strict: plain files with plain relative names and
// right checksums, within limits; everything else is refused, so that no archive can name a place outside itself.

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

export function readTar(bytes: Buffer): Entries {
  const entries = new Map<string, Buffer>()
  let at = 0
  for (;;) {
    const header = bytes.subarray(at, at + block)
    if (header.length < block) throw new TarError('it ends in the middle')
    if (header.every((byte) => byte === 0)) break
    const { name, size } = readHeader(header)
    const start = at + block
    if (start + size > bytes.length) throw new TarError('it ends in the middle')
    if (entries.has(name)) throw new TarError('a name stands twice')
    if (entries.size === maxEntries) throw new TarError('it has too many files')
    entries.set(name, bytes.subarray(start, start + size))
    at = start + Math.ceil(size / block) * block
  }
  const tail = bytes.subarray(at)
  if (tail.length < 2 * block || tail.some((byte) => byte !== 0)) throw new TarError('something follows its end')
  return entries
}

function readHeader(header: Buffer): { readonly name: string; readonly size: number } {
  if (readOctal(header, 148, 8) !== checksumOf(header)) throw new TarError('a checksum does not fit')
  const type = String.fromCharCode(header[156] ?? 0)
  if (type !== plainFile && type !== '\0') throw new TarError('it holds something else than plain files')
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
