// The dispatcher: whatever chains and maps it makes, the first rule of the table that matches is the one that decides. A
// small reader walks the printed pieces as the kernel would.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { ruleIn } from '../../test/support/policy-samples.ts'
import { parseSpan } from '../net/ipv4.ts'
import { toRanges } from '../net/ranges.ts'
import type { NftPiece } from '../plan/artifacts.ts'
import { countLines, linesOf } from '../plan/nft-piece.ts'
import { compilePolicy } from './compile.ts'
import { assignRanks } from './dispatch-ranks.ts'
import { type AddressMatch, emptyPolicy, type PolicyRule, type PortMatch } from './model.ts'

interface TestPacket {
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly saddr: number
  readonly daddr: number
  readonly dport: number
}

/** The origin of the rule that ends the walk from this chain on; '' when none does. */
function walk(
  pieces: ReadonlyMap<string, NftPiece>,
  packet: TestPacket,
  start: string,
): { origin: string; mark: number } {
  let mark = 0
  const run = (chain: string): string | null => {
    for (const line of linesOf(pieces.get(chain) ?? { parts: [] })) {
      const result = runLine(line)
      if (result === 'return') return null
      if (result?.startsWith('goto ')) return run(result.slice(5))
      if (result?.startsWith('jump ')) {
        const origin = run(result.slice(5))
        if (origin !== null) return origin
      } else if (result !== null) return result
    }
    return null
  }
  const holds = (value: number, text: string): boolean => {
    if (text.startsWith('@'))
      return linesOf(pieces.get(text.slice(1)) ?? { parts: [] }).some((line) => holds(value, line))
    const [low, high] = parseSpan(text) ?? text.split('-').map(Number)
    return value >= (low as number) && value <= (high ?? (low as number))
  }
  const runLine = (line: string): string | null => {
    const [, body = '', comment = ''] = /^(.*?)(?: comment "(.*)")?$/.exec(line) as RegExpExecArray
    const words = body.split(' ')
    while (words.length > 0) {
      const word = words.shift()
      if (word === 'accept' || word === 'drop' || word === 'reject') return comment
      if (word === 'return') return 'return'
      if (word === 'jump' || word === 'goto') return `${word} ${words.shift()}`
      if (word === 'counter') continue
      const field = words.shift()
      if (word === 'ct') return null
      if (field === 'nfproto') {
        if (words.shift() !== 'ipv4') return null
        continue
      }
      if (field === 'l4proto') {
        if (words.shift() !== packet.protocol) return null
        continue
      }
      if (word === 'tcp' || word === 'udp') if (packet.protocol !== word) return null
      if (word === 'iifname') return null
      const value = field === 'mark' ? mark : packet[field as 'saddr' | 'daddr' | 'dport']
      const next = words.shift() as string
      if (next === 'set') mark = Number(words.shift())
      else if (next === 'vmap') {
        const map = pieces.get((words.shift() as string).slice(1)) as NftPiece
        const found = linesOf(map).find((element) => holds(value, element.split(' : ')[0] as string))
        if (found === undefined) return null
        return found.split(' : ')[1] as string
      } else if (next === '<') {
        if (!(mark < Number(words.shift()))) return null
      } else if (next === '!=' ? holds(value, words.shift() as string) : !holds(value, next)) return null
    }
    return null
  }
  return { origin: run(start) ?? '', mark }
}

const sourceBase = 0x0a00_0000
const destinationBase = 0x0a80_0000

const addressList = (base: number, key: string): fc.Arbitrary<AddressMatch | null> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 3,
      arbitrary: fc
        .record({
          spans: fc.array(fc.tuple(fc.nat(900), fc.oneof(fc.constant(0), fc.nat(60))), { minLength: 1, maxLength: 6 }),
          isNegated: fc.integer({ min: 0, max: 20 }).map((it) => it === 0),
        })
        .map(({ spans, isNegated }) => {
          const ranges = toRanges(spans.map(([low, more]) => [base + low, base + low + more]))
          return { key: `${key}_${ranges.join('_')}`.slice(0, 40), ranges, isNegated }
        }),
    },
  )

const policyRule = fc
  .record({
    source: addressList(sourceBase, 's'),
    destination: addressList(destinationBase, 'd'),
    protocol: fc.constantFrom(null, 'tcp', 'udp', 'icmp'),
    port: fc.option(fc.tuple(fc.nat(30), fc.nat(3))),
    kind: fc.constantFrom('accept', 'drop', 'reject'),
  })
  .map(({ source, destination, protocol, port, kind }): PolicyRule => {
    const hasPorts = port !== null && (protocol === 'tcp' || protocol === 'udp')
    const destinationPorts: PortMatch | null = hasPorts ? { key: 'p', ranges: [port[0], port[0] + port[1]] } : null
    return ruleIn('forward', 0, { kind }, { protocol, source, destination, destinationPorts })
  })

const packet: fc.Arbitrary<TestPacket> = fc.record({
  protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
  saddr: fc.nat(960).map((it) => sourceBase + it),
  daddr: fc.nat(960).map((it) => destinationBase + it),
  dport: fc.nat(34),
})

const isIn = (match: AddressMatch | null, value: number): boolean =>
  match === null || toPairs(match).some(([low, high]) => value >= low && value <= high) !== match.isNegated

const toPairs = ({ ranges }: AddressMatch): [number, number][] =>
  Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[2 * at] as number, ranges[2 * at + 1] as number])

const firstMatch = (rules: readonly PolicyRule[], { protocol, saddr, daddr, dport }: TestPacket): string =>
  rules.find(
    (rule) =>
      (rule.protocol === null || rule.protocol === protocol) &&
      isIn(rule.source, saddr) &&
      isIn(rule.destination, daddr) &&
      (rule.destinationPorts === null ||
        ((rule.destinationPorts.ranges[0] as number) <= dport && dport <= (rule.destinationPorts.ranges[1] as number))),
  )?.origin ?? ''

const numbered = (rules: readonly Omit<PolicyRule, 'id' | 'origin'>[]): PolicyRule[] =>
  rules.map((rule, at) => {
    const unique = (match: AddressMatch | null, side: string) =>
      match === null ? null : { ...match, key: `${side}${at}` }
    const source = unique(rule.source, 's')
    const destination = unique(rule.destination, 'd')
    return { ...rule, source, destination, id: at + 1, origin: `firewall.forward[${at + 1}]` }
  })

const compile = (forward: readonly PolicyRule[]): Map<string, NftPiece> => {
  const [table] = compilePolicy({ ...emptyPolicy, rules: { ...emptyPolicy.rules, forward } })
  return new Map(table?.pieces.map((piece) => [piece.name, piece]))
}

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

it('ranks rise along the table, and rules that stay keep theirs', () => {
  const leaves = (hashes: readonly number[]) => hashes.map((hash) => ({ hash }))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.constantFrom('move', 'add', 'delete')), { maxLength: 60 }),
      (hashes, edits) => {
        let previous = { leaves: leaves(hashes), ranks: assignRanks(leaves(hashes), undefined) }
        for (const [at, edit] of edits.entries()) {
          const next = previous.leaves.map(({ hash }) => hash)
          const [from, to, kind] = edit
          const taken = kind === 'add' ? [1000 + at] : next.splice(from % next.length, 1)
          if (kind !== 'delete' || next.length === 0) next.splice(to % (next.length + 1), 0, ...taken)
          const ranks = assignRanks(leaves(next), previous)
          assert.equal(ranks.length, next.length)
          assert.ok(ranks.every((rank, i) => rank > (ranks[i - 1] ?? 0) && rank < 0xffff_ffff))
          const old = new Map(previous.leaves.map(({ hash }, i) => [hash, previous.ranks[i]]))
          const fresh = next.filter((hash, i) => old.get(hash) !== ranks[i])
          assert.ok(fresh.length <= 1 || fresh.length === next.length, `${fresh.length} new ranks`)
          previous = { leaves: leaves(next), ranks }
        }
      },
    ),
  )
})
