// The dispatcher: whatever chains and maps it makes, the first rule of the table that matches is the one that decides.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  compile,
  destinationBase,
  firstMatch,
  numbered,
  packet,
  policyRule,
  walk,
} from '../../../test/support/nft-walk.ts'
import { ruleIn } from '../../../test/support/policy-samples.ts'
import { countLines, linesOf } from '../../core/plan/nft-piece.ts'
import { compilePolicy } from './compile.ts'
import { assignRanks } from './dispatch-ranks.ts'
import { emptyPolicy, type PolicyRule, type Span } from './model.ts'

it('the first rule that matches decides, whatever the chains look like, and the packet mark is wiped', () => {
  let [mapped, ranked] = [0, 0]
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(policyRule, { maxLength: 30 }),
        fc.array(policyRule, { minLength: 60, maxLength: 400, size: 'max' }),
      ),
      fc.array(packet, { minLength: 60, maxLength: 60 }),
      (drawn, packets) => {
        const rules = numbered(drawn)
        const pieces = compile(rules)
        if ([...pieces.keys()].some((name) => name.startsWith('m_'))) mapped++
        if ([...pieces.keys()].some((name) => name.includes('_look_'))) ranked++
        for (const it of packets) {
          const { origin, mark } = walk(pieces, it, 'forward')
          assert.equal(origin, firstMatch(rules, it))
          assert.ok(mark === 0 || pieces.has('wipe_mark'))
        }
      },
    ),
    { numRuns: 120 },
  )
  assert.ok(mapped > 10 && ranked > 10, `${mapped} tables with maps, ${ranked} with ranks`)
})

const hostRule = (id: number, isMixed: boolean): PolicyRule => {
  const low = destinationBase + ((id * 7919) % 65_536)
  const list = { key: `k${id}`, ranges: [low, low], isNegated: false }
  const isSource = isMixed && id % 10 === 0
  return ruleIn('forward', id, { kind: 'accept' }, isSource ? { source: list } : { destination: list })
}

for (const isMixed of [false, true]) {
  it(`one change of 3,000 ${isMixed ? 'mixed' : 'alike'} rules changes few pieces and leaves the others the same objects`, () => {
    const rules = Array.from({ length: 3000 }, (_, at) => hostRule(at + 1, isMixed))
    const before = compile(rules)
    const longest = Math.max(...[...before.values()].filter(({ kind }) => kind === 'chain').map(countLines))
    assert.ok(longest < 100, `the longest chain has ${longest} lines`)
    const changes = {
      deleted: rules.toSpliced(1234, 1),
      added: rules.toSpliced(1234, 0, hostRule(9001, isMixed)),
      changed: rules.with(1234, { ...(rules[1234] as PolicyRule), action: { kind: 'drop' } }),
      moved: rules.toSpliced(1234, 1).toSpliced(77, 0, rules[1234] as PolicyRule),
    }
    for (const [name, changed] of Object.entries(changes)) {
      const start = compile(rules)
      const after = compile(changed)
      const touched = [...after.values()].filter((piece) => start.get(piece.name)?.hash !== piece.hash)
      const gone = [...start.keys()].filter((it) => !after.has(it))
      assert.ok(touched.length + gone.length <= 8, `${name}: ${touched.map((it) => it.name).join(' ')}`)
      const hasSame = [...after.values()].filter((piece) => start.get(piece.name) === piece).length
      assert.ok(hasSame > after.size - 20, `${name}: only ${hasSame} of ${after.size} are the same objects`)
    }
  })
}

it('a bucket ends behind the last value that a rule of it names', () => {
  const port = (at: number) => ({ key: `p${at}`, ranges: [at, at] })
  const rules = [22, 53, 443, 3389].flatMap((at) =>
    Array.from({ length: 10 }, (_, i) =>
      ruleIn('forward', at * 100 + i, { kind: 'accept' }, { protocol: 'tcp', destinationPorts: port(at) }),
    ),
  )
  const map = [...compile(rules).values()].find(({ kind, name }) => kind === 'map' && name.startsWith('m_'))
  const keys = linesOf(map ?? { parts: [] }).map((line) => line.split(' : ')[0])
  assert.deepEqual(keys, ['0-31', '32-63', '256-511', '2048-4095'])
})

it('a last rule for everything else is asked without a mark, and one that comes behind it takes its place', () => {
  const rules = Array.from({ length: 200 }, (_, at) => {
    const list = { key: `k${at}`, ranges: [destinationBase + at, destinationBase + at], isNegated: false }
    return ruleIn('forward', at + 1, { kind: 'accept' }, at % 2 === 0 ? { destination: list } : { source: list })
  })
  const forAll = (id: number) => ruleIn('forward', id, { kind: 'drop' }, {})
  const closingOf = (all: readonly PolicyRule[]) => linesOf(compile(all).get('forward_4') ?? { parts: [] }).at(-1)
  assert.match(closingOf([...rules, forAll(501)]) ?? '', /^counter drop comment ".*\b501\b.*"$/)
  assert.match(closingOf([...rules, forAll(501), forAll(502)]) ?? '', /^counter drop comment ".*\b502\b.*"$/)
  assert.match(closingOf(rules) ?? '', /^meta mark != 0x0 meta mark vmap/)
})

it('a translation of ports names its protocol where it is carried out apart from its conditions', () => {
  const rules = Array.from({ length: 60 }, (_, at) => {
    const one = 0x0a00_0001 + at
    const hasPorts = at % 2 === 0
    const ports: Span | null = hasPorts ? [80, 80] : null
    const action = { kind: 'dnat', addresses: [one, one], ports } as const
    const destination = { key: `k${at}`, ranges: [destinationBase + at, destinationBase + at], isNegated: false }
    const destinationPorts = { key: `p${at}`, ranges: [8000 + at, 8000 + at] }
    return ruleIn('dnat', at + 1, action, hasPorts ? { protocol: 'tcp', destinationPorts } : { destination })
  })
  const [table] = compilePolicy({ ...emptyPolicy, rules: { ...emptyPolicy.rules, dnat: rules } })
  const lines = (table?.pieces ?? []).flatMap(linesOf)
  const carriedOut = lines.filter((line) => /^meta mark 0x\w+ .*dnat ip to [\d.]+:80 /.test(line))
  assert.equal(carriedOut.length, 30)
  for (const line of carriedOut) assert.match(line, /^meta mark 0x\w+ meta l4proto tcp counter dnat /)
})

it('ranks rise along the table, and rules that stay keep theirs', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.constantFrom('move', 'add', 'delete')), { maxLength: 60 }),
      (hashes, edits) => {
        const rank = (list: readonly number[], known: ReadonlyMap<number, number>) =>
          assignRanks(Float64Array.from(list, (hash) => known.get(hash) ?? -1))
        const join = (list: readonly number[], ranks: Uint32Array) =>
          new Map(list.map((hash, at) => [hash, ranks[at] as number]))
        let known = join(hashes, rank(hashes, new Map()))
        for (const [at, [from, to, kind]] of edits.entries()) {
          const next = [...known.keys()]
          const taken = kind === 'add' ? [1000 + at] : next.splice(from % next.length, 1)
          if (kind !== 'delete' || next.length === 0) next.splice(to % (next.length + 1), 0, ...taken)
          const ranks = rank(next, known)
          assert.equal(ranks.length, next.length)
          assert.ok(ranks.every((value, i) => value > (ranks[i - 1] ?? 0) && value < 0xffff_ffff))
          const fresh = next.filter((hash, i) => known.get(hash) !== ranks[i])
          assert.ok(fresh.length <= 1 || fresh.length === next.length, `${fresh.length} new ranks`)
          known = join(next, ranks)
        }
      },
    ),
  )
})
