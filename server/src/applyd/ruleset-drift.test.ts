// Changes by other programs to a table, or to the records of applyd about it, are detected.

import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import { chain, nft, planOf, set } from './stand-ins/harness.ts'
import { base, createSequences, keep, rule } from './stand-ins/sequence.ts'

const { scenarioOf, run } = createSequences('drift of the ruleset')
const table = 'inet portcullis'

scenarioOf('a change of a table that was emptied or deleted loads it in full', async (sequence) => {
  const { bench } = sequence.scene
  await sequence.applied(base('jump keep'), keep)
  bench.nft('delete', 'table', 'inet', 'portcullis')
  await sequence.applied(base('jump keep', rule('r.2')), keep)
  bench.nft('flush', 'table', 'inet', 'portcullis')
  bench.nft('delete', 'chain', 'inet', 'portcullis', 'keep')
  await sequence.applied(base('jump keep', rule('r.3')), chain('keep', [rule('r.4')]))
})

const drifts: Record<string, string> = {
  'a rule that was replaced': 'flush chain inet portcullis keep; add rule inet portcullis keep accept comment "r.keep"',
  'a foreign chain': 'add chain inet portcullis foreign',
  'a foreign set': 'add set inet portcullis foreign { type ipv4_addr; }',
  'a foreign counter': 'add counter inet portcullis foreign',
  'a table made dormant': 'add table inet portcullis { flags dormant; }',
  'an element removed': 'delete element inet portcullis s { 10.0.0.1 }',
  'an element added': 'add element inet portcullis s { 10.0.0.9 }',
  'another element instead':
    'delete element inet portcullis s { 10.0.0.1 }; add element inet portcullis s { 10.0.0.9 }',
  'another policy': 'chain inet portcullis forward { policy accept; }',
}
for (const [what, script] of Object.entries(drifts)) {
  scenarioOf(`${what} is detected and repaired`, async (sequence) => {
    const { scene } = sequence
    const pieces = [base('jump keep', rule('r.1', 'ip saddr @s')), keep, set('s', ['10.0.0.1', '10.0.0.2'])]
    await sequence.applied(...pieces)
    assert.equal(scene.bench.nft(script), '')
    assert.equal((await scene.observe()).tables[0]?.asLoaded, false)
    await sequence.applied(...pieces)
  })
}

scenarioOf('a change before the first listing is not taken as the loaded content', async (sequence) => {
  const { scene } = sequence
  const pieces = [base('jump keep'), keep, set('s', ['10.0.0.1'])]
  for (const script of [
    'flush chain inet portcullis keep',
    'add rule inet portcullis keep accept',
    'flush set inet portcullis s',
    'chain inet portcullis forward { policy accept; }',
  ]) {
    sequence.revision += 1
    await scene.apply(planOf(sequence.revision, nft([...pieces, chain(`other${sequence.revision}`, [])])))
    await scene.apply(planOf(sequence.revision, nft([])))
    await scene.apply(planOf(sequence.revision, nft(pieces)))
    assert.equal(scene.bench.nft(script), '')
    assert.equal((await scene.observe()).tables[0]?.asLoaded, false, script)
  }
})

const packet = {
  device: 'lan0',
  protocol: 'tcp',
  source: '10.0.0.9',
  sourcePort: 1,
  destination: '10.0.0.1',
  destinationPort: 2,
} as const

scenarioOf('a trial runs without the block that failed trials set, which stays in the kernel', async (sequence) => {
  const { scene } = sequence
  const blocked = rule('fwd.sys.blocked', 'ip daddr 10.0.0.7', 'drop')
  await sequence.applied(base(blocked, rule('r.1', 'ip daddr 10.0.0.1')), chain('a', [blocked]))
  // The stand-in passes what the script names.
  assert.deepEqual(await scene.verbs.trial({ packets: [packet, { ...packet, destination: '10.0.0.7' }] }), [
    { passed: true, origins: [] },
    { passed: false, origins: [] },
  ])
  assert.equal(scene.bench.kernel().match(/fwd\.sys\.blocked/g)?.length, 2)
})

scenarioOf('a trial runs without the authorization of hosts, which its namespace does not have', async (sequence) => {
  const { scene } = sequence
  const refused = rule('fwd.sys.authorization', 'ip daddr 10.0.0.7', 'drop')
  const redirected = rule('authorization.settings.web_authorization', 'ip daddr 10.0.0.8', 'drop')
  await sequence.applied(base(refused, redirected, rule('r.1', 'ip daddr 10.0.0.1')))
  const asked = ['10.0.0.1', '10.0.0.7', '10.0.0.8'].map((destination) => ({ ...packet, destination }))
  const results = await scene.verbs.trial({ packets: asked })
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [true, false, false],
  )
})

scenarioOf('after a restart without the record of the rules the next plan is loaded in full', async (sequence) => {
  const { scene } = sequence
  const pieces = [base('jump keep'), keep, set('s', ['10.0.0.1', '10.0.0.2', '10.0.0.3'])]
  await sequence.applied(...pieces)
  await sequence.applied(...pieces, chain('more', []))
  await scene.applyd?.close()
  rmSync(join(scene.bench.stateDir, 'applyd', 'rules.jsonl'))
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, null)
  await assert.rejects(scene.verbs.trial({ packets: [packet] }), /loaded rules is not known/)
  assert.deepEqual(await scene.apply(planOf(sequence.revision, nft(pieces))), {
    status: 'applied',
    changed: ['nft inet portcullis'],
  })
  assert.deepEqual(await scene.verbs.trial({ packets: [packet, { ...packet, destination: '10.0.0.7' }] }), [
    { passed: true, origins: [] },
    { passed: false, origins: [] },
  ])
  await sequence.applied(pieces[0] ?? keep, keep, set('s', ['10.0.0.1', '10.0.0.2', '10.0.0.4']))
})

scenarioOf('a large table is read in full only occasionally, but its absence is detected at once', async (sequence) => {
  const { scene } = sequence
  const lines = Array.from({ length: 2000 }, (_, i) => rule(`r.${i}`, `udp dport ${i}`))
  await scene.apply(planOf(1, nft([base(), chain('long', lines)])))
  const seen = async () => (await scene.observe()).tables[0]
  assert.deepEqual(await seen(), { name: table, present: true, asLoaded: true })
  scene.bench.nft('add', 'rule', 'inet', 'portcullis', 'long', 'accept')
  // The library knows the generation: it has listed nothing yet, and does so now.
  assert.equal((await seen())?.asLoaded, scene.bench.nftSpec.way === 'program')
  await until('the next listing in full shows it', async () => (await seen())?.asLoaded === false)
  assert.equal((await scene.apply(planOf(1, nft([base(), chain('long', lines)])))).status, 'applied')
  assert.equal((await seen())?.asLoaded, true)
  scene.bench.nft('add', 'chain', 'inet', 'portcullis', 'foreign')
  assert.equal((await seen())?.asLoaded, false)
  scene.bench.nft('delete', 'table', 'inet', 'portcullis')
  assert.equal((await seen())?.present, false)
})

scenarioOf('a damaged record of the rules is not used', async (sequence) => {
  const { scene } = sequence
  const lines = Array.from({ length: 2000 }, (_, i) => rule(`r.${i}`, `udp dport ${i}`))
  await sequence.applied(base(), chain('long', lines))
  await scene.applyd?.close()
  const path = join(scene.bench.stateDir, 'applyd', 'rules.jsonl')
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('accept comment', 'drop comment'))
  let isBroken = false
  await scene.start({
    failpoint: (name) => {
      if (isBroken && name === 'probed') throw new Error('made to fail')
    },
  })
  isBroken = true
  const outcome = await sequence.apply([base(), chain('long', [rule('r.other')])])
  assert.equal(outcome.status, 'put_back')
  assert.doesNotMatch(scene.bench.kernel(), /drop comment/)
  assert.match(scene.bench.kernel(), /portcullis_boot/)
})

run()
