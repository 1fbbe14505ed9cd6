// Who made a network card, by the first half of its MAC: from the registry of the IEEE as Debian has it (package ieee-data).
// The file has some 30,000 makers; of each only its place in the file is kept, and a name is read when it is asked for.

import { type FileHandle, open, stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'

/** Where the package puts it, on old and new releases. */
export const vendorFiles = ['/usr/share/ieee-data/oui.txt', '/var/lib/ieee-data/oui.txt']

export interface CardVendors {
  /** The makers of those MACs that have a known one. */
  lookUp(macs: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Is there a file to look them up in? */
  isKnown(): Promise<boolean>
}

const chunkBytes = 64 * 1024
/** A file of another kind must not fill the memory. */
const mostMakers = 200_000
const longestName = 100
/** `00-22-72   (hex)\t\tAmerican Micro-Fuel Device Corp.`; the sections of small makers are not told apart. */
const makerForm = /^([0-9A-F]{2})-([0-9A-F]{2})-([0-9A-F]{2}) +\(hex\)[ \t]+/
const registry = /^IEEE Registration Authority/

interface Index {
  readonly path: string
  readonly modified: number
  /** First halves of MACs in rising order, and where the name of each begins. */
  readonly prefixes: Uint32Array
  readonly places: Uint32Array
}

export function createCardVendors(paths: readonly string[] = vendorFiles): CardVendors {
  let index: Promise<Index | null> = Promise.resolve(null)

  /** Read again when the file is another one; those who ask in the meantime wait for the same reading. */
  const current = (): Promise<Index | null> => {
    // A file that cannot be read is as good as none, and may be readable the next time.
    index = index.then(refreshed).catch(() => null)
    return index
  }

  async function refreshed(known: Index | null): Promise<Index | null> {
    const found = await findFile(paths)
    if (found === null) return null
    return known?.path === found.path && known.modified === found.modified ? known : readIndex(found)
  }

  return {
    isKnown: async () => (await findFile(paths)) !== null,
    lookUp: async (macs) => {
      const known = await current()
      if (known === null || macs.length === 0) return new Map()
      const file = await open(known.path)
      try {
        return await readNames(file, known, macs)
      } finally {
        await file.close()
      }
    },
  }
}

async function findFile(paths: readonly string[]): Promise<Pick<Index, 'path' | 'modified'> | null> {
  for (const path of paths) {
    const state = await stat(path).catch(() => null)
    if (state?.isFile()) return { path, modified: state.mtimeMs }
  }
  return null
}

/** In pieces, between which others get their turn. */
async function readIndex({ path, modified }: Pick<Index, 'path' | 'modified'>): Promise<Index> {
  const makers: [prefix: number, place: number][] = []
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(chunkBytes)
    // What is left of the last piece: the beginning of a line.
    let rest = ''
    let begun = 0
    for (let at = 0; makers.length < mostMakers; ) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, at)
      if (bytesRead === 0) break
      // One character for each byte, so that places count bytes.
      const text = rest + buffer.toString('latin1', 0, bytesRead)
      const end = text.lastIndexOf('\n') + 1
      addMakers(makers, text.slice(0, end), begun)
      // A line without end is not of this file; its beginning is enough.
      rest = text.length - end > chunkBytes ? '' : text.slice(end)
      at += bytesRead
      begun = at - rest.length
      await setImmediate()
    }
  } finally {
    await file.close()
  }
  makers.sort(([a], [b]) => a - b)
  return {
    path,
    modified,
    prefixes: Uint32Array.from(makers, ([prefix]) => prefix),
    places: Uint32Array.from(makers, ([, place]) => place),
  }
}

function addMakers(makers: [number, number][], lines: string, begun: number): void {
  let at = 0
  for (const line of lines.split('\n')) {
    const match = makerForm.exec(line)
    if (match) makers.push([Number.parseInt(match.slice(1).join(''), 16), begun + at + match[0].length])
    at += line.length + 1
  }
}

async function readNames(file: FileHandle, index: Index, macs: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const buffer = Buffer.alloc(longestName * 4)
  for (const mac of macs) {
    const place = placeOf(index, Number.parseInt(mac.slice(0, 8).replaceAll(':', ''), 16))
    if (place === null) continue
    const { bytesRead } = await file.read(buffer, 0, buffer.length, place)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/)
    const name = readableOf(line)
    if (name !== '' && !registry.test(name)) names.set(mac, name)
  }
  return names
}

function placeOf({ prefixes, places }: Index, prefix: number): number | null {
  let [from, to] = [0, prefixes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((prefixes[middle] ?? 0) < prefix) from = middle + 1
    else to = middle
  }
  return prefixes[from] === prefix ? (places[from] ?? null) : null
}

/** What may be in a comment: no control characters, nothing that ends a line. */
const readableOf = (line: string): string =>
  [
    ...line
      .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .trim(),
  ]
    .slice(0, longestName)
    .join('')
