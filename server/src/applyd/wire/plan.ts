// Reads a plan, in full or as the change of the one before on the same connection. Only what was sent is read, hashed and
// checked; what stays is the same object as before, by which all that follows finds what changed.

import type {
  Artifact,
  EngineFile,
  EngineWay,
  KernelSetting,
  LinkMaking,
  LinkPlan,
  NftPart,
  NftPiece,
  NftTable,
  Plan,
} from '../../core/plan/artifacts.ts'
import { hashPart, hashPiece } from '../../core/plan/nft-piece.ts'
import { findFile, findUnit, type Tables } from '../../engines/kit/tables.ts'
import {
  hashFault,
  hashForm,
  parseAddress,
  parseCount,
  parseDevice,
  parseForm,
  parseKeys,
  parseList,
  parseName,
  parseNetwork,
  parseOneOf,
  parseText,
  Refusal,
  UnknownPiece,
} from '../../engines/kit/values.ts'
import { createTurns } from '../loaded/turns.ts'
import { isAllowed, isSettingName, settingTable } from '../machine/setting-table.ts'
import { hasTwice } from '../pieces.ts'
import { createScale, weightOfArtifact, weightOfPart, weightOfPiece } from './weight.ts'

const artifactLimit = 20_000
const pieceLimit = 200_000
const partLimit = 100_000
const lineLimit = 4_000_000
const linkLimit = 4096
const settingLimit = 64
const entryLimit = 4096
const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,60}$/
const originForm = /^[A-Za-z0-9_.[\]-]{0,160}$/

type Known = ReadonlyMap<string, Artifact>

/** For one connection, of which it remembers the last plan. A plan without a number is not remembered. */
export function createPlanReader(tables: Tables): (args: unknown) => { plan: Plan } {
  let last: { readonly number: number; readonly artifacts: Known } | null = null
  const readChange = (args: unknown) => {
    const { number, base, change } = parseKeys(args, ['number', 'base', 'change'])
    if (last === null || base !== last.number)
      throw new UnknownPiece('The plan that the change refers to is not known. Send the plan in full.')
    return { number: parseCount(number, 'number'), ...parseChange(change, tables, last.artifacts) }
  }
  const readFull = (args: unknown) => {
    const isNumbered = Object.keys(args as object).length === 2
    const { number = 0, plan } = isNumbered
      ? parseKeys(args, ['number', 'plan'])
      : { plan: parseKeys(args, ['plan']).plan }
    const { revision, artifacts } = parseKeys(plan, ['revision', 'artifacts'])
    const parsed = parseList(artifacts, artifactLimit, 'artifacts', (artifact) => parseArtifact(artifact, tables))
    const named = new Map(parsed.map((artifact) => [nameOf(artifact), artifact]))
    if (named.size !== parsed.length) throw new Refusal('Duplicate artifact in the plan.')
    return { number: parseCount(number, 'number'), revision: parseCount(revision, 'revision'), artifacts: named }
  }
  return (args) => {
    const isChange = typeof args === 'object' && args !== null && 'change' in args
    const { number, revision, artifacts } = isChange ? readChange(args) : readFull(args ?? {})
    if (number > 0) last = { number, artifacts }
    return { plan: { revision, artifacts: [...artifacts.values()] } }
  }
}

const nameOf = ({ kind, name }: Artifact): string => `${kind} ${name}`

function parseChange(value: unknown, tables: Tables, known: Known): { revision: number; artifacts: Known } {
  const { revision, changed, removed } = parseKeys(value, ['revision', 'changed', 'removed'])
  const artifacts = new Map(known)
  for (const name of parseList(removed, artifactLimit, 'removed artifacts', parseText))
    if (!artifacts.delete(name)) throw new Refusal('The plan removes an artifact that it does not have.')
  const parsed = parseList(changed, artifactLimit, 'artifacts', (artifact) => {
    const isChange = typeof artifact === 'object' && artifact !== null && 'changes' in artifact
    return isChange ? parseTableChange(artifact, known) : parseArtifact(artifact, tables)
  })
  if (new Set(parsed.map(nameOf)).size !== parsed.length) throw new Refusal('Duplicate artifact in the plan.')
  for (const artifact of parsed) artifacts.set(nameOf(artifact), artifact)
  if (artifacts.size > artifactLimit) throw new Refusal(`A plan has at most ${artifactLimit} artifacts.`)
  const weigh = createScale()
  for (const artifact of artifacts.values()) weigh(weightOfArtifact(artifact))
  return { revision: parseCount(revision, 'revision'), artifacts }
}

function parseTableChange(value: unknown, known: Known): NftTable {
  const { kind, name, changes } = parseKeys(value, ['kind', 'name', 'changes'])
  const before = known.get(`${kind} ${name}`)
  if (before?.kind !== 'nft') throw new Refusal('The plan changes a table that it does not have.')
  return makeTable(
    before.name,
    parseEdits(changes, before.pieces, weightOfPiece, pieceLimit, 'pieces', (piece) =>
      parsePieceChange(piece, before.pieces),
    ),
    before.pieces,
  )
}

/** Ranges of what was there before, and what is new, in their order. */
function parseEdits<T>(
  value: unknown,
  before: readonly T[],
  weightOf: (one: T) => number,
  limit: number,
  what: string,
  parse: (item: unknown) => T,
): T[] {
  const all: T[] = []
  const weigh = createScale()
  const add = (one: T): void => {
    weigh(weightOf(one))
    all.push(one)
  }
  for (const edit of parseList(value, limit, what, (item) => item)) {
    if (Array.isArray(edit)) {
      const [from, to] = edit.map((position) => parseCount(position, 'position', before.length))
      if (edit.length !== 2 || from === undefined || to === undefined || from >= to)
        throw new Refusal('A range of what is kept is not valid.')
      if (all.length + to - from > limit) throw new Refusal(`The ${what} must be a list of at most ${limit} entries.`)
      for (let at = from; at < to; at++) add(before[at] as T)
    } else add(parse(edit))
  }
  return all
}

function parsePieceChange(value: unknown, before: readonly NftPiece[]): NftPiece {
  if (typeof value !== 'object' || value === null || !('base' in value)) return parsePiece(value)
  const { base, parts, ...rest } = parseKeys(value, ['kind', 'name', 'head', 'parts', 'origin', 'hash', 'base'])
  const known = before[parseCount(base, 'position')]?.parts
  if (!known) throw new Refusal('The plan changes a piece that it does not have.')
  const piece = readPiece(rest, parseEdits(parts, known, weightOfPart, partLimit, 'parts', parsePart))
  if (hashPiece(piece) !== piece.hash) throw new Refusal('The hash of a piece does not match its content.')
  return piece
}

/** `before` are pieces of a table that was read earlier. */
function makeTable(name: string, pieces: readonly NftPiece[], before: readonly NftPiece[] = []): NftTable {
  if (hasTwice(pieces, before)) throw new Refusal('Duplicate piece in a table.')
  return { kind: 'nft', name, pieces }
}

function parseArtifact(value: unknown, tables: Tables): Artifact {
  const kind = (value as { kind?: unknown } | null)?.kind
  if (kind === 'nft') {
    const { name, pieces } = parseKeys(value, ['kind', 'name', 'pieces'])
    return makeTable(parseName(name, tables.nft.tables), parseList(pieces, pieceLimit, 'pieces', parsePiece))
  }
  if (kind === 'network') {
    if ((value as { name?: unknown }).name === 'settings') {
      const { settings } = parseKeys(value, ['kind', 'name', 'settings'])
      return { kind, name: 'settings', settings: parseSettings(settings) }
    }
    const { name, links } = parseKeys(value, ['kind', 'name', 'links'])
    if (name !== 'links') throw new Refusal('The plan names an artifact that is not in the tables.')
    return { kind, name, links: parseList(links, linkLimit, 'links', parseLink) }
  }
  if (kind === 'file') return parseFile(value, tables)
  if (kind === 'way') return parseWay(value, tables)
  if (kind === 'unit') {
    const { name } = parseKeys(value, ['kind', 'name'])
    if (typeof name === 'string' && findUnit(tables, name)) return { kind, name }
    throw new Refusal('The plan names an artifact that is not in the tables.')
  }
  throw new Refusal('The kind of an artifact is not known.')
}

/** Names and values that are in the table, each name once. */
function parseSettings(value: unknown): readonly KernelSetting[] {
  const all = parseList(value, settingLimit, 'settings', (item): KernelSetting => {
    const { name, value: text } = parseKeys(item, ['name', 'value'])
    if (!isSettingName(name)) throw new Refusal('The plan names a setting of the kernel that is not in the table.')
    if (typeof text !== 'string' || !isAllowed(settingTable[name], text))
      throw new Refusal('The value of a setting of the kernel is not allowed.')
    return { name, value: text }
  })
  if (new Set(all.map(({ name }) => name)).size !== all.length) throw new Refusal('Duplicate setting in the plan.')
  return all
}

function parseWay(value: unknown, { ways }: Tables): EngineWay {
  const { name, entries } = parseKeys(value, ['kind', 'name', 'entries'])
  const way = ways.find((one) => one.name === name)
  if (!way) throw new Refusal('The plan names an artifact that is not in the tables.')
  return { kind: 'way', name: way.name, entries: way.parse(parseList(entries, entryLimit, 'entries', (item) => item)) }
}

function parseFile(value: unknown, tables: Tables): EngineFile {
  const { name, text } = parseKeys(value, ['kind', 'name', 'text'])
  if (typeof name === 'string' && findFile(tables, name)) return { kind: 'file', name, text: parseText(text) }
  throw new Refusal('The plan names an artifact that is not in the tables.')
}

function parsePiece(value: unknown): NftPiece {
  const { parts, ...rest } = parseKeys(value, ['kind', 'name', 'head', 'parts', 'origin', 'hash'])
  const piece = readPiece(rest, parseList(parts, partLimit, 'parts', parsePart))
  if (hashPiece(piece) !== piece.hash) throw new Refusal('The hash of a piece does not match its content.')
  return piece
}

function readPiece(
  { kind, name, head, origin, hash }: Record<'kind' | 'name' | 'head' | 'origin' | 'hash', unknown>,
  parts: readonly NftPart[],
): NftPiece {
  return {
    kind: parseOneOf(kind, ['chain', 'set', 'map'], 'kind of a piece'),
    name: parseForm(name, nameForm, 'name of a piece is not allowed'),
    head: parseText(head),
    parts,
    origin: parseForm(origin, originForm, 'origin of a piece is not allowed'),
    hash: parseForm(hash, hashForm, hashFault),
  }
}

function parsePart(value: unknown): NftPart {
  const known = typeof value === 'object' && value !== null ? partsAhead.get(value) : undefined
  if (known) return known
  const { lines, hash } = parseKeys(value, ['lines', 'hash'])
  const part = { lines: parseList(lines, lineLimit, 'lines', parseText), hash: parseForm(hash, hashForm, hashFault) }
  if (hashPart(part.lines) !== part.hash) throw new Refusal('The hash of a part does not match its content.')
  return part
}

/** Parts that were read before the plan that they are in, by what was sent. */
const partsAhead = new WeakMap<object, NftPart>()

/** Reads the parts of a plan with others in between, so that reading the plan itself is short. What is wrong is found there. */
export async function readPartsAhead(args: unknown): Promise<void> {
  const turns = createTurns()
  for (const value of partsIn(args)) {
    await turns()
    try {
      if (!Array.isArray(value)) partsAhead.set(value, parsePart(value))
    } catch (fault) {
      if (fault instanceof Refusal) return
      throw fault
    }
  }
  await turns()
}

/** Plans are no deeper than this. */
const deepest = 8

function* partsIn(value: unknown, depth = 0): Generator<object> {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue
    if (key !== 'parts' || !Array.isArray(inner)) yield* partsIn(inner, depth + 1)
    else for (const part of inner) if (typeof part === 'object' && part !== null) yield part
  }
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
