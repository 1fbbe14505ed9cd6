// What applyd knows about the pieces of a table: their identity, and by what a listing of the kernel is recognised as
// the piece that was loaded. Pure.

import { hash } from 'node:crypto'
import type { NftPiece } from '../core/plan/artifacts.ts'
import { countLines, linesOf } from '../core/plan/nft-piece.ts'
import { commentOf } from './loaded/vet-pieces.ts'

/** What a table should become; without pieces it is removed. */
export type TableTargets = ReadonlyMap<string, readonly NftPiece[]>

export const keyOf = ({ kind, name }: Pick<NftPiece, 'kind' | 'name'>): string => `${kind} ${name}`

const indexes = new WeakMap<readonly NftPiece[], ReadonlyMap<string, NftPiece>>()

/** The pieces of a table by key; a list of pieces never changes, so each is indexed once. */
export function indexPieces(pieces: readonly NftPiece[]): ReadonlyMap<string, NftPiece> {
  const known = indexes.get(pieces)
  const index = known ?? new Map(pieces.map((piece) => [keyOf(piece), piece]))
  if (!known) indexes.set(pieces, index)
  return index
}

/** What must be done to a table. */
export interface PieceDifference {
  readonly changed: readonly (readonly [old: NftPiece, piece: NftPiece])[]
  readonly added: readonly NftPiece[]
  readonly vanished: readonly NftPiece[]
}

/** How many of the very same pieces both lists begin and end with. */
function commonEnds(one: readonly NftPiece[], other: readonly NftPiece[]): readonly [head: number, tail: number] {
  const shorter = Math.min(one.length, other.length)
  let head = 0
  while (head < shorter && one[head] === other[head]) head++
  let tail = 0
  while (tail < shorter - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++
  return [head, tail]
}

/** No list has a piece twice, so what both begin and end with cannot be between the ends of either. */
export function compare(held: readonly NftPiece[], wanted: readonly NftPiece[]): PieceDifference {
  const changed: [NftPiece, NftPiece][] = []
  const added: NftPiece[] = []
  const [head, tail] = commonEnds(held, wanted)
  const left = new Map(held.slice(head, held.length - tail).map((piece) => [keyOf(piece), piece]))
  for (const piece of wanted.slice(head, wanted.length - tail)) {
    const key = keyOf(piece)
    const old = left.get(key)
    left.delete(key)
    if (!old) added.push(piece)
    else if (old.hash !== piece.hash) changed.push([old, piece])
  }
  return { changed, added, vanished: [...left.values()] }
}

/** Is a piece there twice? `before` is a list without such pieces, of which most were taken over. */
export function hasTwice(pieces: readonly NftPiece[], before: readonly NftPiece[]): boolean {
  const [head, tail] = commonEnds(before, pieces)
  const keys = new Set(pieces.slice(head, pieces.length - tail).map(keyOf))
  // Names of the others are at hand, their keys are not.
  const names = new Set([...keys].map((key) => key.slice(key.indexOf(' ') + 1)))
  const isFresh = (piece: NftPiece): boolean => names.has(piece.name) && keys.has(keyOf(piece))
  return pieces.reduce((count, piece) => (isFresh(piece) ? count + 1 : count), 0) > keys.size
}

/** Are these the same pieces, in any order? */
export const areSame = (one: readonly NftPiece[], other: readonly NftPiece[]): boolean =>
  one === other ||
  (one.length === other.length && Object.values(compare(one, other)).every(({ length }) => length === 0))

/** Short, because one is kept for every piece. */
export const digest = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22)

/** Elements of these sets change without applyd. */
export const isLively = ({ head }: Pick<NftPiece, 'head'>): boolean => /\b(dynamic|timeout)\b/.test(head)

/** By what a listing is recognised as this piece before its fingerprint is known. */
export function shapeOf(piece: NftPiece): string {
  if (piece.kind === 'chain') return chainShape(hookOf(piece.head), originsOf(piece))
  return setShape(isLively(piece) || /\bauto-merge\b/.test(piece.head) ? null : countLines(piece))
}

export const setShape = (count: number | null): string => (count === null ? 'any' : String(count))
export const chainShape = (hook: string, origins: readonly string[]): string => digest([hook, origins])

/** Type, hook and policy in one form for our own text and for a listing. */
export const hookOf = (head: string): string => {
  const [, type, hook] = head.match(/^type (\w+) hook (\w+)/) ?? []
  return type && hook ? `${type} ${hook} ${head.match(/\bpolicy (\w+)/)?.[1] ?? 'accept'}` : ''
}

const origins = new WeakMap<NftPiece, readonly string[]>()

/** The comment of each rule, '' where it has none; cached, because every load needs those of large tables. */
export function originsOf(piece: NftPiece): readonly string[] {
  const known = origins.get(piece)
  if (known) return known
  const found = piece.kind === 'chain' ? linesOf(piece).map((line) => commentOf(line) ?? '') : []
  origins.set(piece, found)
  return found
}
