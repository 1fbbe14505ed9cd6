// What counts as one host in the limits of connections.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linesOf } from '../../core/plan/nft-piece.ts'
import { limitPieces } from './compile-limits.ts'
import { emptyPolicy } from './model.ts'

describe('the limits of connections', () => {
  it('count an address of IPv4 and a network of IPv6, also on the link, where a host has as many addresses as it likes', () => {
    const pieces = limitPieces({ ...emptyPolicy, limits: { localHost: 4_096, outsideHost: 4_096 } })
    const lines = (name: string): string =>
      linesOf(pieces.find((piece) => piece.name === name) ?? assert.fail(name)).join('\n')
    assert.match(lines('limit_local_4'), /add @limit_held_4 \{ ip saddr \. meta mark ct count/)
    assert.match(lines('limit_local_6'), /add @limit_held_6 \{ ip6 saddr & ffff:ffff:ffff:ffff:: \. meta mark ct count/)
    assert.doesNotMatch(pieces.flatMap((piece) => linesOf(piece)).join('\n'), /fe80|\{ ip6 saddr \. /)
  })

  it('are made again only when they change', () => {
    const piecesOf = (localHost: number, outsideHost: number) =>
      limitPieces({ ...emptyPolicy, limits: { localHost, outsideHost } })
    const made = piecesOf(4_096, 2_048)
    assert.equal(piecesOf(4_096, 2_048), made)
    const others = [piecesOf(4_096, 4_096), piecesOf(2_048, 4_096), piecesOf(4_096, 2_048)]
    const hashesOf = (pieces: typeof made): string => pieces.map(({ hash }) => hash).join()
    assert.equal(new Set(others.map(hashesOf)).size, 3)
    assert.equal(hashesOf(others[2] ?? []), hashesOf(made))
  })
})
