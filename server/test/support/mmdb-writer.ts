// Writes small country databases in the MaxMind format 2.0, for tests and for the one in test/fixtures. Run as a
// program it writes that file again.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseNetwork } from '../../src/shared/net/ipv4.ts'

export interface DatabaseOptions {
  readonly recordBits?: 24 | 28 | 32
  readonly ipVersion?: 4 | 6
  readonly buildTime?: number
  /** The field of the country in the data. */
  readonly field?: 'country' | 'registered_country'
}

/** A child is another node, the code of a leaf, or nothing. */
type Child = Node | string | null
interface Node {
  children: [Child, Child]
}

/** Networks and their two-letter codes; a later one cuts a piece out of an earlier, wider one. */
export function writeDatabase(
  networks: Iterable<readonly [network: string, code: string]>,
  options: DatabaseOptions = {},
): Buffer {
  const { recordBits = 24, ipVersion = 6, buildTime = 1_767_225_600, field = 'country' } = options
  const root: Node = { children: [null, null] }
  for (const [network, code] of networks) {
    const parsed = parseNetwork(network)
    if (!parsed) throw new Error(`${network} is not a network`)
    insert(root, ipVersion === 6 ? 96 : 0, parsed.low, parsed.prefix, code)
  }
  const nodes = numberNodes(root)
  const { data, places } = writeData(new Set([...nodes.keys()].flatMap((node) => node.children.filter(isCode))), field)
  const tree = Buffer.alloc((nodes.size * recordBits) / 4)
  for (const [node, index] of nodes) {
    const [left, right] = node.children.map((child) => {
      if (child === null) return nodes.size
      return typeof child === 'string' ? nodes.size + 16 + (places.get(child) ?? 0) : (nodes.get(child) ?? 0)
    }) as [number, number]
    writeRecords(tree, recordBits, index, left, right)
  }
  const metadata = map([
    ['binary_format_major_version', number(2)],
    ['binary_format_minor_version', number(0)],
    ['build_epoch', uint64(buildTime)],
    ['database_type', text('Test-Country')],
    ['description', map([['en', text('Countries for tests')]])],
    ['ip_version', number(ipVersion)],
    ['languages', array([text('en')])],
    ['node_count', number(nodes.size)],
    ['record_size', number(recordBits)],
  ])
  return Buffer.concat([tree, Buffer.alloc(16), data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata])
}

const isCode = (child: Child): child is string => typeof child === 'string'

function insert(root: Node, zeros: number, low: number, prefix: number, code: string): void {
  const bits = [...Array(zeros).fill(0), ...Array.from({ length: prefix }, (_, bit) => (low >>> (31 - bit)) & 1)]
  let node = root
  for (const bit of bits.slice(0, -1) as (0 | 1)[]) {
    const child = node.children[bit]
    const next: Node = child !== null && typeof child === 'object' ? child : { children: [child, child] }
    node.children[bit] = next
    node = next
  }
  node.children[bits.at(-1) as 0 | 1] = code
}

function numberNodes(root: Node): Map<Node, number> {
  const nodes = new Map<Node, number>([[root, 0]])
  for (const node of nodes.keys()) {
    for (const child of node.children) if (child !== null && typeof child === 'object') nodes.set(child, nodes.size)
  }
  return nodes
}

/** As in real databases: the entry of a country is stored once, and repeated keys are pointers. */
function writeData(codes: ReadonlySet<string>, field: string): { data: Buffer; places: Map<string, number> } {
  const shared = Buffer.concat([text('iso_code'), text(field)])
  const isoCode = pointer(0)
  const fieldName = pointer(text('iso_code').length)
  const parts = [shared]
  const places = new Map<string, number>()
  let at = shared.length
  for (const code of codes) {
    const names = map([['en', text(`Country ${code}`)]])
    const country = Buffer.concat([
      head(7, 3),
      text('geoname_id'),
      number(1),
      isoCode,
      text(code),
      text('names'),
      names,
    ])
    const entry = Buffer.concat([head(7, 2), text('continent'), map([['code', text('XX')]]), fieldName, country])
    places.set(code, at)
    parts.push(entry)
    at += entry.length
  }
  return { data: Buffer.concat(parts), places }
}

function writeRecords(tree: Buffer, bits: number, index: number, left: number, right: number): void {
  const at = (index * bits) / 4
  if (bits === 24) {
    tree.writeUIntBE(left, at, 3)
    tree.writeUIntBE(right, at + 3, 3)
  } else if (bits === 28) {
    tree.writeUIntBE(left % 2 ** 24, at, 3)
    tree.writeUInt8(Math.floor(left / 2 ** 24) * 16 + Math.floor(right / 2 ** 24), at + 3)
    tree.writeUIntBE(right % 2 ** 24, at + 4, 3)
  } else {
    tree.writeUInt32BE(left, at)
    tree.writeUInt32BE(right, at + 4)
  }
}

function head(type: number, size: number): Buffer {
  const first = type > 7 ? 0 : type << 5
  const extended = type > 7 ? [type - 7] : []
  if (size < 29) return Buffer.from([first | size, ...extended])
  return Buffer.from([first | 29, ...extended, size - 29])
}

const text = (value: string): Buffer => Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)])
const array = (items: readonly Buffer[]): Buffer => Buffer.concat([head(11, items.length), ...items])
const map = (entries: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, value]) => [text(key), value])])
const pointer = (place: number): Buffer => Buffer.from([0x20 | (place >>> 8), place & 255])

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return Buffer.concat([head(6, 4), bytes])
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return Buffer.concat([head(9, 8), bytes])
}

/** Documentation networks (RFC 5737), the benchmark network (RFC 2544) and a few well-known public ones. */
export const testNetworks: readonly (readonly [network: string, code: string])[] = [
  ['198.51.100.0/24', 'DE'],
  ['203.0.113.0/24', 'FR'],
  ['192.0.2.0/24', 'US'],
  ['198.18.0.0/16', 'AT'],
  ['198.19.0.0/17', 'CH'],
  ['198.19.128.0/18', 'IT'],
  ['198.19.192.0/19', 'ES'],
  ['198.19.224.0/20', 'SE'],
  ['198.19.240.0/21', 'BR'],
  ['198.19.248.0/22', 'JP'],
  ['233.252.0.0/24', 'NL'],
]

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '..', 'fixtures', 'geoip-test.mmdb'), writeDatabase(testNetworks))
}
