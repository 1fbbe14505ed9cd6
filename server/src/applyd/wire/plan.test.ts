// What a change on the socket may say of the plan before it, from a peer that lies.
// Requirement 52.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { hashPiece, makePart, makePiece } from '../../core/plan/nft-piece.ts'
import { Refusal, UnknownPiece } from '../../engines/kit/values.ts'
import { benchTables, chain, forwardHead, plainNft, set } from '../stand-ins/harness.ts'
import { createPlanReader } from './plan.ts'

const tables = benchTables('/nowhere', plainNft, 53)
const table = 'inet portcullis'
const hosts = set(
  'hosts',
  Array.from({ length: 5000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`),
)
const pieces = [chain('first', ['accept'], forwardHead), chain('second', ['drop']), hosts]

/** A reader that knows the plan with these pieces by the number 1. */
function createReader(known: readonly NftPiece[] = pieces) {
  const read = createPlanReader(tables)
  read({ number: 1, plan: { revision: 1, artifacts: [{ kind: 'nft', name: table, pieces: known }] } })
  return read
}

const tableChange = (...changes: readonly unknown[]) => ({
  number: 2,
  base: 1,
  change: { revision: 2, changed: [{ kind: 'nft', name: table, changes }], removed: [] },
})

/** As sent, so that the reader meets no object that was made here. */
const sent = (args: unknown): unknown => JSON.parse(JSON.stringify(args))

const asBase = (piece: NftPiece, base: unknown, parts: readonly unknown[]) => ({ ...piece, base, parts })

/** The piece that these parts of it make, with its right hash. */
function ofParts(piece: NftPiece, parts: NftPiece['parts'], name = piece.name): NftPiece {
  const content = { ...piece, name, parts }
  return { ...content, hash: hashPiece(content) }
}

const forged: Record<string, readonly unknown[]> = {
  'a range that begins below zero': [[-1, 2]],
  'a range that ends before it begins': [[2, 1]],
  'an empty range': [[1, 1]],
  'a range past the end': [[0, 4]],
  'a range of fractions': [[0, 1.5]],
  'a range of texts': [['0', '1']],
  'a range of three numbers': [[0, 1, 2]],
  'a range of nothing': [[]],
  'ranges that overlap': [
    [0, 2],
    [1, 3],
  ],
  'a piece that is there twice': [[0, 3], chain('first', ['accept'], forwardHead)],
  'a new piece with the name of one that stays before it': [[0, 3], chain('second', ['accept'])],
  'a new piece with the name of one that stays behind it': [chain('second', ['accept']), [0, 3]],
  'a new piece in front of itself': [chain('third', ['accept']), chain('third', ['drop']), [0, 3]],
  'a base past the end': [asBase(hosts, 3, [[0, 1]])],
  'a base below zero': [asBase(hosts, -1, [[0, 1]])],
  'a base that is the name of a method': [asBase(hosts, 'constructor', [[0, 1]])],
  'parts that the hash of the piece does not cover': [asBase(hosts, 2, [[0, 1]])],
  'a part whose hash is that of another': [
    asBase(ofParts(hosts, [makePart(['10.0.0.1'])]), 2, [{ ...makePart(['10.0.0.1']), lines: ['10.0.0.2'] }]),
  ],
  'a piece whose parts are right and whose hash is not': [{ ...chain('third', ['accept']), hash: '0'.repeat(64) }],
  'a key that is not known': [{ ...chain('third', ['accept']), isVetted: true }],
  'a key of prototypes': [JSON.parse('{"__proto__":{"base":0},"kind":"chain","name":"x"}')],
}
for (const [what, changes] of Object.entries(forged))
  test(`a change with ${what} is refused, and the plan before it stays known`, () => {
    const read = createReader()
    assert.throws(() => read(sent(tableChange(...changes))), Refusal)
    const { plan } = read(sent(tableChange([0, 2])))
    assert.deepEqual(
      plan.artifacts.map((artifact) => artifact.kind === 'nft' && artifact.pieces),
      [pieces.slice(0, 2)],
    )
  })

test('a change of a plan that is not the last one is not known', () => {
  const read = createReader()
  for (const base of [0, 2, -1, '1', null, {}])
    assert.throws(() => read({ ...tableChange([0, 1]), base }), UnknownPiece)
  assert.throws(() => createPlanReader(tables)(tableChange([0, 1])), UnknownPiece)
})

test('a change of a table that is not in the plan is refused', () => {
  const read = createReader()
  for (const name of ['inet other', 'netdev portcullis_hw', '__proto__', 7])
    assert.throws(
      () =>
        read({
          number: 2,
          base: 1,
          change: { revision: 2, changed: [{ kind: 'nft', name, changes: [] }], removed: [] },
        }),
      Refusal,
    )
})

test('a short change cannot make a plan that is larger than what can be sent', () => {
  const long = ofParts(
    hosts,
    Array.from({ length: 40 }, (_, at) => makePart([`10.1.0.${at} comment "${'x'.repeat(40_000)}"`])),
  )
  const parts = Array.from({ length: 50 }, () => [0, long.parts.length])
  const repeated = ofParts(
    long,
    parts.flatMap(() => long.parts),
  )
  assert.throws(() => createReader([long])(sent(tableChange(asBase(repeated, 0, parts)))), /larger than/)
  const copies = Array.from({ length: 50 }, (_, at) => asBase(ofParts(long, long.parts, `s${at}`), 0, [[0, 40]]))
  assert.throws(() => createReader([long])(sent(tableChange(...copies))), /larger than/)
})

test('many changes cannot make a plan that is larger than what can be sent', () => {
  const text = 'x'.repeat(8 * 1024 * 1024)
  const read = createReader([])
  const add = (number: number): unknown =>
    read({
      number: number + 1,
      base: number,
      change: { revision: 1, changed: [{ ...makeFile(number), text }], removed: [] },
    })
  for (let number = 1; number <= 7; number++) add(number)
  assert.throws(() => add(8), /larger than/)
})

const makeFile = (number: number) => ({ kind: 'file', name: `${[...tables.fileTemplates.keys()][0]}.o${number}` })

test('a change that keeps everything gives the same objects', () => {
  const read = createReader()
  const before = read(tableChange([0, 3])).plan.artifacts[0]
  const next = { ...tableChange([0, 2], asBase(hosts, 2, [[0, hosts.parts.length]])), number: 3, base: 2 }
  const after = read(sent(next)).plan.artifacts[0]
  assert.ok(before?.kind === 'nft' && after?.kind === 'nft')
  assert.equal(after.pieces[0], before.pieces[0])
  assert.ok(after.pieces[2]?.parts.every((part, at) => part === before.pieces[2]?.parts[at]))
  assert.deepEqual(after.pieces[2], makePiece({ ...hosts, lines: hosts.parts.flatMap(({ lines }) => lines) }))
})
