// Makes zip archives as other programs do, also ones that must be refused.

import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content?: string | Buffer
  readonly isStored?: boolean
  readonly isLink?: boolean
  readonly isEncrypted?: boolean
  /** Other than that of the content. */
  readonly checksum?: number
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '')
    const packed = entry.isStored ? content : deflateRawSync(content)
    const name = Buffer.from(entry.name)
    // From the version to the length of the name, which both places have.
    const common = Buffer.alloc(24)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(entry.isEncrypted ? 1 : 0, 2)
    common.writeUInt16LE(entry.isStored ? 0 : 8, 4)
    common.writeUInt32LE(entry.checksum ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([mark(0x04034b50), common, Buffer.alloc(2), name, packed])
    const rest = Buffer.alloc(16)
    rest.writeUInt32LE((entry.isLink ? 0xa1ff0000 : 0x81a40000) >>> 0, 8)
    rest.writeUInt32LE(at, 12)
    list.push(mark(0x02014b50), Buffer.from([20, 3]), common, rest, name)
    files.push(local)
    at += local.length
  }
  const listed = Buffer.concat(list)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...files, listed, mark(0x06054b50), end])
}

function mark(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
