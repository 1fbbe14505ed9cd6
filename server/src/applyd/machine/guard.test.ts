// Another program removes the rules, and nothing is applied: they come back by themselves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { benchOptions, createScenarios, nft, piecesOf, planOf } from '../stand-ins/harness.ts'
import { startGuard } from './guard.ts'

const { scenario, run } = createScenarios('the guard of the rules')

scenario('a flushed ruleset is put back as it was applied', async (scene) => {
  const { bench } = scene
  const timings = { ...benchOptions('', bench.tables()).timings, guardMs: 20 }
  await scene.start({ timings })
  await scene.apply(planOf(1, nft(piecesOf('kept'))))
  for (let round = 1; round <= 3; round++) {
    assert.equal(bench.nft('flush', 'ruleset'), '')
    await until('the rules are back', () => bench.kernel().includes('"firewall.kept"'))
  }
  await until('they show as loaded', async () => (await scene.observe()).tables[0]?.asLoaded === true)
  assert.match(bench.log.join(''), /Another program removed the rules of the gateway; they were restored/)
})

scenario('before the first plan the fail-closed rules are put back', async (scene) => {
  const { bench } = scene
  await scene.start({ timings: { ...benchOptions('', bench.tables()).timings, guardMs: 20 } })
  assert.match(bench.kernel(), /portcullis_boot/)
  assert.equal(bench.nft('flush', 'ruleset'), '')
  await until('they are back', () => bench.kernel().includes('portcullis_boot'))
})

run()

test('while the kernel counts no change nothing is asked, and a failure is tried again', async () => {
  let [generation, asked, failures, puts] = [1, 0, 1, 0]
  const kernel = {
    generation: async () => generation,
    isPresent: async () => {
      asked += 1
      return generation !== 2
    },
  }
  const putBack = async () => {
    if (failures-- > 0) throw new Error('busy')
    puts += 1
    generation = 3
    return 1
  }
  const stop = startGuard({ kernel, table: 'inet portcullis', putBack, everyMs: 1, log: () => {} })
  await until('it has looked once', () => asked === 1)
  generation = 2
  await until('it was put back', () => puts === 1)
  await until('it has looked at that too', () => asked === 4)
  stop()
  assert.equal(puts, 1)
})
