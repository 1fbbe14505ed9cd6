// Tables of rules and packets for tests of the dispatcher, and a small reader that walks the printed pieces as the kernel
// would.

import fc from 'fast-check'
import type { NftPiece } from '../../src/core/plan/artifacts.ts'
import { memberSetOf } from '../../src/core/plan/live-sets.ts'
import { linesOf } from '../../src/core/plan/nft-piece.ts'
import { compilePolicy } from '../../src/domain/policy/compile.ts'
import { type AddressMatch, emptyPolicy, type PolicyRule, type PortMatch } from '../../src/domain/policy/model.ts'
import { parseSpan } from '../../src/shared/net/ipv4.ts'
import { toRanges } from '../../src/shared/net/ranges.ts'
import { ruleIn } from './policy-samples.ts'

export interface TestPacket {
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly saddr: number
  readonly daddr: number
  readonly dport: number
}

/** Addresses of the sessions of users and groups, by their ids. */
export type MemberHosts = ReadonlyMap<string, ReadonlySet<number>>

const nobody: MemberHosts = new Map()

/** The origin of the rule that ends the walk from this chain on; '' when none does. */
export function walk(
  pieces: ReadonlyMap<string, NftPiece>,
  packet: TestPacket,
  start: string,
  members: MemberHosts = nobody,
): { origin: string; mark: number } {
  let mark = 0
  const live = new Map([...members].map(([id, hosts]) => [memberSetOf(id), hosts]))
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
      return (
        live.get(text.slice(1))?.has(value) ??
        linesOf(pieces.get(text.slice(1)) ?? { parts: [] }).some((line) => holds(value, line))
      )
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
export const destinationBase = 0x0a80_0000

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

export const policyRule = fc
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

export const memberIds = ['user.id.1', 'user.id.2', 'group.id.1', 'group.id.3'] as const

/** One of eight rules names users. */
export const memberRule = fc
  .record({
    rule: policyRule,
    ids: fc.uniqueArray(fc.constantFrom(...memberIds), { minLength: 1, maxLength: 3 }),
    field: fc.constantFrom('source', 'destination'),
    hasAddresses: fc.boolean(),
    isNamed: fc.nat(7).map((it) => it === 0),
  })
  .map(({ rule, ids, field, hasAddresses, isNamed }): PolicyRule => {
    if (!isNamed) return rule
    const match = rule[field] ?? { key: 'm', ranges: [], isNegated: false }
    const named = { ...match, members: ids.toSorted() }
    return { ...rule, [field]: hasAddresses ? named : { ...named, ranges: [] } }
  })

/** Addresses of both sides. */
export const memberHosts: fc.Arbitrary<MemberHosts> = fc
  .tuple(...memberIds.map((id) => fc.tuple(fc.constant(id), fc.uniqueArray(fc.nat(960), { maxLength: 300 }))))
  .map(
    (all) =>
      new Map(all.map(([id, hosts]) => [id, new Set(hosts.flatMap((it) => [sourceBase + it, destinationBase + it]))])),
  )

export const packet: fc.Arbitrary<TestPacket> = fc.record({
  protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
  saddr: fc.nat(960).map((it) => sourceBase + it),
  daddr: fc.nat(960).map((it) => destinationBase + it),
  dport: fc.nat(34),
})

const isIn = (match: AddressMatch | null, value: number, members: MemberHosts): boolean =>
  match === null ||
  (toPairs(match).some(([low, high]) => value >= low && value <= high) ||
    (match.members ?? []).some((id) => members.get(id)?.has(value))) !== match.isNegated

const toPairs = ({ ranges }: AddressMatch): [number, number][] =>
  Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[2 * at] as number, ranges[2 * at + 1] as number])

export const firstMatch = (
  rules: readonly PolicyRule[],
  { protocol, saddr, daddr, dport }: TestPacket,
  members: MemberHosts = nobody,
): string =>
  rules.find(
    (rule) =>
      (rule.protocol === null || rule.protocol === protocol) &&
      isIn(rule.source, saddr, members) &&
      isIn(rule.destination, daddr, members) &&
      (rule.destinationPorts === null ||
        ((rule.destinationPorts.ranges[0] as number) <= dport && dport <= (rule.destinationPorts.ranges[1] as number))),
  )?.origin ?? ''

export const numbered = (rules: readonly Omit<PolicyRule, 'id' | 'origin'>[]): PolicyRule[] =>
  rules.map((rule, at) => {
    const unique = (match: AddressMatch | null, side: string) =>
      match === null ? null : { ...match, key: `${side}${at}` }
    const source = unique(rule.source, 's')
    const destination = unique(rule.destination, 'd')
    return { ...rule, source, destination, id: at + 1, origin: `firewall.forward[${at + 1}]` }
  })

export const compile = (forward: readonly PolicyRule[]): Map<string, NftPiece> => {
  const [table] = compilePolicy({ ...emptyPolicy, rules: { ...emptyPolicy.rules, forward } })
  return new Map(table?.pieces.map((piece) => [piece.name, piece]))
}
