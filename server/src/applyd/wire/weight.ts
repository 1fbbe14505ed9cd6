// How large what a plan consists of is at least when it is sent in full. A change can name what was sent before again and
// again, so that a few bytes would stand for more than the memory holds; no plan may be larger than one message.

import type { Artifact, NftPart, NftPiece } from '../../core/plan/artifacts.ts'
import { Refusal } from '../../engines/kit/values.ts'
import { maxFrameBytes } from '../../shared/frames.ts'

/** Their hash, their keys and their quotes. */
const leastPart = 80
const leastPiece = 130
const leastArtifact = 20

const known = new WeakMap<NftPart | NftPiece, number>()

function once<T extends NftPart | NftPiece>(one: T, weigh: (one: T) => number): number {
  const before = known.get(one)
  if (before !== undefined) return before
  const weight = weigh(one)
  known.set(one, weight)
  return weight
}

export const weightOfPart = (part: NftPart): number =>
  once(part, ({ lines }) => lines.reduce((sum, { length }) => sum + length + 2, leastPart))

export const weightOfPiece = (piece: NftPiece): number =>
  once(piece, ({ head, parts }) => parts.reduce((sum, part) => sum + weightOfPart(part), leastPiece + head.length))

export const weightOfArtifact = (artifact: Artifact): number => {
  if (artifact.kind === 'file') return leastArtifact + artifact.text.length
  return artifact.kind === 'nft'
    ? artifact.pieces.reduce((sum, piece) => sum + weightOfPiece(piece), leastArtifact)
    : leastArtifact
}

/** Throws as soon as what was added is too much. */
export function createScale(): (weight: number) => void {
  let sum = 0
  return (weight) => {
    sum += weight
    if (sum > maxFrameBytes) throw new Refusal('The plan is larger than what can be sent at once.')
  }
}
