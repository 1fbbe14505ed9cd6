// Strict reading of what gatewayd sends: every key known, every value of its type and within bounds, every name in
// the tables. The result is built only from the parts that were checked.

import { isIP } from 'node:net'
import type {
  Artifact,
  EngineFile,
  LinkMaking,
  LinkPlan,
  NftPart,
  NftPiece,
  Plan,
  TrialPacket,
  Verb,
  VerbTable,
} from '../plan/artifacts.ts'
import { isGenuine } from '../plan/nft-piece.ts'
import { hashOfFile, rememberedPlans } from './frames.ts'
import { keyOf } from './pieces.ts'
import { deviceForm, findFile, findUnit, type Tables } from './tables.ts'

/** The message goes back to the caller as it is. */
export class Refusal extends Error {}
/** A plan names a part by its hash only, and this connection did not send it recently: it must be sent in full. */
export class UnknownPiece extends Refusal {}

const artifactLimit = 20_000
const textLimit = 32 * 1024 * 1024
const pieceLimit = 200_000
const partLimit = 100_000
const lineLimit = 4_000_000
const linkLimit = 4096
const packetLimit = 500
const hashForm = /^[0-9a-f]{64}$/
const hashFault = 'hash is not a SHA-256 in hex'
const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,60}$/
const originForm = /^[A-Za-z0-9_.[\]-]{0,160}$/

export type ArgumentParsers = { readonly [V in Verb]: (args: unknown) => VerbTable[V]['args'] }

/** For one connection: pieces and files of its last plans need not be sent again. Engines parse their own arguments. */
export function argumentParsers(tables: Tables): Omit<ArgumentParsers, 'upload'> {
  let recent: readonly ReadonlyMap<string, Remembered>[] = []
  const parsePlanOf = (args: unknown): { plan: Plan } => {
    const recall: Recall = (key) => recent.find((known) => known.has(key))?.get(key)
    const plan = parsePlan(parseKeys(args, ['plan']).plan, tables, recall)
    const known = plan.artifacts.flatMap((artifact): Remembered[] => {
      if (artifact.kind === 'file') return [artifact]
      return artifact.kind === 'nft' ? [...artifact.pieces] : []
    })
    recent = [new Map(known.map((one) => [memoryKey(one), one])), ...recent].slice(0, rememberedPlans)
    return { plan }
  }
  return {
    check: parsePlanOf,
    apply: parsePlanOf,
    attempt: parsePlanOf,
    settle: parseRevision,
    undo: parseRevision,
    observe: (args) => parseKeys(args, []),
    devices: (args) => parseKeys(args, []),
    hits: (args) => parseKeys(args, []),
    sessions: (args) => parseKeys(args, []),
    trial: (args) => ({
      packets: parseList(parseKeys(args, ['packets']).packets, packetLimit, 'packets', parsePacket),
    }),
    checkpoint: parseCheckpoint,
    checkpoints: (args) => parseKeys(args, []),
  }
}

function parseRevision(value: unknown): { revision: number } {
  return { revision: parseCount(parseKeys(value, ['revision']).revision, 'revision') }
}

function parseCheckpoint(value: unknown): { sequence: number; hash: string; isFirst: boolean } {
  const { sequence, hash, isFirst } = parseKeys(value, ['sequence', 'hash', 'isFirst'])
  if (typeof isFirst !== 'boolean') throw new Refusal('The field isFirst is not true or false.')
  return {
    sequence: parseCount(sequence, 'sequence'),
    hash: parseForm(hash, hashForm, hashFault),
    isFirst,
  }
}

type Remembered = NftPiece | EngineFile
type Recall = (key: string) => Remembered | undefined

const memoryKey = (one: Remembered): string =>
  `${one.kind} ${one.name} ${one.kind === 'file' ? hashOfFile(one) : one.hash}`

/** A part that was left out because it was sent before. */
function recalled(value: unknown, recall: Recall): Remembered {
  const { kind, name, hash } = parseKeys(value, ['kind', 'name', 'hash'])
  const known = recall(`${kind} ${name} ${hash}`)
  if (known) return known
  throw new UnknownPiece('A part of the plan is not known and must be sent in full.')
}

function parsePlan(value: unknown, tables: Tables, recall: Recall): Plan {
  const { revision, artifacts } = parseKeys(value, ['revision', 'artifacts'])
  const parsed = parseList(artifacts, artifactLimit, 'artifacts', (artifact) => parseArtifact(artifact, tables, recall))
  const names = new Set(parsed.map((artifact) => `${artifact.kind} ${artifact.name}`))
  if (names.size !== parsed.length) throw new Refusal('Duplicate artifact in the plan.')
  return { revision: parseCount(revision, 'revision'), artifacts: parsed }
}

function parseArtifact(value: unknown, tables: Tables, recall: Recall): Artifact {
  const kind = (value as { kind?: unknown } | null)?.kind
  if (kind === 'nft') {
    const { name, pieces } = parseKeys(value, ['kind', 'name', 'pieces'])
    const parsed = parseList(pieces, pieceLimit, 'pieces', (piece) => parsePiece(piece, recall))
    if (new Set(parsed.map(keyOf)).size !== parsed.length) throw new Refusal('Duplicate piece in a table.')
    return { kind, name: parseName(name, tables.nft.tables), pieces: parsed }
  }
  if (kind === 'network') {
    const { name, links } = parseKeys(value, ['kind', 'name', 'links'])
    if (name !== 'links') throw new Refusal('The plan names an artifact that is not in the tables.')
    return { kind, name, links: parseList(links, linkLimit, 'links', parseLink) }
  }
  if (kind === 'file') {
    if (typeof value === 'object' && value && !('text' in value)) return recalled(value, recall) as EngineFile
    const { name, text } = parseKeys(value, ['kind', 'name', 'text'])
    if (typeof name === 'string' && findFile(tables, name)) return { kind, name, text: parseText(text) }
    throw new Refusal('The plan names an artifact that is not in the tables.')
  }
  if (kind === 'unit') {
    const { name } = parseKeys(value, ['kind', 'name'])
    if (typeof name === 'string' && findUnit(tables, name)) return { kind, name }
    throw new Refusal('The plan names an artifact that is not in the tables.')
  }
  throw new Refusal('The kind of an artifact is not known.')
}

/** In full, or by kind, name and hash when it was sent before. */
function parsePiece(value: unknown, recall: Recall): NftPiece {
  if (typeof value === 'object' && value && !('parts' in value)) {
    const known = recalled(value, recall)
    if (known.kind !== 'file') return known
    throw new Refusal('A file is not a piece of a table.')
  }
  const { kind, name, head, parts, origin, hash } = parseKeys(value, [
    'kind',
    'name',
    'head',
    'parts',
    'origin',
    'hash',
  ])
  const piece: NftPiece = {
    kind: parseOneOf(kind, ['chain', 'set', 'map'], 'kind of a piece'),
    name: parseForm(name, nameForm, 'name of a piece is not allowed'),
    head: parseText(head),
    parts: parseList(parts, partLimit, 'parts', parsePart),
    origin: parseForm(origin, originForm, 'origin of a piece is not allowed'),
    hash: parseForm(hash, hashForm, hashFault),
  }
  if (!isGenuine(piece)) throw new Refusal('The hash of a piece does not match its content.')
  return piece
}

function parsePart(value: unknown): NftPart {
  const { lines, hash } = parseKeys(value, ['lines', 'hash'])
  return { lines: parseList(lines, lineLimit, 'lines', parseText), hash: parseForm(hash, hashForm, hashFault) }
}

function parseLink(value: unknown): LinkPlan {
  const link = parseKeys(value, ['origin', 'device', 'make', 'isUp', 'addresses', 'routes', 'mirrors'])
  return {
    origin: parseForm(link.origin, originForm, 'origin of a link is not allowed'),
    device: parseDevice(link.device),
    make: link.make === null ? null : parseMaking(link.make),
    isUp: parseOneOf(link.isUp, [true, false], 'state of a link'),
    addresses: parseList(link.addresses, linkLimit, 'addresses', parseNetwork),
    routes: parseList(link.routes, linkLimit, 'routes', (route) => {
      const { to, via, metric } = parseKeys(route, ['to', 'via', 'metric'])
      return {
        to: to === 'default' ? to : parseNetwork(to),
        via: via === null ? null : parseAddress(via),
        metric: parseCount(metric, 'metric', 2 ** 32 - 1),
      }
    }),
    mirrors: parseList(link.mirrors, linkLimit, 'mirrors', (mirror) => {
      const { device, direction } = parseKeys(mirror, ['device', 'direction'])
      return { device: parseDevice(device), direction: parseOneOf(direction, ['rx', 'tx', 'both'], 'direction') }
    }),
  }
}

function parseMaking(value: unknown): LinkMaking {
  const kind = parseOneOf((value as { kind?: unknown } | undefined)?.kind, makings, 'kind of a device')
  if (kind === 'vlan') {
    const { parent, tag } = parseKeys(value, ['kind', 'parent', 'tag'])
    return { kind, parent: parseDevice(parent), tag: parseCount(tag, 'tag', 4094) }
  }
  if (kind === 'bond')
    return {
      kind,
      members: parseList(parseKeys(value, ['kind', 'members']).members, linkLimit, 'members', parseDevice),
    }
  if (kind === 'gre') {
    const { local, remote } = parseKeys(value, ['kind', 'local', 'remote'])
    return { kind, local: parseAddress(local), remote: parseAddress(remote) }
  }
  if (kind === 'ppp') return { kind, parent: parseDevice(parseKeys(value, ['kind', 'parent']).parent) }
  parseKeys(value, ['kind'])
  return { kind }
}
const makings = ['vlan', 'bond', 'gre', 'dummy', 'ppp'] as const

function parsePacket(value: unknown): TrialPacket {
  const keys = ['device', 'protocol', 'source', 'sourcePort', 'destination', 'destinationPort'] as const
  const packet = parseKeys(value, keys)
  return {
    device: parseDevice(packet.device),
    protocol: parseOneOf(packet.protocol, ['tcp', 'udp'], 'protocol'),
    source: parseAddress(packet.source),
    sourcePort: parseCount(packet.sourcePort, 'port', 65_535),
    destination: parseAddress(packet.destination),
    destinationPort: parseCount(packet.destinationPort, 'port', 65_535),
  }
}

function parseName(value: unknown, known: Iterable<string>): string {
  for (const name of known) if (name === value) return name
  throw new Refusal('The plan names an artifact that is not in the tables.')
}

function parseText(value: unknown): string {
  if (typeof value === 'string' && value.length <= textLimit && value.isWellFormed()) return value
  throw new Refusal('The content of an artifact is not text or is too large.')
}

const parseDevice = (value: unknown): string => parseForm(value, deviceForm, 'name of a device is not allowed')

function parseAddress(value: unknown): string {
  if (typeof value === 'string' && isIP(value) !== 0 && !value.includes('%')) return value
  throw new Refusal('Not a valid IP address.')
}

/** An address with a prefix length. */
function parseNetwork(value: unknown): string {
  const [address, length = '', ...rest] = String(value).split('/')
  const limit = isIP(parseAddress(address)) === 4 ? 32 : 128
  if (rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= limit) return `${address}/${Number(length)}`
  throw new Refusal('The prefix length of an address is missing or not valid.')
}

export function parseForm(value: unknown, form: RegExp, fault: string): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new Refusal(`The ${fault}.`)
}

function parseOneOf<T extends string | boolean>(value: unknown, known: readonly T[], what: string): T {
  for (const one of known) if (one === value) return one
  throw new Refusal(`The ${what} must be one of ${known.join(', ')}.`)
}

function parseList<T>(value: unknown, limit: number, what: string, parse: (item: unknown) => T): T[] {
  if (!Array.isArray(value) || value.length > limit)
    throw new Refusal(`The ${what} must be a list of at most ${limit} entries.`)
  return value.map(parse)
}

export function parseCount(value: unknown, what: string, limit = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= limit) return value
  throw new Refusal(`The ${what} is not a valid number.`)
}

/** Exactly these keys, no more and no fewer. */
export function parseKeys<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const own = typeof value === 'object' && value && !Array.isArray(value) ? Object.keys(value) : ['no object']
  if (own.length !== keys.length || !keys.every((key) => own.includes(key)))
    throw new Refusal(`The keys must be exactly these: ${keys.join(', ') || 'none'}.`)
  return value as Record<K, unknown>
}
