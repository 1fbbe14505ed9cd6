// Changes of tables piece by piece, against the real nft in a namespace: the kernel always holds exactly what was asked
// for last and accepted, and rules keep what they counted.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { NftPiece } from '../core/plan/artifacts.ts'
import { chain, file, forwardHead, map, nft, planOf, problemsOf, set, unit } from './stand-ins/harness.ts'
import { base, createSequences, keep, rule, type Sequence } from './stand-ins/sequence.ts'

const { scenarioOf, run } = createSequences('the ruleset')

const rounds = process.env.PORTCULLIS_NIGHTLY === '1' ? 25 : 10

scenarioOf('chains are added, changed and removed without touching the others', async (sequence) => {
  await sequence.applied(base('jump keep', 'jump a'), keep, chain('a', [rule('r.1')]))
  const handle = sequence.handleOf('chain', 'keep')
  await sequence.applied(base('jump keep', 'jump b'), keep, chain('b', [rule('r.1'), rule('r.2')]))
  await sequence.applied(base('jump keep', 'jump b'), keep, chain('b', [rule('r.2')]))
  await sequence.applied(base('jump keep'), keep)
  assert.equal(sequence.handleOf('chain', 'keep'), handle)
})

scenarioOf('an element of a map is changed to a new chain while the old one is removed', async (sequence) => {
  const head = 'type ipv4_addr : verdict; flags interval'
  const dispatch = 'ip saddr vmap @m'
  const others = Array.from({ length: 9 }, (_, i) => `10.1.${i}.0/24 : jump keep`)
  await sequence.applied(
    base(dispatch),
    keep,
    chain('a', [rule('r.1')]),
    map('m', ['10.0.0.0/24 : jump a', ...others], head),
  )
  const handle = sequence.handleOf('map', 'm')
  await sequence.applied(
    base(dispatch),
    keep,
    chain('b', [rule('r.1')]),
    map('m', ['10.0.0.0/24 : jump b', ...others], head),
  )
  assert.equal(sequence.handleOf('map', 'm'), handle)
  await sequence.applied(base(dispatch), keep, map('m', ['10.9.0.0/16 : jump keep'], head))
  assert.equal(sequence.handleOf('map', 'm'), handle)
  await sequence.applied(base('jump keep'), keep)
})

scenarioOf('a set is replaced by another one of another name and type', async (sequence) => {
  await sequence.applied(base(rule('r.1', 'ip saddr @s1')), set('s1', ['10.0.0.1', '10.0.0.2']))
  await sequence.applied(base(rule('r.1', 'tcp dport @s2')), set('s2', ['80', '443'], 'type inet_service'))
  await sequence.applied(base(rule('r.1', 'ip saddr @s2')), set('s2', ['10.0.0.1'], 'type ipv4_addr'))
  await sequence.applied(base(rule('r.1', 'ip saddr vmap @s2')), map('s2', ['10.0.0.1 : drop']))
})

scenarioOf('elements are added and removed; few one by one, many all at once', async (sequence) => {
  const interval = 'type ipv4_addr; flags interval'
  const use = base(rule('r.1', 'ip saddr @s'))
  const many = Array.from({ length: 100 }, (_, i) => `10.0.${i}.0/25`)
  await sequence.applied(use, set('s', many, interval))
  await sequence.applied(use, set('s', [...many.slice(3), '10.0.0.0/24', '10.0.1.0-10.0.1.9'], interval))
  await sequence.applied(use, set('s', ['192.0.2.0/24', '10.0.7.0/25'], interval))
  await sequence.applied(use, set('s', [], interval))
  await sequence.applied(use, set('s', many, interval))
})

scenarioOf('a base chain is added, changes its policy and is removed', async (sequence) => {
  const input = (policy: string) =>
    chain('input', [rule('i.1')], `type filter hook input priority filter; policy ${policy};`)
  await sequence.applied(base(), keep)
  await sequence.applied(base(), keep, input('accept'))
  await sequence.applied(base(), keep, input('drop'))
  await sequence.applied(base(), keep)
})

scenarioOf('a change of most of a large table loads it in full, a small change does not', async (sequence) => {
  const pieces = (mark: string, from: number) => [
    base(...Array.from({ length: 30 }, (_, i) => `jump c${i}`)),
    ...Array.from({ length: 30 }, (_, i) => chain(`c${i}`, [rule(i < from ? `r.${mark}${i}` : `r.${i}`)])),
  ]
  await sequence.applied(...pieces('a', 0))
  const handle = sequence.handleOf('chain', 'c0')
  await sequence.applied(...pieces('b', 10))
  assert.equal(sequence.handleOf('chain', 'c0'), handle)
  await sequence.applied(...pieces('c', 30))
})

scenarioOf('random changes end as a load from nothing does', async (sequence) => {
  let state = 20_260_101
  const random = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % limit
  }
  for (let round = 0; round < rounds; round += 1) {
    const chains = Array.from({ length: 6 }, (_, i) => i).filter(() => random(3) > 0)
    const sets = Array.from({ length: 3 }, (_, i) => i).filter(() => random(3) > 0)
    const networks = Array.from({ length: 40 }, (_, i) => i).filter(() => random(4) > 0)
    const someSet = sets[random(sets.length || 1)]
    const rules = (i: number) => [rule(`r.${i}`, someSet === undefined ? 'udp dport 53' : `ip saddr @s${someSet}`)]
    await sequence.applied(
      base('ip saddr vmap @m', ...chains.map((i) => `jump c${i}`)),
      ...chains.map((i) => chain(`c${i}`, rules(i).concat(random(2) ? [rule(`q.${i}`)] : []))),
      ...sets.map((i) =>
        set(
          `s${i}`,
          networks.map((n) => `10.${i}.${n}.0/${25 + random(2)}`),
          'type ipv4_addr; flags interval',
        ),
      ),
      map(
        'm',
        chains.map((i) => `10.0.0.${i + random(2) * 8} : jump c${i}`),
      ),
    )
  }
})

scenarioOf('a refusal during a change leaves the old rules running and names the object', async (sequence) => {
  const good = [
    base('jump keep', rule('r.1', 'ip saddr @s')),
    keep,
    set('s', ['10.0.0.1', '10.0.0.2'], undefined, 'objects.x'),
  ]
  await sequence.applied(...good)
  const before = sequence.scene.everything()
  const wrong: Record<string, [NftPiece[], RegExp]> = {
    'a jump to nothing': [[base('jump nowhere comment "r.7"'), keep, ...good.slice(2)], /^r\.7$/],
    'a jump in a circle': [
      [
        ...good.slice(0, 1),
        chain('keep', ['jump forward2 comment "r.8"']),
        chain('forward2', ['jump keep comment "r.9"']),
        ...good.slice(2),
      ],
      /^r\.[89]$|^inet portcullis$/,
    ],
    'an address that is none': [
      [...good.slice(0, 2), set('s', ['10.0.0.1', '10.0.0.2', '10.0.0.300'], undefined, 'objects.x')],
      /^objects\.x$/,
    ],
    'a set in use taken away': [good.slice(0, 2), /^(s|r\.1|objects\.x)$/],
    'a port out of range': [[base(rule('r.6', 'tcp dport 70000')), keep, ...good.slice(2)], /^r\.6$/],
  }
  for (const [what, [pieces, field]] of Object.entries(wrong)) {
    const outcome = await sequence.apply(pieces)
    sequence.revision -= 1
    assert.match(problemsOf(outcome)[0]?.field ?? '', field, what)
    assert.deepEqual(sequence.scene.everything(), before, what)
    assert.equal((await sequence.scene.observe()).tables[0]?.asLoaded, true, what)
  }
})

scenarioOf('a refusal of a load from nothing keeps the fail-closed rules', async (sequence) => {
  const circle = [
    base('jump a comment "r.1"'),
    chain('a', ['jump b comment "r.2"']),
    chain('b', ['jump a comment "r.3"']),
  ]
  assert.equal((await sequence.apply(circle)).status, 'put_back')
  assert.match(sequence.scene.bench.kernel(), /^table inet portcullis_boot \{/)
  const overlap = [base(), set('s', ['10.0.0.0/8', '10.1.0.0/16'], 'type ipv4_addr; flags interval', 'objects.y')]
  assert.equal(problemsOf(await sequence.apply(overlap))[0]?.field, 'objects.y')
  assert.match(sequence.scene.bench.kernel(), /^table inet portcullis_boot \{/)
})

scenarioOf('a rule keeps its count when its chain is rewritten, also in another chain', async (sequence) => {
  await sequence.applied(base('jump a', rule('r.1')), chain('a', [rule('r.2'), rule('r.3')]), keep)
  sequence.count('a', [rule('r.2'), 5], [rule('r.3'), 7])
  const moved = [chain('a', [rule('r.3', 'udp dport 9')]), chain('b', [rule('r.2'), rule('r.2')])]
  await sequence.applied(base('jump a', rule('r.1')), ...moved, keep)
  assert.deepEqual(await sequence.countsOf(), { 'r.1': 0, 'r.2': 5, 'r.3': 7, 'r.keep': 0 })
  const listed = sequence.scene.bench.nft('list', 'chain', 'inet', 'portcullis', 'b')
  assert.match(listed, /packets 5 bytes 50 .*\n.*packets 0 bytes 0 /)
  await sequence.applied(base(rule('r.3')), keep)
  assert.deepEqual(await sequence.countsOf(), { 'r.3': 7, 'r.keep': 0 })
  // Another policy is another head, which takes a whole load.
  await sequence.applied(chain('forward', [rule('r.3')], forwardHead.replace('drop', 'accept')), keep)
  assert.deepEqual(await sequence.countsOf(), { 'r.3': 7, 'r.keep': 0 })
})

scenarioOf('many rewritten chains keep their counts too, and leave those of the others alone', async (sequence) => {
  const names = Array.from({ length: 12 }, (_, i) => `c${i}`)
  const pieces = (port: number) => names.map((name, i) => chain(name, [rule(`r.${name}`, `udp dport ${port + i}`)]))
  await sequence.applied(base(), keep, ...pieces(100))
  for (const [i, name] of names.entries()) sequence.count(name, [rule(`r.${name}`, `udp dport ${100 + i}`), i])
  sequence.count('keep', [rule('r.keep'), 99])
  await sequence.applied(base(), keep, ...pieces(200))
  assert.deepEqual(await sequence.countsOf(), {
    'r.keep': 99,
    ...Object.fromEntries(names.map((name, i) => [`r.${name}`, i])),
  })
})

scenarioOf('the counts of removed lines stay with the other lines of their origin', async (sequence) => {
  await sequence.applied(base('jump a'), chain('a', [rule('r.1')]), chain('b', [rule('r.1')]))
  sequence.count('a', [rule('r.1'), 5])
  await sequence.applied(base('jump b'), chain('b', [rule('r.1')]))
  assert.deepEqual(await sequence.countsOf(), { 'r.1': 5 })
  await sequence.scene.start()
  assert.deepEqual(await sequence.countsOf(), { 'r.1': 5 })
  await sequence.applied(base('jump b'), chain('b', [rule('r.2'), rule('r.1')]))
  assert.match(sequence.scene.bench.nft('list', 'chain', 'inet', 'portcullis', 'b'), /packets 5 bytes 50/)
  assert.deepEqual(await sequence.countsOf(), { 'r.1': 5, 'r.2': 0 })
})

scenarioOf('counting starts again only when the table was gone', async (sequence) => {
  const { scene } = sequence
  const epoch = async () => (await scene.hits()).epoch
  await sequence.applied(base(rule('r.1')))
  const first = await epoch()
  await sequence.applied(base(rule('r.2')))
  await scene.start()
  assert.equal(await epoch(), first)
  scene.bench.nft('add', 'chain', 'inet', 'portcullis', 'foreign')
  await scene.observe()
  await sequence.applied(base(rule('r.2')))
  assert.equal(await epoch(), first)
  scene.bench.nft('delete', 'table', 'inet', 'portcullis')
  await scene.observe()
  await sequence.applied(base(rule('r.2')))
  assert.notEqual(await epoch(), first)
})

scenarioOf('a table of devices is loaded beside the first one, and its absence blocks nothing', async (sequence) => {
  const { scene } = sequence
  await scene.applyd?.close()
  const tables = scene.bench.tables()
  await scene.start({
    tables: { ...tables, nft: { ...tables.nft, tables: ['inet portcullis', 'netdev portcullis_hw'] } },
  })
  const ingress = chain(
    'ingress',
    [rule('h.1', 'ether saddr 02:00:00:00:00:01', 'drop')],
    'type filter hook ingress device "lo" priority -500; policy accept;',
  )
  await scene.apply(planOf(1, nft([base()]), nft([ingress], 'netdev portcullis_hw')))
  const observed = async () =>
    (await scene.observe()).tables.map(({ present, asLoaded }) => `${present ? 'present' : 'absent'} ${asLoaded}`)
  assert.deepEqual(await observed(), ['present true', 'present true'])
  await scene.apply(planOf(2, nft([base()])))
  assert.doesNotMatch(scene.bench.kernel(), /netdev|boot/)
  assert.deepEqual(await observed(), ['present true', 'absent true'])
})

/** Starts applyd with an nft that writes down its arguments; returns what it was called with since the last time. */
async function countCalls({ scene }: Sequence): Promise<() => string[]> {
  const { bench } = scene
  await scene.applyd?.close()
  const wrapper = bench.path('nft.sh')
  const calls = bench.path('calls')
  writeFileSync(wrapper, `#!/bin/sh\necho "$@" >>${calls}\nexec ${bench.nftSpec.command.join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  const tables = bench.tables()
  await scene.start({ tables: { ...tables, nft: { ...tables.nft, way: 'program', command: [wrapper] } } })
  return () => {
    const seen = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []
    rmSync(calls, { force: true })
    return seen
  }
}

scenarioOf('a change costs one reading of its chain, one check and one load', async (sequence) => {
  const takeCalls = await countCalls(sequence)
  await sequence.applied(base('jump keep'), keep)
  takeCalls()
  const plan = planOf(9, nft([base('jump keep', rule('r.1')), keep]))
  assert.deepEqual(await sequence.scene.check(plan), { problems: [], unchecked: [] })
  assert.equal((await sequence.scene.apply(plan)).status, 'applied')
  assert.deepEqual(takeCalls(), ['-c -f -', '-j list chain inet portcullis forward', '-f -'])
  // Another plan than the one that was checked is checked.
  await sequence.scene.check(planOf(10, nft([base('jump keep', rule('r.2')), keep])))
  await sequence.scene.apply(planOf(10, nft([base('jump keep', rule('r.3')), keep])))
  assert.equal(takeCalls().filter((call) => call === '-c -f -').length, 2)
})

scenarioOf('a change that is tried costs one reading of its chain and one load', async (sequence) => {
  const takeCalls = await countCalls(sequence)
  await sequence.applied(base('jump keep'), keep)
  takeCalls()
  const plan = planOf(9, nft([base('jump keep', rule('r.1')), keep]))
  assert.equal((await sequence.scene.verbs.attempt({ plan })).status, 'applied')
  await sequence.scene.verbs.settle({ revision: 9 })
  assert.deepEqual(takeCalls(), ['-j list chain inet portcullis forward', '-f -'])
})

scenarioOf('a change of a file asks nft for nothing', async (sequence) => {
  const takeCalls = await countCalls(sequence)
  const table = nft([base('jump keep'), keep])
  const withFile = (revision: number, text: string) => planOf(revision, table, file('stand.conf', text), unit('stand'))
  await sequence.scene.apply(withFile(1, 'well\n'))
  takeCalls()
  assert.deepEqual(await sequence.scene.check(withFile(2, 'well\nb\n')), { problems: [], unchecked: [] })
  const outcome = await sequence.scene.apply(withFile(2, 'well\nb\n'))
  assert.deepEqual(outcome, { status: 'applied', changed: ['file stand.conf', 'unit stand'] })
  assert.deepEqual(takeCalls(), [])
})

scenarioOf('what is written for a change does not grow with the ruleset', async (sequence) => {
  const { scene } = sequence
  const chains = Array.from({ length: 300 }, (_, c) =>
    chain(
      `c${c}`,
      Array.from({ length: 10 }, (_, r) => rule(`r.${c}.${r}`, `udp dport ${r}`)),
    ),
  )
  await scene.apply(planOf(1, nft([base(), ...chains])))
  const whole = scene.bench.record('rules.jsonl')?.length ?? 0
  await scene.apply(planOf(2, nft([base(rule('r.new')), ...chains])))
  const added = (scene.bench.record('rules.jsonl')?.length ?? 0) - whole
  const record = scene.bench.record('applied.json')?.length ?? 0
  assert.ok(whole > 50_000 && added > 0 && added < 2000 && record < 2000, `${whole}, ${added} and ${record} bytes`)
  await scene.start()
  assert.deepEqual(await scene.apply(planOf(2, nft([base(rule('r.new')), ...chains]))), {
    status: 'applied',
    changed: [],
  })
})

run()
