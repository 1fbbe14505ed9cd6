// Writes the one transaction that changes tables from the pieces the kernel holds to the wanted ones. Everything is
// removed before anything is added: rules first, because they use sets, maps and chains; then maps, whose elements jump
// to chains. Additions are one block, in which nft itself makes chains before sets, and sets before rules. Pure.

import type { NftPiece } from '../plan/artifacts.ts'
import { countLines, linesOf, makePart, printPiece } from '../plan/nft-piece.ts'
import { addressSetKind, type ElementChange } from './kernel/address-set.ts'
import type { Counts } from './nft-listing.ts'
import { type HeldPiece, type HeldTable, keyOf, originsOf } from './pieces.ts'
import type { NftSpec } from './tables.ts'
import { commentOf } from './vet.ts'

/** `held` is null when the table has to be loaded in full. */
export interface TableChange {
  readonly table: string
  readonly wanted: readonly NftPiece[]
  readonly held: HeldTable | null
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

const bootLines = ['chain forward {', 'type filter hook forward priority filter; policy drop;', '}']

/** The change from what is held to what is wanted: a delta, or a full load where that is cheaper or needed. */
export function changeOf(table: string, held: HeldTable | null, wanted: readonly NftPiece[]): TableChange {
  const full: TableChange = { table, wanted, held: null }
  if (!held || held.size === 0 || wanted.length === 0) return full
  const { changed, added, vanished } = compare(held, wanted)
  const touched = changed.length + added.length + vanished.length
  const size = Math.max(held.size, wanted.length)
  const names = new Set(vanished.filter(({ kind }) => kind !== 'chain').map(({ name }) => name))
  const isFullReload =
    changed.some(([old, piece]) => old.head !== piece.head) ||
    // Sets and maps share their names.
    added.some(({ kind, name }) => kind !== 'chain' && names.has(name)) ||
    (size > wholeFrom && touched > wholePart * size)
  return isFullReload ? full : { table, wanted, held }
}

/** Chains of the kernel whose rules the change removes. */
export function rewrittenChains({ held, wanted }: TableChange): readonly string[] {
  if (!held) return []
  const { changed, vanished } = compare(held, wanted)
  return [...changed.map(([old]) => old), ...vanished].filter(({ kind }) => kind === 'chain').map(({ name }) => name)
}

function compare(held: HeldTable, wanted: readonly NftPiece[]) {
  const keys = new Set(wanted.map(keyOf))
  const changed: [HeldPiece, NftPiece][] = []
  const added: NftPiece[] = []
  for (const piece of wanted) {
    const old = held.get(keyOf(piece))
    if (!old) added.push(piece)
    else if (old.hash !== piece.hash) changed.push([old, piece])
  }
  return { changed, added, vanished: [...held].filter(([key]) => !keys.has(key)).map(([, piece]) => piece) }
}

/** The change as elements that address sets gain and lose; null when it changes anything else, or very many of them. */
export function elementChangesOf(changes: readonly TableChange[]): readonly ElementChange[] | null {
  const found: ElementChange[] = []
  for (const { table, wanted, held } of changes) {
    if (!held) return null
    const { changed, added, vanished } = compare(held, wanted)
    if (added.length + vanished.length > 0) return null
    for (const [old, piece] of changed) {
      const kind = old.body && piece.kind === 'set' ? addressSetKind(piece.head) : null
      if (!kind) return null
      const { gone, newLines } = differenceOf(old, piece)
      if (gone.length + newLines.length > elementsAtOnce) return null
      const common = { table, set: piece.name, kind, field: fieldOf(piece) }
      found.push({ ...common, verb: 'delete', elements: gone }, { ...common, verb: 'add', elements: newLines })
    }
  }
  return found
}

/**
 * One transaction for all tables. The boot table exists only while the first table of the specification is missing.
 * The first rule of an origin takes its entry out of `counts`; entries that no rule took stay there.
 */
export function composeScript(spec: NftSpec, changes: readonly TableChange[], counts: Counts): ScriptLine[] {
  const lines = changes.flatMap((change) =>
    change.held ? composeDelta(change, change.held, counts) : composeFull(change, counts),
  )
  const first = changes.find(({ table, held }) => table === spec.tables[0] && !held)
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

function composeDelta({ table, wanted }: TableChange, held: HeldTable, counts: Counts): ScriptLine[] {
  const { changed, added, vanished } = compare(held, wanted)
  const changedChains = changed.filter(([old]) => old.kind === 'chain')
  const elements = changed.filter(([old]) => old.kind !== 'chain').map(([old, piece]) => elementsOf(old, piece))
  const [goneChains, goneSets] = [vanished.filter(isChain), vanished.filter((piece) => !isChain(piece))]
  const command = (words: string, { name, ...piece }: HeldPiece | NftPiece): ScriptLine => ({
    text: `${words} ${table} ${name}`,
    field: ('origin' in piece && piece.origin) || name,
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

const isChain = ({ kind }: HeldPiece | NftPiece): boolean => kind === 'chain'

/**
 * Removed and added elements. A set that changes by more than half, or whose old elements are unknown, is refilled; a
 * short one that loses elements too, because for `delete element` nft fetches all elements of all interval sets.
 */
function elementsOf(held: HeldPiece, piece: NftPiece) {
  const { gone, newLines } = differenceOf(held, piece)
  const size = countLines(piece)
  const isRefilled = !held.body || gone.length + newLines.length > size / 2 || (gone.length > 0 && size <= refilledUpTo)
  return { piece, gone: isRefilled ? ('all' as const) : gone, newLines: isRefilled ? linesOf(piece) : newLines }
}

function differenceOf({ body }: HeldPiece, piece: NftPiece) {
  const [oldParts, newParts] = [body?.parts ?? [], piece.parts]
  const [oldHashes, newHashes] = [new Set(oldParts.map(({ hash }) => hash)), new Set(newParts.map(({ hash }) => hash))]
  const old = new Set(linesOf({ parts: oldParts.filter(({ hash }) => !newHashes.has(hash)) }))
  const wanted = new Set(linesOf({ parts: newParts.filter(({ hash }) => !oldHashes.has(hash)) }))
  const gone = [...old].filter((line) => !wanted.has(line))
  const newLines = [...wanted].filter((line) => !old.has(line))
  return { gone, newLines }
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
  if (!isChain(piece)) return printPiece(piece).map((text) => ({ text, field }))
  return printPiece({ ...piece, parts: [{ lines: withCounts(piece, counts), hash: '' }] }).map((text) => ({
    text,
    field: commentOf(text) ?? field,
  }))
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
