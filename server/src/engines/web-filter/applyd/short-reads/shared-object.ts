// Writes a shared object (ELF, 64 bits, little-endian) of some instructions: what a linker would make of a few lines of
// assembler, so that neither building nor running the gateway needs a compiler. Only what the dynamic linker reads is in it.

export interface Parts {
  /** `e_machine`, and the kind of relocation that stores the address of a symbol. */
  readonly machine: number
  readonly symbolRelocation: number
  /** Functions of other objects. A weak one may be missing; then it must not be called. */
  readonly imports: readonly { readonly name: string; readonly isWeak: boolean }[]
  /** Instructions by the name of the function; their number must not depend on the places. */
  readonly exports: Readonly<Record<string, Code>>
  /** Constants that the instructions point to, each ended by a zero. */
  readonly texts: readonly string[]
}

/** The instructions that begin at this address. */
export type Code = (at: number, places: Places) => Buffer

export interface Places {
  /** Where the address of an imported function is kept. */
  readonly pointer: (name: string) => number
  readonly text: (text: string) => number
}

/** The largest page of the machines that it runs on: what the linker writes to lies on a page of its own. */
const page = 0x10000
const [headerSize, segmentSize, segmentCount] = [64, 56, 4]
const align = (value: number): number => Math.ceil(value / 16) * 16

/** All of it is one piece of memory up to `writable`, which is moved up by a page from there on. */
interface Layout {
  readonly symbols: number
  readonly names: number
  readonly hash: number
  readonly relocations: number
  readonly texts: number
  readonly code: number
  readonly writable: number
  readonly pointers: number
  readonly end: number
}

const dynamicSize = 10 * 16

export function sharedObject(parts: Parts): Buffer {
  const names = [...parts.imports.map(({ name }) => name), ...Object.keys(parts.exports)]
  const nameTable = Buffer.from(`\0${names.map((name) => `${name}\0`).join('')}`, 'latin1')
  const texts = Buffer.from(parts.texts.map((text) => `${text}\0`).join(''), 'latin1')
  const unplaced = functionsOf(parts, 0, { pointer: () => 0, text: () => 0 })
  const at = layoutOf(parts, names.length + 1, nameTable.length, texts.length, unplaced.end)
  const { functions } = functionsOf(parts, at.code, {
    pointer: (name) => page + at.pointers + 8 * parts.imports.findIndex((one) => one.name === name),
    text: (text) => at.texts + texts.indexOf(`${text}\0`, 'latin1'),
  })
  const out = Buffer.alloc(at.end)
  writeHeader(out, parts.machine)
  writeSegments(out, at)
  nameTable.copy(out, at.names)
  texts.copy(out, at.texts)
  for (const { start, bytes } of functions) bytes.copy(out, start)
  writeHash(out, at.hash, names.length + 1)
  const nameAt = (name: string) => nameTable.indexOf(`\0${name}\0`, 'latin1') + 1
  for (const [index, { name, isWeak }] of parts.imports.entries()) {
    writeSymbol(out, at.symbols + 24 * (1 + index), { name: nameAt(name), binding: isWeak ? 2 : 1 })
    const relocation = (BigInt(1 + index) << 32n) | BigInt(parts.symbolRelocation)
    writeLongs(out, at.relocations + 24 * index, [page + at.pointers + 8 * index, relocation, 0])
  }
  for (const [index, { name, start, bytes }] of functions.entries())
    writeSymbol(out, at.symbols + 24 * (1 + parts.imports.length + index), {
      name: nameAt(name),
      binding: 1,
      start,
      size: bytes.length,
    })
  writeDynamic(out, at, nameTable.length, parts.imports.length)
  return out
}

function layoutOf(parts: Parts, symbols: number, names: number, texts: number, code: number): Layout {
  const places = { symbols: headerSize + segmentCount * segmentSize, names: 0, hash: 0, relocations: 0 }
  places.names = places.symbols + 24 * symbols
  places.hash = align(places.names + names)
  places.relocations = align(places.hash + 4 * (3 + symbols))
  const textsAt = places.relocations + 24 * parts.imports.length
  const codeAt = align(textsAt + texts)
  const writable = align(codeAt + code)
  const pointers = writable + dynamicSize
  return { ...places, texts: textsAt, code: codeAt, writable, pointers, end: pointers + 8 * parts.imports.length }
}

function functionsOf({ exports }: Parts, from: number, places: Places) {
  let end = from
  const functions = Object.entries(exports).map(([name, code]) => {
    const [start, bytes] = [end, code(end, places)]
    end = align(end + bytes.length)
    return { name, start, bytes }
  })
  return { functions, end }
}

function writeHeader(out: Buffer, machine: number): void {
  out.write('\x7fELF\x02\x01\x01', 0, 'latin1')
  // A shared object, of version 1.
  for (const [value, at] of [
    [3, 16],
    [machine, 18],
    [1, 20],
    [headerSize, 32],
    [headerSize, 52],
  ] as const)
    out.writeUInt16LE(value, at)
  for (const [value, at] of [
    [segmentSize, 54],
    [segmentCount, 56],
    [64, 58],
  ] as const)
    out.writeUInt16LE(value, at)
}

function writeSegments(out: Buffer, at: Layout): void {
  const [loaded, dynamic, stack] = [1, 2, 0x6474e551]
  const [readAndRun, readAndWrite] = [5, 6]
  const segments = [
    [loaded, readAndRun, 0, 0, at.writable, page],
    [loaded, readAndWrite, at.writable, page + at.writable, at.end - at.writable, page],
    [dynamic, readAndWrite, at.writable, page + at.writable, dynamicSize, 8],
    // The stack holds no instructions.
    [stack, readAndWrite, 0, 0, 0, 16],
  ] as const
  for (const [index, [type, flags, file, address, size, alignment]] of segments.entries()) {
    const start = headerSize + index * segmentSize
    out.writeUInt32LE(type, start)
    out.writeUInt32LE(flags, start + 4)
    writeLongs(out, start + 8, [file, address, address, size, size, alignment])
  }
}

/** One bucket with all symbols, each followed by the one before it. */
function writeHash(out: Buffer, start: number, symbols: number): void {
  out.writeUInt32LE(1, start)
  out.writeUInt32LE(symbols, start + 4)
  out.writeUInt32LE(symbols - 1, start + 8)
  for (let index = 1; index < symbols; index++) out.writeUInt32LE(index - 1, start + 12 + 4 * index)
}

interface Sym {
  readonly name: number
  readonly binding: number
  readonly start?: number
  readonly size?: number
}

function writeSymbol(out: Buffer, at: number, { name, binding, start = 0, size = 0 }: Sym): void {
  const aFunction = 2
  out.writeUInt32LE(name, at)
  out.writeUInt8((binding << 4) | aFunction, at + 4)
  // The number of its section: none where it is imported. There are no sections, so any other will do.
  out.writeUInt16LE(start > 0 ? 1 : 0, at + 6)
  writeLongs(out, at + 8, [start, size])
}

function writeDynamic(out: Buffer, at: Layout, names: number, imports: number): void {
  const entries = [
    [4, at.hash],
    [5, at.names],
    [6, at.symbols],
    [10, names],
    [11, 24],
    [7, at.relocations],
    [8, 24 * imports],
    [9, 24],
    // All addresses are stored when it is loaded.
    [30, 8],
    [0, 0],
  ]
  writeLongs(out, at.writable, entries.flat())
}

function writeLongs(out: Buffer, at: number, values: readonly (number | bigint)[]): void {
  for (const [index, value] of values.entries()) out.writeBigUInt64LE(BigInt(value), at + 8 * index)
}
