// Makes tar archives as other programs do, also ones that must be refused.

export interface TarEntry {
  readonly name: string
  readonly content?: string | Buffer
  /** As in the header: 0 a file, 2 a link, 5 a folder. */
  readonly type?: string
  readonly magic?: string
}

export const tarOf = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1_024)])

function entryBytes({ name, content = '', type = '0', magic = 'ustar\x0000' }: TarEntry): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write('0000644\0', 100)
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(magic, 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}
