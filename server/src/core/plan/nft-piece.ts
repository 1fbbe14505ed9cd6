// The pieces of an nftables table: how one is made, hashed and printed. There is one printer and one hash for plans, diffs,
// golden files, the wire and the kernel, so the text that a test compares is the text that is loaded.

import { hash as digest } from 'node:crypto'
import type { NftPart, NftPiece } from './artifacts.ts'

type Content = Omit<NftPiece, 'hash'>
/** What a piece is made of where its lines are at hand. */
export type PieceLines = Omit<Content, 'parts'> & { readonly lines: readonly string[] }

/** Elements of more than this are cut into parts. */
const longestPart = 1024
/** A part begins at an element whose hash is divisible by this. */
const partSize = 512

const sha256 = (value: unknown): string => digest('sha256', JSON.stringify(value))

export const hashPart = (lines: readonly string[]): string => sha256(lines)

export const makePart = (lines: readonly string[]): NftPart => ({ lines, hash: hashPart(lines) })

/** The identity of a piece. applyd computes it again for every piece it receives, and that of every part. */
export const hashPiece = ({ kind, name, head, parts, origin }: Content): string =>
  sha256([kind, name, head, parts.map(({ hash }) => hash), origin])

/** Do its hashes match its content? */
export const isGenuine = (piece: NftPiece): boolean =>
  piece.parts.every(({ lines, hash }) => hashPart(lines) === hash) && hashPiece(piece) === piece.hash

/** A chain is one part; the elements of a set or map are cut where their content says so. */
export function makePiece({ lines, ...content }: PieceLines): NftPiece {
  const isLong = content.kind !== 'chain' && lines.length > longestPart
  return joinParts(content, (isLong ? cutLines(lines) : lines.length > 0 ? [lines] : []).map(makePart))
}

/** For parts that are kept from one time to the next; no part is empty. */
export function joinParts({ kind, name, head, origin }: Omit<Content, 'parts'>, parts: readonly NftPart[]): NftPiece {
  const content = { kind, name, head, parts, origin }
  return { ...content, hash: hashPiece(content) }
}

function cutLines(lines: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = []
  let begin = 0
  for (let at = 1; at <= lines.length; at++) {
    if (at < lines.length && hashLine(lines[at] as string) % partSize !== 0) continue
    parts.push(lines.slice(begin, at))
    begin = at
  }
  return parts
}

/** FNV-1a: evenly spread is all that is asked of it. */
function hashLine(line: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < line.length; at++) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export const countLines = ({ parts }: Pick<NftPiece, 'parts'>): number =>
  parts.reduce((sum, { lines }) => sum + lines.length, 0)

export const linesOf = ({ parts }: Pick<NftPiece, 'parts'>): readonly string[] =>
  parts.length === 1 && parts[0] ? parts[0].lines : parts.flatMap(({ lines }) => lines)

/** The lines of a piece in its table. Few elements share one line, many have one each. */
export function printPiece({ kind, name, head, parts }: Content): string[] {
  const lines = linesOf({ parts })
  const content = kind === 'chain' ? lines.map((line) => `    ${line}`) : printElements(lines)
  return [`  ${kind} ${name} {`, ...(head === '' ? [] : [`    ${head}`]), ...content, '  }']
}

function printElements(lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const isShort = lines.reduce((sum, line) => sum + line.length + 2, 0) < 100
  if (isShort) return [`    elements = { ${lines.join(', ')} }`]
  return ['    elements = {', ...lines.map((line) => `      ${line},`), '    }']
}

/** What is between the braces of a table: an empty line separates two pieces. */
export const printPieces = (pieces: readonly Content[]): string[] =>
  pieces.flatMap((piece, index) => (index === 0 ? printPiece(piece) : ['', ...printPiece(piece)]))

/** A whole table that does not exist yet. */
export const printTable = (table: string, pieces: readonly Content[]): string =>
  [`table ${table} {`, ...printPieces(pieces), '}'].map((line) => `${line}\n`).join('')
