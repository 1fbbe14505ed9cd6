// Several peers at once that try, settle, undo and apply whatever they like and leave at any moment: when all are gone, the
// kernel holds exactly what is applied, and nothing is left to undo.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until } from '../../../test/support/until.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { createFrameReader, encodeFrame } from '../../shared/frames.ts'
import { bothWays, chain, createScenarios, nft, planOf, type Scene, set } from '../stand-ins/harness.ts'
import { base, keep, rule, Sequence } from '../stand-ins/sequence.ts'

const { scenario, run } = createScenarios('peers that interfere with each other', bothWays)

function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % limit
  }
}

/** Each revision has its own rules, so that the kernel tells which one it holds. */
const piecesOf = (revision: number): readonly NftPiece[] => [
  base('ip saddr @hosts accept', rule(`r.${revision % 5}`)),
  keep,
  set('hosts', ['192.0.2.1', `10.0.${revision >> 8}.${revision & 255}`]),
  ...(revision % 3 === 0 ? [chain('more', [rule('r.more')])] : []),
]

/** One connection; what it is answered is counted only. */
class Peer {
  readonly #socket: Socket
  readonly #open = new Map<number, () => void>()
  #asked = 0

  constructor(path: string) {
    this.#socket = connect(path)
    const read = createFrameReader((message) => this.#answered((message as { id: number }).id))
    this.#socket.on('data', read)
    this.#socket.on('error', () => {})
  }

  ask(verb: string, args: object): Promise<void> {
    this.#asked++
    const id = this.#asked
    this.#socket.write(encodeFrame({ id, verb, args }))
    return new Promise((resolve) => this.#open.set(id, resolve))
  }

  #answered(id: number): void {
    this.#open.get(id)?.()
    this.#open.delete(id)
  }

  /** At once, or when what was asked has been sent. */
  async leave(isAtOnce: boolean): Promise<void> {
    const closed = once(this.#socket, 'close')
    if (isAtOnce) this.#socket.destroy()
    else this.#socket.end()
    await closed
    for (const id of [...this.#open.keys()]) this.#answered(id)
  }
}

async function interfere(scene: Scene, seed: number): Promise<void> {
  const random = randomOf(seed)
  const sequence = new Sequence(scene)
  const { socketPath } = scene.applyd ?? assert.fail('applyd does not run')
  let revision = 1
  const next = () => {
    revision += 1
    return { plan: planOf(revision, nft(piecesOf(revision))) }
  }
  await scene.apply(planOf(revision, nft(piecesOf(revision))))
  const isAtRest = async (): Promise<boolean> => {
    const { appliedRevision } = await scene.observe()
    const wanted = piecesOf(appliedRevision ?? assert.fail('nothing is applied'))
    return scene.bench.record('intent.json') === null && sequence.shown() === sequence.shownAfterFullLoad(wanted)
  }
  for (let round = 0; round < 4; round++) {
    const peers = [0, 1, 2].map(() => new Peer(socketPath))
    for (let step = 0; step < 12; step++) {
      const at = random(peers.length)
      const peer = peers[at] ?? assert.fail('there is no such peer')
      const near = { revision: revision - random(2) }
      const asked = [
        () => peer.ask('attempt', next()),
        () => peer.ask('attempt', next()),
        () => peer.ask('settle', near),
        () => peer.ask('undo', near),
        () => peer.ask('apply', next()),
        () => peer.ask('check', next()),
        () => {
          peers[at] = new Peer(socketPath)
          return peer.leave(random(2) === 0)
        },
      ][random(7)]?.()
      if (random(2) === 0) await asked
    }
    await Promise.all(peers.map((peer) => peer.leave(random(2) === 0)))
    await until('the kernel holds what is applied', isAtRest)
  }
}

for (const seed of [1, 2]) scenario(`leave nothing behind (${seed})`, (scene) => interfere(scene, seed))

run()
