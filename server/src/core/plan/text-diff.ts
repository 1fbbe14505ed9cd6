// A small line diff for dry runs: what would leave a rendered artifact and what would come in. Pure.

import type { Artifact, NftPart, NftPiece, NftTable } from './artifacts.ts'
import { printPiece } from './nft-piece.ts'
import { artifactName, contentOf, sameArtifacts } from './planner.ts'
import { hideMarks } from './sealed.ts'

export interface ArtifactChange {
  readonly artifact: string
  readonly action: 'added' | 'changed' | 'removed'
  readonly removed_lines: readonly string[]
  readonly added_lines: readonly string[]
}

export function diffArtifacts(before: readonly Artifact[], after: readonly Artifact[]): ArtifactChange[] {
  const old = new Map(before.map((artifact) => [artifactName(artifact), artifact]))
  const changes: ArtifactChange[] = []
  for (const artifact of after) {
    const name = artifactName(artifact)
    const previous = old.get(name)
    old.delete(name)
    if (previous && sameArtifacts([previous], [artifact])) continue
    changes.push(change(name, previous ? 'changed' : 'added', previous, artifact))
  }
  for (const [name, artifact] of old) changes.push(change(name, 'removed', artifact, undefined))
  return changes
}

function change(
  artifact: string,
  action: ArtifactChange['action'],
  before: Artifact | undefined,
  after: Artifact | undefined,
): ArtifactChange {
  const isTable = before?.kind === 'nft' && after?.kind === 'nft'
  const lines = isTable ? diffTables(before, after) : diffLines(linesOf(before), linesOf(after))
  return { artifact, action, removed_lines: lines.removed, added_lines: lines.added }
}

function linesOf(artifact: Artifact | undefined): string[] {
  const text = artifact ? hideMarks(contentOf(artifact)) : ''
  return text === '' ? [] : text.split('\n')
}

interface Lines {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Piece by piece; those of equal hash are passed over unread. */
function diffTables(before: NftTable, after: NftTable): Lines {
  const keyOf = ({ kind, name }: NftPiece) => `${kind} ${name}`
  const old = new Map(before.pieces.map((piece) => [keyOf(piece), piece]))
  const lines: Lines[] = []
  for (const piece of after.pieces) {
    const previous = old.get(keyOf(piece))
    old.delete(keyOf(piece))
    if (previous?.hash !== piece.hash) lines.push(diffPieces(previous, piece))
  }
  for (const piece of old.values()) lines.push(diffPieces(piece, undefined))
  return { removed: lines.flatMap(({ removed }) => removed), added: lines.flatMap(({ added }) => added) }
}

/** Of a long list no more lines than this are shown in each direction; a last one counts the others. */
const maxLines = 1000

/** Of a long list only the elements that differ are shown, without those that happen to be between them. */
function diffPieces(before: NftPiece | undefined, after: NftPiece | undefined): Lines {
  const isLong = [before, after].some((piece) => piece !== undefined && piece.parts.length > 1)
  if (!isLong) return diffLines(before ? printPiece(before) : [], after ? printPiece(after) : [])
  const [kept, others] = [new Set(before?.parts.map(hashOf)), new Set(after?.parts.map(hashOf))]
  const removed = elementsOf(before, others)
  const added = elementsOf(after, kept)
  return { removed: bounded(without(removed, added), before), added: bounded(without(added, removed), after) }
}

const hashOf = ({ hash }: NftPart): string => hash

/** The elements of the parts that the other side does not have. */
const elementsOf = (piece: NftPiece | undefined, others: ReadonlySet<string>): readonly string[] =>
  piece?.parts.flatMap(({ hash, lines }) => (others.has(hash) ? [] : lines)) ?? []

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}

function bounded(elements: readonly string[], piece: NftPiece | undefined): readonly string[] {
  if (!piece || elements.length === 0) return []
  const shown = elements.slice(0, maxLines).map((element) => `      ${element},`)
  const more = elements.length - shown.length
  return [`  ${piece.kind} ${piece.name} {`, ...shown, ...(more > 0 ? [`      ... and ${more} more`] : [])]
}

/** Lines of the part that differs, between the common head and the common tail. */
function diffLines(a: readonly string[], b: readonly string[]): Lines {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return { removed: a.slice(start, a.length - tail), added: b.slice(start, b.length - tail) }
}
