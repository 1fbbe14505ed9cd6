// What applyd knows about the pieces of a table: their identity, and by what a listing of the kernel is recognised as
// the piece that was loaded. Pure.

import { createHash } from 'node:crypto'
import type { NftPiece } from '../plan/artifacts.ts'
import { countLines, linesOf } from '../plan/nft-piece.ts'
import { commentOf } from './vet.ts'

/** What a table should become; without pieces it is removed. */
export type TableTargets = ReadonlyMap<string, readonly NftPiece[]>

/**
 * A piece as the kernel got it. The body is missing after a restart that found no copy of it, until a plan brings one.
 * The fingerprint is that of the first listing after the load whose `shape` was right; null before it.
 */
export interface HeldPiece extends Pick<NftPiece, 'kind' | 'name' | 'head' | 'hash'> {
  readonly body: NftPiece | null
  readonly shape: string
  readonly fingerprint: string | null
}

/** The pieces of one table, by key. */
export type HeldTable = ReadonlyMap<string, HeldPiece>

export const keyOf = ({ kind, name }: Pick<NftPiece, 'kind' | 'name'>): string => `${kind} ${name}`

const indexes = new WeakMap<readonly NftPiece[], ReadonlyMap<string, NftPiece>>()

/** The pieces of a table by key; a list of pieces never changes, so each is indexed once. */
export function indexPieces(pieces: readonly NftPiece[]): ReadonlyMap<string, NftPiece> {
  const known = indexes.get(pieces)
  const index = known ?? new Map(pieces.map((piece) => [keyOf(piece), piece]))
  if (!known) indexes.set(pieces, index)
  return index
}

/** Short, because the record of what is applied holds one for every piece. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)

export const hold = (piece: NftPiece): HeldPiece => {
  const { kind, name, head, hash } = piece
  return { kind, name, head, hash, body: piece, shape: shapeOf(piece), fingerprint: null }
}

/** Elements of these sets change without applyd. */
export const isLively = ({ head }: Pick<NftPiece, 'head'>): boolean => /\b(dynamic|timeout)\b/.test(head)

function shapeOf(piece: NftPiece): string {
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
