// What applyd knows about the pieces of a table: their identity, and by what a listing of the kernel is recognised as
// the piece that was loaded. Pure.

import { hash } from 'node:crypto'
import type { NftPiece } from '../core/plan/artifacts.ts'
import { countLines, linesOf } from '../core/plan/nft-piece.ts'
import { commentOf } from './loaded/vet-pieces.ts'

/** What a table should become; without pieces it is removed. */
export type TableTargets = ReadonlyMap<string, readonly NftPiece[]>

/** The pieces of one table, by key. */
export type PieceIndex = ReadonlyMap<string, NftPiece>

export const keyOf = ({ kind, name }: Pick<NftPiece, 'kind' | 'name'>): string => `${kind} ${name}`

const indexes = new WeakMap<readonly NftPiece[], PieceIndex>()

/** The pieces of a table by key; a list of pieces never changes, so each is indexed once. */
export function indexPieces(pieces: readonly NftPiece[]): PieceIndex {
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

/** Pieces that stay are mostly the same objects, so that this reads nothing of them. */
export function compare(held: PieceIndex, wanted: PieceIndex): PieceDifference {
  const changed: [NftPiece, NftPiece][] = []
  const added: NftPiece[] = []
  for (const [key, piece] of wanted) {
    const old = held.get(key)
    if (old === piece) continue
    if (!old) added.push(piece)
    else if (old.hash !== piece.hash) changed.push([old, piece])
  }
  const isAllThere = wanted.size - added.length === held.size
  const vanished = isAllThere ? [] : [...held].filter(([key]) => !wanted.has(key)).map(([, piece]) => piece)
  return { changed, added, vanished }
}

export const isNoDifference = ({ changed, added, vanished }: PieceDifference): boolean =>
  changed.length + added.length + vanished.length === 0

/** Are these the same pieces, in any order? */
export const areSame = (one: readonly NftPiece[], other: readonly NftPiece[]): boolean =>
  one === other || (one.length === other.length && isNoDifference(compare(indexPieces(one), indexPieces(other))))

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
