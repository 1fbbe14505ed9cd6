// Compiling from the last time: after any series of changes the pieces mean what the rules say, are those that are made
// from nothing where the content alone decides, and little is made again.

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { it, type TestContext } from 'node:test'
import fc from 'fast-check'
import {
  compile,
  destinationBase,
  firstMatch,
  memberHosts,
  memberRule,
  numbered,
  packet,
  policyRule,
  walk,
} from '../../../test/support/nft-walk.ts'
import { ruleIn } from '../../../test/support/policy-samples.ts'
import { makeRandom } from '../../../test/support/random-policy.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { unite } from '../../shared/net/ranges.ts'
import { compilePolicy } from './compile.ts'
import { type AuthorizationStage, emptyPolicy, type InspectionStage, type PolicyRule } from './model.ts'

/** By day there are fewer of what is drawn. */
const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
const changeCount = isNightly ? 300 : 60

type Pieces = ReadonlyMap<string, NftPiece>

/** Nothing of the rules before is left in memory after two runs without rules. */
function compileFromNothing(rules: readonly PolicyRule[]): Pieces {
  compile([])
  compile(numbered([ruleIn('forward', 1, { kind: 'drop' })]))
  return compile(rules)
}

const isRanked = (pieces: Pieces): boolean => [...pieces.keys()].some((name) => name.includes('_look_'))
const hashesOf = (pieces: Pieces): string[] => [...pieces.values()].map(({ name, hash }) => `${name} ${hash}`)

interface Edit {
  readonly kind: 'add' | 'change' | 'move' | 'delete' | 'add many' | 'delete many'
  readonly at: number
  readonly to: number
  readonly rule: PolicyRule
  /** How many versions before the last one it is made on: a draft that was given up, a change that was reverted. */
  readonly back: number
}

const edit = (rule: fc.Arbitrary<PolicyRule>): fc.Arbitrary<Edit> =>
  fc.record({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<Edit['kind'][]>('add', 'change', 'move', 'delete') },
      { weight: 1, arbitrary: fc.constantFrom<Edit['kind'][]>('add many', 'delete many') },
    ),
    at: fc.nat(10_000),
    to: fc.nat(10_000),
    rule,
    back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
  })

let nextId = 1_000_000

function named(rule: PolicyRule): PolicyRule {
  const id = nextId++
  const [made] = numbered([rule]) as [PolicyRule]
  const unique = <M extends { readonly key: string }>(match: M | null): M | null =>
    match && { ...match, key: `${match.key}_${id}` }
  const { source, destination } = made
  return { ...made, id, origin: `firewall.forward[${id}]`, source: unique(source), destination: unique(destination) }
}

function apply(rules: readonly PolicyRule[], { kind, at, to, rule }: Edit): readonly PolicyRule[] {
  const place = rules.length === 0 ? 0 : at % rules.length
  const old = rules[place]
  switch (kind) {
    case 'add':
      return rules.toSpliced(place, 0, named(rule))
    case 'add many':
      return rules.toSpliced(place, 0, ...Array.from({ length: 2 + (to % 90) }, () => named(rule)))
    case 'delete many':
      return rules.toSpliced(place, 2 + (to % 90))
    case 'delete':
      return rules.toSpliced(place, 1)
    case 'move':
      return old === undefined ? rules : rules.toSpliced(place, 1).toSpliced(to % rules.length, 0, old)
    case 'change':
      return old === undefined ? rules : rules.with(place, { ...named(rule), id: old.id, origin: old.origin })
  }
}

/** Separated by one field, but for one in fifty. */
const hostRule = fc
  .record({ at: fc.nat(900), more: fc.nat(3), port: fc.nat(30), rare: fc.nat(49) })
  .map(({ at, more, port, rare }): PolicyRule => {
    const ranges = [destinationBase + at, destinationBase + at + more]
    const destinationPorts = { key: 'p', ranges: [port, port] }
    const destination = rare === 0 ? null : { key: 'd', ranges, isNegated: false }
    return ruleIn('forward', 0, { kind: 'accept' }, { protocol: 'tcp', destination, destinationPorts })
  })

for (const [title, rule, mayBeRanked] of [
  ['rules of all kinds', policyRule, true],
  ['rules that name users among others', memberRule, true],
  ['rules that one field separates', hostRule, false],
] as const)
  it(`${title}: any series of changes gives what compiling from nothing gives`, () => {
    let [ranked, equal] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 130, maxLength: 420, size: 'max' }),
        fc.array(edit(rule), { minLength: 4, maxLength: 10, size: 'max' }),
        fc.array(packet, { minLength: 30, maxLength: 30 }),
        memberHosts,
        (drawn, edits, packets, members) => {
          compileFromNothing([])
          const versions: (readonly PolicyRule[])[] = [numbered(drawn)]
          for (const one of edits) versions.push(apply(versions.at(-1 - one.back) ?? versions[0] ?? [], one))
          const made = versions.map((rules) => compile(rules))
          const last = versions.at(-1) ?? []
          assert.deepEqual(hashesOf(compile(last)), hashesOf(made.at(-1) ?? new Map()), 'the same again')
          for (const [at, pieces] of made.entries()) {
            const rules = versions[at] ?? []
            for (const it of packets) {
              const { origin, mark } = walk(pieces, it, 'forward', members)
              assert.equal(origin, firstMatch(rules, it, members))
              assert.ok(mark === 0 || pieces.has('wipe_mark'))
            }
          }
          for (const [at, pieces] of made.entries()) {
            const fresh = compileFromNothing(versions[at] ?? [])
            if (isRanked(pieces) || isRanked(fresh)) ranked++
            else {
              assert.deepEqual(hashesOf(pieces), hashesOf(fresh))
              equal++
            }
          }
        },
      ),
      { numRuns: isNightly ? 25 : 8, seed: 20_261_115 },
    )
    const enough = isNightly ? 50 : 15
    assert.ok(mayBeRanked ? ranked > enough : equal > enough, `${ranked} with ranks, ${equal} without`)
  })

/**
 * A host each; some name only a source and a port, and some only a port. Ports are such that at first no rule for a host
 * and a port meets one without a host, and that those of new rules do.
 */
function longRule(id: number, isMixed: boolean): PolicyRule {
  const low = destinationBase + ((id * 7919) % 65_536)
  const list = { key: `k${id}`, ranges: [low, low], isNegated: false }
  const port = (id < 10_000 ? id : id + 1) % 500
  const ports = { protocol: 'tcp', destinationPorts: { key: `p${port}`, ranges: [port, port] } } as const
  const kind = isMixed ? id % 10 : 1
  const hosts = kind === 0 ? { source: list } : kind === 5 ? {} : { destination: list }
  const hasPort = kind === 0 || kind >= 5 || !isMixed
  return ruleIn('forward', id, { kind: 'accept' }, { ...hosts, ...(hasPort ? ports : {}) })
}

for (const isMixed of [false, true])
  it(`${changeCount} changes of 3,000 ${isMixed ? 'mixed' : 'alike'} rules give what compiling from nothing gives`, () => {
    const random = makeRandom(7)
    const below = (limit: number): number => Math.floor(random() * limit)
    let rules: readonly PolicyRule[] = Array.from({ length: 3000 }, (_, at) => longRule(at + 1, isMixed))
    compileFromNothing(rules)
    let pieces: Pieces = new Map()
    for (let step = 0; step < changeCount; step++) {
      const at = below(rules.length)
      const old = rules[at] as PolicyRule
      const fresh = longRule(10_000 + step, isMixed)
      const kind = below(4)
      if (kind === 0) rules = rules.toSpliced(at, 0, fresh)
      if (kind === 1) rules = rules.toSpliced(at, 1)
      if (kind === 2) rules = rules.with(at, { ...fresh, id: old.id, origin: old.origin })
      if (kind === 3) rules = rules.toSpliced(at, 1).toSpliced(below(rules.length), 0, old)
      pieces = compile(rules)
    }
    for (const { source, destination, destinationPorts } of rules) {
      const dport = destinationPorts?.ranges[0] ?? 1
      if (dport % 10 !== 5 && dport % 10 !== 6) continue
      const [saddr, daddr] = [source?.ranges[0] ?? 1, destination?.ranges[0] ?? 1]
      const it = { protocol: 'tcp', saddr, daddr, dport } as const
      assert.equal(walk(pieces, it, 'forward').origin, firstMatch(rules, it))
    }
    assert.equal(isRanked(pieces), isMixed)
    if (!isMixed) assert.deepEqual(hashesOf(pieces), hashesOf(compileFromNothing(rules)))
  })

/** How many contents are hashed in the meantime: each piece that is made costs two. */
function countHashes(t: TestContext, work: () => void): number {
  const mocked = t.mock.method(crypto, 'createHash')
  syncBuiltinESMExports()
  work()
  const count = mocked.mock.callCount()
  mocked.mock.restore()
  syncBuiltinESMExports()
  return count
}

for (const isMixed of [false, true])
  it(`one change of 3,000 ${isMixed ? 'mixed' : 'alike'} rules compiles that rule, and makes few pieces`, (t) => {
    let asked = new Set<number>()
    const watched = (rule: PolicyRule): PolicyRule =>
      Object.defineProperty({ ...rule }, 'action', {
        enumerable: true,
        get: () => {
          asked.add(rule.id)
          return rule.action
        },
      })
    const rules = Array.from({ length: 3000 }, (_, at) => watched(longRule(at + 1, isMixed)))
    const host = rules[1233] as PolicyRule
    const changes = {
      added: rules.toSpliced(1233, 0, watched(longRule(9001, isMixed))),
      'added at the end': [...rules, watched(longRule(9002, isMixed))],
      changed: rules.with(1233, watched({ ...host, action: { kind: 'drop' } })),
      moved: rules.toSpliced(1233, 1).toSpliced(77, 0, host),
      deleted: rules.toSpliced(1233, 1),
    }
    for (const [name, changed] of Object.entries(changes)) {
      const before = compile(rules)
      asked = new Set()
      let after: Pieces = before
      const hashes = countHashes(t, () => {
        after = compile(changed)
      })
      assert.ok(asked.size <= 1, `${name}: ${asked.size} rules were compiled again`)
      const fresh = [...after.values()].filter((piece) => before.get(piece.name) !== piece)
      assert.ok(fresh.length >= 1 && fresh.length <= 6, `${name}: ${fresh.map((it) => it.name).join(' ')}`)
      assert.ok(hashes <= 60, `${name}: ${hashes} hashes`)
    }
  })

it('rules with inspection: one change of 3,000 and a channel more make few pieces, and a number touches its rules alone', (t) => {
  const channels = [1, 2, 3].map((number) => ({ number, isFailOpen: true, isReady: true }))
  const stage: InspectionStage = { channels, exceptions: [], older: [] }
  const made = (forward: readonly PolicyRule[], inspection: InspectionStage = stage): Pieces => {
    const [table] = compilePolicy({ ...emptyPolicy, rules: { ...emptyPolicy.rules, forward }, inspection })
    return new Map(table?.pieces.map((piece) => [piece.name, piece]))
  }
  const rules = Array.from({ length: 3000 }, (_, at) => ({ ...longRule(at + 1, false), inspection: 1 + (at % 2) }))
  const host = rules[1233] as PolicyRule
  const ready = channels.map((channel) => ({ ...channel, isReady: false }))
  const more = [...channels, { number: 4, isFailOpen: true, isReady: false }]
  const cases: readonly (readonly [string, readonly PolicyRule[], InspectionStage, number])[] = [
    ['another channel', rules.with(1233, { ...host, inspection: 3 }), stage, 6],
    ['deleted', rules.toSpliced(1233, 1), stage, 6],
    // Its chain, the map, and the test of the channels.
    ['one more channel', rules, { ...stage, channels: more }, 3],
    ['the engine is not ready', rules, { ...stage, channels: ready }, 0],
  ]
  for (const [name, changed, inspection, most] of cases) {
    const before = made(rules)
    let after: Pieces = before
    const hashes = countHashes(t, () => {
      after = made(changed, inspection)
    })
    const fresh = [...after.values()].filter((piece) => before.get(piece.name) !== piece)
    assert.ok(fresh.length <= most, `${name}: ${fresh.map((it) => it.name).join(' ')}`)
    assert.ok(hashes <= 60, `${name}: ${hashes} hashes`)
  }
})

it('a draft between two runs of the same rules leaves them the same pieces', () => {
  const rules = Array.from({ length: 3000 }, (_, at) => longRule(at + 1, true))
  const before = compile(rules)
  // A rule for everything in the middle touches every rule after it.
  const draft = rules.toSpliced(1000, 0, ruleIn('forward', 9001, { kind: 'drop' }, { protocol: 'tcp' }))
  assert.notDeepEqual(hashesOf(compile(draft)), hashesOf(before))
  const after = compile(rules)
  assert.ok([...after.values()].every((piece) => before.get(piece.name) === piece))
  assert.equal(after.size, before.size)
})

it('one more authorization rule beside 10,000 changes one part of its set, and one user more in a rule one chain', (t) => {
  const pairs = Array.from({ length: 10_000 }, (_, at) => ({
    address: destinationBase + 3 * at,
    mac: `02:00:00:00:${(at >> 8).toString(16).padStart(2, '0')}:${(at & 255).toString(16).padStart(2, '0')}`,
  }))
  const hosts = pairs.flatMap(({ address }) => [address + 1, address + 1])
  const stage: AuthorizationStage = {
    isEnforced: true,
    side: { local: [{ device: 'lan0', address: 1 }], near: [1, 1] },
    hosts,
    networks: [],
    pairs,
    macs: pairs.map(({ mac }) => mac),
    idleSeconds: 900,
    portalPort: 8085,
    notesUnknown: true,
  }
  const made = (authorization: AuthorizationStage, forward: readonly PolicyRule[] = []): Pieces => {
    const [table] = compilePolicy({ ...emptyPolicy, rules: { ...emptyPolicy.rules, forward }, authorization })
    return new Map(table?.pieces.map((piece) => [piece.name, piece]))
  }
  const before = made(stage)
  const partsOf = (pieces: Pieces) =>
    new Set([...pieces.values()].flatMap(({ parts }) => parts.map(({ hash }) => hash)))
  const known = partsOf(before)
  const added = { address: destinationBase + 15_000, mac: '02:00:00:00:ff:ff' }
  const changes: readonly (readonly [string, AuthorizationStage])[] = [
    ['auth_rule_pairs', { ...stage, pairs: [...pairs, added] }],
    ['auth_rule_hosts', { ...stage, hosts: unite([hosts, [destinationBase + 20_000, destinationBase + 20_000]]) }],
    ['auth_rule_macs', { ...stage, macs: [...stage.macs, added.mac] }],
  ]
  for (const [set, changed] of changes) {
    const after = made(changed)
    const fresh = [...after.values()].filter((piece) => before.get(piece.name)?.hash !== piece.hash)
    assert.ok(fresh.some(({ name }) => name === set))
    assert.ok(fresh.length <= 2, fresh.map(({ name }) => name).join(' '))
    const parts = fresh.flatMap((piece) => piece.parts.filter(({ hash }) => !known.has(hash)))
    const lines = parts.reduce((sum, part) => sum + part.lines.length, 0)
    t.diagnostic(`${set}: ${parts.length} parts with ${lines} of 10,001 lines`)
    assert.ok(parts.length <= 3 && lines < 6000, `${set}: ${parts.length} parts, ${lines} lines`)
  }
  const named = ruleIn('forward', 1, { kind: 'drop' }, { source: { ...nowhere, members: ['user.id.1'] } })
  const both = ruleIn('forward', 1, { kind: 'drop' }, { source: { ...nowhere, members: ['user.id.1', 'user.id.2'] } })
  const [one, two] = [made(stage, [named]), made(stage, [both])]
  const fresh = [...two.values()].filter((piece) => one.get(piece.name) !== piece)
  assert.deepEqual(fresh.map(({ name }) => name).sort(), ['forward', 'u_user_id_2'])
})

const nowhere = { key: 'none', ranges: [], isNegated: false }
