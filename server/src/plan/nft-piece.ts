// The pieces of an nftables table: how one is made, hashed and printed. There is one printer and one hash for plans, diffs,
// golden files, the wire and the kernel, so the text that a test compares is the text that is loaded.

import { createHash } from 'node:crypto'
import type { NftPiece } from '../plan/artifacts.ts'

type Content = Omit<NftPiece, 'hash'>

/** The identity of a piece. applyd computes it again for every piece it receives. */
export const hashPiece = ({ kind, name, head, lines, origin }: Content): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, name, head, lines, origin]))
    .digest('hex')

export function makePiece({ kind, name, head, lines, origin }: Content): NftPiece {
  const content = { kind, name, head, lines, origin }
  return { ...content, hash: hashPiece(content) }
}

/** The lines of a piece in its table. Few elements share one line, many have one each. */
export function printPiece({ kind, name, head, lines }: Content): string[] {
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
