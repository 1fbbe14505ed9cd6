// The client and applyd really connected, with the real nft in a namespace: whatever sequence of changes is checked, tried,
// settled, undone and applied, the kernel holds what a load from nothing gives.

import assert from 'node:assert/strict'
import { bothWays, chain, createScenarios, map, nft, planOf, type Scene, set } from '../../applyd/stand-ins/harness.ts'
import { base, keep, rule, Sequence } from '../../applyd/stand-ins/sequence.ts'
import type { NftPiece, Plan } from '../../core/plan/artifacts.ts'
import { ApplydClient } from './client.ts'

const { scenario, run } = createScenarios('changes over the socket', bothWays)

function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % limit
  }
}

/** Two thousand addresses, of which some are left out: enough for several parts. */
const addresses = Array.from({ length: 2500 }, (_, i) => `10.${i >> 10}.${(i >> 3) & 127}.${i & 7}`)

/** A table that differs a little from one time to the next; pieces that stay are the same objects. */
function createTables(random: (limit: number) => number) {
  const chains = new Map<number, NftPiece>()
  let left = new Set<number>()
  let list = set('hosts', addresses)
  return (): readonly NftPiece[] => {
    for (let changes = 1 + random(3); changes > 0; changes -= 1) {
      const at = random(12)
      const what = random(4)
      if (what === 0) chains.delete(at)
      else chains.set(at, chain(`c${at}`, [rule(`r.${at}`, `udp dport ${random(3) + 1}`), rule(`q.${at}`)]))
    }
    if (random(2) === 0) {
      left = new Set([...left].filter(() => random(3) > 0))
      for (let more = random(3); more > 0; more -= 1) left.add(random(addresses.length))
      list = set(
        'hosts',
        addresses.filter((_, index) => !left.has(index)),
      )
    }
    const inUse = [...chains.keys()]
    const jumps = map(
      'm',
      inUse.map((at) => `10.0.0.${at} : jump c${at}`),
    )
    const first = base(
      'ip saddr vmap @m',
      rule('r.list', 'ip saddr @hosts'),
      `jump c${inUse[0] ?? 'keep'}`.replace('ckeep', 'keep'),
    )
    const all = [first, keep, ...chains.values(), list, jumps]
    return random(5) === 0 ? all.toReversed() : all
  }
}

async function assertLoaded(scene: Scene, pieces: readonly NftPiece[]): Promise<void> {
  const sequence = new Sequence(scene)
  assert.equal(sequence.shown(), sequence.shownAfterFullLoad(pieces))
  assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
}

for (const seed of process.env.PORTCULLIS_NIGHTLY === '1' ? [1, 20_260_101] : [20_260_101])
  scenario(`random changes with seed ${seed} end as a load from nothing does`, async (scene) => {
    const random = randomOf(seed)
    const next = createTables(random)
    let client = new ApplydClient(scene.applyd?.socketPath ?? '')
    let settled: Plan = planOf(1, nft(next()))
    const piecesOf = ({ artifacts }: Plan): readonly NftPiece[] =>
      artifacts.flatMap((artifact) => (artifact.kind === 'nft' ? artifact.pieces : []))
    try {
      assert.deepEqual(await client.apply(settled), { status: 'applied', changed: ['nft inet portcullis'] })
      for (let round = 0; round < 20; round += 1) {
        const plan = planOf(settled.revision + 1, nft(next()))
        const step = random(6)
        if (step === 0) {
          assert.deepEqual(await client.check(plan), { problems: [], unchecked: [] })
          assert.equal((await client.apply(plan)).status, 'applied')
          settled = plan
        } else if (step === 1) {
          assert.equal((await client.attempt(plan)).status, 'applied')
          assert.equal((await client.undo(plan.revision)).status, 'applied')
        } else if (step === 2) {
          // The next connection knows nothing, and applyd undoes what was not settled.
          assert.equal((await client.attempt(plan)).status, 'applied')
          client.close()
          client = new ApplydClient(scene.applyd?.socketPath ?? '')
          assert.equal((await client.apply(settled)).status, 'applied')
        } else if (step === 3) {
          await scene.start()
          assert.deepEqual(await client.attempt(plan), { status: 'mixed' })
          assert.deepEqual(await client.apply(settled), { status: 'applied', changed: [] })
        } else {
          assert.equal((await client.attempt(plan)).status, 'applied')
          void client.settle(plan.revision)
          settled = plan
        }
        await client.observe()
        if (step !== 4) await assertLoaded(scene, piecesOf(settled))
      }
      await assertLoaded(scene, piecesOf(settled))
    } finally {
      client.close()
    }
  })

run()
