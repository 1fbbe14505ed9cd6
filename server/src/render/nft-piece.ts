// Makes the pieces of an nftables table. The hash is the identity of a piece everywhere: between plans, on the wire and
// in applyd, which computes it once more for whatever it is sent.

import { createHash } from 'node:crypto'
import type { NftPiece } from '../plan/artifacts.ts'

export function makePiece({ kind, name, head, lines, origin }: Omit<NftPiece, 'hash'>): NftPiece {
  const content = JSON.stringify([kind, name, head, lines, origin])
  return { kind, name, head, lines, origin, hash: createHash('sha256').update(content).digest('hex') }
}
