// Long questions over the socket of applyd: what waits for arrivals holds nothing up.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { until } from '../../../test/support/until.ts'
import type { Arrivals } from '../../core/plan/artifacts.ts'
import type { ReplyFrame } from '../../core/plan/verbs.ts'
import { createFrameReader, encodeFrame } from '../../shared/frames.ts'
import { authorizationPieces, seen } from '../stand-ins/authorization.ts'
import { bothWays, createScenarios, nft, planOf, type Scene } from '../stand-ins/harness.ts'

const { scenario, run } = createScenarios('arrivals', bothWays)
const mac = '02:00:00:00:00:0a'

class Peer {
  readonly #socket: Socket
  readonly #replies = new Map<number, ReplyFrame>()
  #isClosed = false
  #asked = 0

  constructor(scene: Scene) {
    this.#socket = connect((scene.applyd ?? assert.fail('applyd does not run')).socketPath)
    const read = createFrameReader((message) => {
      const reply = message as ReplyFrame
      this.#replies.set(reply.id, reply)
    })
    this.#socket.on('data', read)
    this.#socket.on('close', () => {
      this.#isClosed = true
    })
  }

  /** Returns how to get the answer. */
  ask(verb: string): { isAnswered: () => boolean; answer: () => Promise<Arrivals> } {
    this.#asked += 1
    const id = this.#asked
    this.#socket.write(encodeFrame({ id, verb, args: {} }))
    const answer = async (): Promise<Arrivals> => {
      await until('there is an answer', () => this.#replies.has(id))
      const reply = this.#replies.get(id)
      return reply?.ok ? (reply.result as Arrivals) : assert.fail(JSON.stringify(reply))
    }
    return { isAnswered: () => this.#replies.has(id), answer }
  }

  async leave(): Promise<void> {
    this.#socket.destroy()
    await until('the connection is closed', () => this.#isClosed)
  }
}

const arrive = (scene: Scene, address: string) => {
  const { seconds: _, ...key } = seen(address, mac, 'lan0')
  const element = `{ ${key.address} . ${key.mac} . "${key.device}" timeout 1h }`
  assert.equal(scene.bench.nft('add', 'element', 'inet', 'portcullis', 'auth_new', element), '')
}
const addresses = ({ authorized }: Arrivals) => authorized.map(({ address }) => address)

scenario('a question waits for a host, others are answered meanwhile', async (scene) => {
  await scene.apply(planOf(1, nft(authorizationPieces())))
  const peer = new Peer(scene)
  const arrivals = peer.ask('arrivals')
  await peer.ask('observe').answer()
  await peer.ask('hits').answer()
  assert.equal(arrivals.isAnswered(), false)
  arrive(scene, '10.0.0.1')
  assert.deepEqual((await arrivals.answer()).authorized, [
    { ...seen('10.0.0.1', mac, 'lan0'), seconds: (await arrivals.answer()).authorized[0]?.seconds },
  ])
  const next = peer.ask('arrivals')
  arrive(scene, '10.0.0.2')
  assert.deepEqual(addresses(await next.answer()), ['10.0.0.2'])
  await peer.leave()
})

scenario(
  'a host that was reported to a closed connection is reported again, and to no connection twice',
  async (scene) => {
    await scene.apply(planOf(1, nft(authorizationPieces())))
    const [first, second] = [new Peer(scene), new Peer(scene)]
    const waiting = second.ask('arrivals')
    await second.ask('checkpoints').answer()
    arrive(scene, '10.0.0.1')
    assert.deepEqual(addresses(await waiting.answer()), ['10.0.0.1'])
    await second.leave()
    assert.deepEqual(addresses(await first.ask('arrivals').answer()), ['10.0.0.1'])
    const next = first.ask('arrivals')
    await until('the reported host is removed', async () => {
      const { sets } = await scene.verbs.readLive({ sets: ['auth_new'] })
      return sets.auth_new?.length === 0
    })
    await scene.applyd?.close(true)
    scene.applyd = null
    assert.deepEqual(addresses(await next.answer()), [])
  },
)

run()
