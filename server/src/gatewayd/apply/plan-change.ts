// What is sent of a plan to an applyd that knows the one before: the difference. Pieces, parts and files are compared by
// identity first, so that what one change costs does not depend on the size of what stays. Pure.

import type { Artifact, NftPart, NftPiece, NftTable, Plan } from '../../core/plan/artifacts.ts'
import type { KeptRange, NftPieceChange, NftTableChange, PlanChange } from '../../core/plan/verbs.ts'

export function changeBetween(before: Plan, after: Plan): PlanChange {
  const known = new Map(before.artifacts.map((artifact) => [nameOf(artifact), artifact]))
  const changed: (Artifact | NftTableChange)[] = []
  for (const artifact of after.artifacts) {
    const name = nameOf(artifact)
    const old = known.get(name)
    known.delete(name)
    if (!old || !isSame(old, artifact)) changed.push(old ? changeOf(old, artifact) : artifact)
  }
  return { revision: after.revision, changed, removed: [...known.keys()] }
}

const nameOf = ({ kind, name }: Artifact): string => `${kind} ${name}`

function isSame(old: Artifact, artifact: Artifact): boolean {
  if (old === artifact) return true
  if (old.kind === 'nft' && artifact.kind === 'nft')
    return old.pieces === artifact.pieces || isKept(old.pieces, artifact.pieces)
  if (old.kind === 'file' && artifact.kind === 'file') return old.text === artifact.text
  return JSON.stringify(old) === JSON.stringify(artifact)
}

const isKept = (old: readonly NftPiece[], pieces: readonly NftPiece[]): boolean =>
  old.length === pieces.length && pieces.every((piece, index) => isEqual(old[index], piece))

const isEqual = <T extends NftPiece | NftPart>(old: T | undefined, one: T | undefined): boolean =>
  old === one || old?.hash === one?.hash

function changeOf(old: Artifact, artifact: Artifact): Artifact | NftTableChange {
  return old.kind === 'nft' && artifact.kind === 'nft' ? tableChange(old.pieces, artifact) : artifact
}

function tableChange(old: readonly NftPiece[], { kind, name, pieces }: NftTable): NftTableChange {
  const positions = new Map<string, number>()
  const changes = edit(old, pieces, (piece, from, to) => {
    if (positions.size === 0) for (let at = from; at < to; at++) positions.set(keyOf(old[at]), at)
    const base = positions.get(keyOf(piece))
    const parts = base === undefined ? undefined : old[base]?.parts
    return base === undefined || !parts || piece.parts.length < 2 ? piece : pieceChange(base, parts, piece)
  })
  return { kind, name, changes }
}

const keyOf = (piece: NftPiece | undefined): string => `${piece?.kind} ${piece?.name}`

const pieceChange = (base: number, old: readonly NftPart[], { parts, ...rest }: NftPiece): NftPieceChange => ({
  ...rest,
  base,
  parts: edit(old, parts, (part) => part),
})

/** The new list as ranges of the old one and what is new. `show` gets the range in which the lists differ. */
function edit<T extends NftPiece | NftPart, U>(
  old: readonly T[],
  wanted: readonly T[],
  show: (one: T, from: number, to: number) => U,
): (KeptRange | U)[] {
  const shorter = Math.min(old.length, wanted.length)
  let start = 0
  while (start < shorter && isEqual(old[start], wanted[start])) start += 1
  let tail = 0
  while (tail < shorter - start && isEqual(old.at(-1 - tail), wanted.at(-1 - tail))) tail += 1
  const end = old.length - tail
  const positions = new Map<string, number>()
  for (let at = start; at < end; at++) positions.set(old[at]?.hash ?? '', at)
  const edits: (KeptRange | U)[] = start > 0 ? [[0, start]] : []
  let kept: [number, number] | null = null
  for (const one of wanted.slice(start, wanted.length - tail)) {
    const at = positions.get(one.hash)
    if (kept && at === kept[1]) {
      kept[1] += 1
      continue
    }
    kept = at === undefined ? null : [at, at + 1]
    edits.push(kept ?? show(one, start, end))
  }
  return tail > 0 ? [...edits, [end, old.length]] : edits
}
