// A small line diff for dry runs: what would leave a rendered artifact and what would come in. Pure.

import type { Artifact, NftPiece, NftTable } from './artifacts.ts'
import { printPiece } from './nft-piece.ts'
import { artifactName, contentOf, sameArtifacts } from './planner.ts'

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
  const text = artifact ? contentOf(artifact) : ''
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
    if (previous?.hash !== piece.hash) lines.push(diffLines(previous ? printPiece(previous) : [], printPiece(piece)))
  }
  for (const piece of old.values()) lines.push(diffLines(printPiece(piece), []))
  return { removed: lines.flatMap(({ removed }) => removed), added: lines.flatMap(({ added }) => added) }
}

/** Lines of the part that differs, between the common head and the common tail. */
function diffLines(a: readonly string[], b: readonly string[]): Lines {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return { removed: a.slice(start, a.length - tail), added: b.slice(start, b.length - tail) }
}
