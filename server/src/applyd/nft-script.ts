// Writes the one transaction that changes tables from the pieces the kernel holds to the wanted ones. Everything is
// removed before anything is added: rules first, because they use sets, maps and chains; then maps, whose elements jump
// to chains. Additions are one block, in which nft itself makes chains before sets, and sets before rules. Pure.

import type { NftPiece } from '../core/plan/artifacts.ts'
import { countLines, linesOf, makePart, printPiece } from '../core/plan/nft-piece.ts'
import type { NftSpec } from '../engines/kit/tables.ts'
import type { Counts } from '../shared/netlink.ts'
import { addressSetKind, type ElementChange } from './kernel/address-set.ts'
import { commentOf } from './loaded/vet-pieces.ts'
import { compare, originsOf, type PieceDifference } from './pieces.ts'

/** `difference` is that to the held pieces; null when the table has to be loaded in full. */
export interface TableChange {
  readonly table: string
  readonly wanted: readonly NftPiece[]
  readonly difference: PieceDifference | null
}

/** `field` names the object that a refusal of this line is reported for. */
export interface ScriptLine {
  readonly text: string
  readonly field: string
}

/** With more pieces than this, a change of this fraction of them is cheaper as a full load. */
const wholeFrom = 20
const wholePart = 0.4

/** Filling a set of this size again is cheaper than what nft does to remove one element beside a large list. */
const refilledUpTo = 1000

/** A script with more of them is not slower. */
const elementsAtOnce = 20_000
/** More are not compared one by one. */
const comparedAtOnce = 50_000

/**
 * Nothing is forwarded, and of this machine only SSH can be reached. TCP packets that open no connection are accepted, so
 * that a session which was there before the kernel followed connections goes on. As in deploy/boot.nft.
 */
const bootLines = [
  'chain forward {',
  'type filter hook forward priority filter; policy drop;',
  '}',
  'chain input {',
  'type filter hook input priority filter; policy drop;',
  // ICMP by number: a minimal Debian has no names of protocols.
  'iifname "lo" accept',
  'ct state established,related accept',
  'meta l4proto { 1, 58 } accept',
  // Answers to a DHCP client, which may be broadcast.
  'udp sport 67 udp dport 68 accept',
  'udp sport 547 udp dport 546 accept',
  'tcp dport 22 accept',
  'tcp flags & (syn | ack) != syn accept',
  '}',
]

/** The change from what is held to what is wanted: a delta, or a full load where that is cheaper or needed. */
export function changeOf(table: string, held: readonly NftPiece[] | null, wanted: readonly NftPiece[]): TableChange {
  const full: TableChange = { table, wanted, difference: null }
  if (!held || held.length === 0 || wanted.length === 0) return full
  const difference = compare(held, wanted)
  const { changed, added, vanished } = difference
  const touched = changed.length + added.length + vanished.length
  const size = Math.max(held.length, wanted.length)
  const names = new Set(vanished.filter(({ kind }) => kind !== 'chain').map(({ name }) => name))
  const isFullReload =
    changed.some(([old, piece]) => old.head !== piece.head) ||
    // Sets and maps share their names.
    added.some(({ kind, name }) => kind !== 'chain' && names.has(name)) ||
    (size > wholeFrom && touched > wholePart * size)
  return isFullReload ? full : { table, wanted, difference }
}

/** Chains of the kernel whose rules the change removes; null when it removes them all. */
export function rewrittenChains({ difference }: TableChange): readonly string[] | null {
  if (!difference) return null
  const { changed, vanished } = difference
  return [...changed.map(([old]) => old), ...vanished].filter(isChain).map(({ name }) => name)
}

/** An address, a network or a range, as the kernel takes them without nft. */
const plainElement = /^[\d.]+(?:\/\d+|-[\d.]+)?$/

/** The changes, where they are nothing but a few elements of lists of addresses; otherwise null. */
export function elementChangesOf(changes: readonly TableChange[]): readonly ElementChange[] | null {
  const found: ElementChange[] = []
  for (const { table, difference } of changes) {
    if (!difference || difference.added.length + difference.vanished.length > 0) return null
    for (const [old, piece] of difference.changed) {
      const kind = piece.kind === 'set' ? addressSetKind(piece.head) : null
      if (kind === null || countDiffering(old, piece) > comparedAtOnce) return null
      const { gone, newLines } = differingElements(old, piece)
      if (gone.length + newLines.length > elementsAtOnce) return null
      if (![...gone, ...newLines].every((line) => plainElement.test(line))) return null
      const change = { table, set: piece.name, kind, field: fieldOf(piece) }
      if (gone.length > 0) found.push({ verb: 'delete', ...change, elements: gone })
      if (newLines.length > 0) found.push({ verb: 'add', ...change, elements: newLines })
    }
  }
  return found.length > 0 ? found : null
}

/**
 * One transaction for all tables. The boot table exists only while the first table of the specification is missing.
 * The first rule of an origin takes its entry out of `counts`; entries that no rule took stay there.
 */
export function composeScript(spec: NftSpec, changes: readonly TableChange[], counts: Counts): ScriptLine[] {
  const lines = changes.flatMap((change) =>
    change.difference ? composeDelta(change.table, change.difference, counts) : composeFull(change, counts),
  )
  const first = changes.find(({ table, difference }) => table === spec.tables[0] && !difference)
  if (!first) return lines
  const boot =
    first.wanted.length > 0 ? removal(spec.boot) : [...removal(spec.boot), `table ${spec.boot} {`, ...bootLines, '}']
  return [...lines, ...boot.map((text) => ({ text, field: spec.boot }))]
}

/** Naming the table first makes its deletion valid whether or not it exists. */
const removal = (table: string): string[] => [`table ${table}`, `delete table ${table}`]

function composeFull({ table, wanted }: TableChange, counts: Counts): ScriptLine[] {
  const head = removal(table).map((text) => ({ text, field: table }))
  return wanted.length === 0 ? head : [...head, ...block(table, wanted, counts)]
}

function composeDelta(table: string, { changed, added, vanished }: PieceDifference, counts: Counts): ScriptLine[] {
  const changedChains = changed.filter(([old]) => old.kind === 'chain')
  const elements = changed.filter(([old]) => old.kind !== 'chain').map(([old, piece]) => elementsOf(old, piece))
  const [goneChains, goneSets] = [vanished.filter(isChain), vanished.filter((piece) => !isChain(piece))]
  const command = (words: string, piece: NftPiece): ScriptLine => ({
    text: `${words} ${table} ${piece.name}`,
    field: fieldOf(piece),
  })
  const remove = (piece: NftPiece, lines: readonly string[]): ScriptLine[] =>
    lines.length === 0
      ? []
      : [`delete element ${table} ${piece.name} {`, ...lines.map((line) => `${line},`), '}'].map((text) => ({
          text,
          field: fieldOf(piece),
        }))
  // Named again with more elements: for `add element` nft would first fetch all elements of all interval sets.
  const refilled = elements.flatMap(({ piece, newLines }) =>
    newLines.length === 0 ? [] : [{ ...piece, parts: [makePart(newLines)] }],
  )
  return [
    ...[...changedChains.map(([old]) => old), ...goneChains].map((chain) => command('flush chain', chain)),
    ...goneSets.map((set) => command(`delete ${set.kind}`, set)),
    ...elements.flatMap(({ piece, gone }) =>
      gone === 'all' ? [command(`flush ${piece.kind}`, piece)] : remove(piece, gone.map(elementKey)),
    ),
    ...goneChains.map((chain) => command('delete chain', chain)),
    ...block(table, [...added, ...changedChains.map(([, piece]) => piece), ...refilled], counts),
  ]
}

const isChain = ({ kind }: NftPiece): boolean => kind === 'chain'

function differingParts({ parts: oldParts }: NftPiece, { parts }: NftPiece) {
  const [oldHashes, newHashes] = [new Set(oldParts.map(({ hash }) => hash)), new Set(parts.map(({ hash }) => hash))]
  return {
    old: { parts: oldParts.filter(({ hash }) => !newHashes.has(hash)) },
    wanted: { parts: parts.filter(({ hash }) => !oldHashes.has(hash)) },
  }
}

/** Elements in parts that differ: not fewer than elements that do. */
function countDiffering(before: NftPiece, piece: NftPiece): number {
  const { old, wanted } = differingParts(before, piece)
  return countLines(old) + countLines(wanted)
}

/** Removed and added elements, found part by part. */
function differingElements(before: NftPiece, piece: NftPiece) {
  const differing = differingParts(before, piece)
  const [old, wanted] = [new Set(linesOf(differing.old)), new Set(linesOf(differing.wanted))]
  return {
    gone: [...old].filter((line) => !wanted.has(line)),
    newLines: [...wanted].filter((line) => !old.has(line)),
  }
}

/**
 * What nft is told. A set that changes by more than half is refilled; a short one that loses elements too, because for
 * `delete element` nft fetches all elements of all interval sets.
 */
function elementsOf(old: NftPiece, piece: NftPiece) {
  const size = countLines(piece)
  // Comparing so many would take longer than what it can save.
  if (countDiffering(old, piece) > Math.max(comparedAtOnce, size))
    return { piece, gone: 'all' as const, newLines: linesOf(piece) }
  const { gone, newLines } = differingElements(old, piece)
  const isRefilled = gone.length + newLines.length > size / 2 || (gone.length > 0 && size <= refilledUpTo)
  return { piece, gone: isRefilled ? ('all' as const) : gone, newLines: isRefilled ? linesOf(piece) : newLines }
}

/** An element of a map is found by its key. */
const elementKey = (line: string): string => line.split(' : ', 1)[0] ?? line

function block(table: string, pieces: readonly NftPiece[], counts: Counts): ScriptLine[] {
  if (pieces.length === 0) return []
  const edge = (text: string): ScriptLine => ({ text, field: table })
  const inner = pieces.flatMap((piece, index) => [...(index === 0 ? [] : [edge('')]), ...scriptOf(piece, counts)])
  return [edge(`table ${table} {`), ...inner, edge('}')]
}

/** As printed everywhere, but with counts; each line with the object that a refusal of it belongs to. */
function scriptOf(piece: NftPiece, counts: Counts): ScriptLine[] {
  const field = fieldOf(piece)
  if (!isChain(piece)) return printElements(piece).map((text) => ({ text, field }))
  return printPiece({ ...piece, parts: [{ lines: withCounts(piece, counts), hash: '' }] }).map((text) => ({
    text,
    field: commentOf(text) ?? field,
  }))
}

/** A refusal of any element is one of its set, so many share a line. */
const elementsInLine = 100

function printElements(piece: NftPiece): string[] {
  const lines = linesOf(piece)
  if (lines.length <= elementsInLine) return printPiece(piece)
  const [open = '', ...rest] = printPiece({ ...piece, parts: [] })
  const elements: string[] = []
  for (let at = 0; at < lines.length; at += elementsInLine)
    elements.push(`      ${lines.slice(at, at + elementsInLine).join(', ')},`)
  return [open, ...rest.slice(0, -1), '    elements = {', ...elements, '    }', ...rest.slice(-1)]
}

const fieldOf = ({ origin, name }: NftPiece): string => origin || name

function withCounts(piece: NftPiece, counts: Counts): readonly string[] {
  if (counts.size === 0) return linesOf(piece)
  const origins = originsOf(piece)
  return linesOf(piece).map((line, index) => {
    const origin = origins[index] ?? ''
    const count = counts.get(origin)
    const at = count ? endOfCounter(line) : null
    if (!count || at === null) return line
    counts.delete(origin)
    return `${line.slice(0, at)} packets ${count.packets} bytes ${count.bytes}${line.slice(at)}`
  })
}

/** Where the first word `counter` ends that is not in quotes. */
function endOfCounter(line: string): number | null {
  for (const { 0: found, index } of line.matchAll(/"[^"]*"|\bcounter\b/g))
    if (found === 'counter') return index + found.length
  return null
}
