// The policy as nftables: base chains in the order of docs/behaviour/packet-path.md 1, each with its system rules and then
// the user's rules, which dispatch.ts lays out. Rules that did not change give the pieces of the last time, so a change
// costs what it touches.

import type { NftPiece, NftTable } from '../plan/artifacts.ts'
import { makePiece } from '../plan/nft-piece.ts'
import {
  addresses,
  blank,
  equals,
  goTo,
  type Hook,
  hookHead,
  inSet,
  isQuotableInterface,
  jump,
  type Nft,
  numbers,
  quoteInterface,
  rule,
  sentence,
  words,
} from '../render/nft.ts'
import { type AccessOptions, compileAccess } from './compile-access.ts'
import { deviceSet, dnsForward, dnsPieces, dnsRedirect } from './compile-dns.ts'
import { compileHardware } from './compile-hardware.ts'
import { outsideEnd, outsidePieces } from './compile-outside.ts'
import { compileRule, type Place, type RuleOptions } from './compile-rule.ts'
import { listPieces, type Tree } from './dispatch.ts'
import { dispatch, type Entry, type RankedTree } from './dispatch-ranks.ts'
import { ownTraffic, type Policy, type PolicyRule, privateNetworks } from './model.ts'

export const firewallTable = 'inet portcullis'
export const automaticSnatOrigin = 'firewall.settings.automatic_snat_enabled'

const hooks = {
  // A nat chain sees the first packet of a connection and no other, which is when marks are set.
  log: { chain: 'log_marks', hook: { type: 'nat', at: 'prerouting', priority: 'dstnat - 10' } },
  dnat: { chain: 'prerouting', hook: { type: 'nat', at: 'prerouting', priority: 'dstnat' } },
  input: { chain: 'input', hook: { type: 'filter', at: 'input', priority: 'filter' } },
  forward: { chain: 'forward', hook: { type: 'filter', at: 'forward', priority: 'filter' } },
  output: { chain: 'output', hook: { type: 'filter', at: 'output', priority: 'filter' } },
  snat: { chain: 'postrouting', hook: { type: 'nat', at: 'postrouting', priority: 'srcnat' } },
} as const satisfies Record<Place, { readonly chain: string; readonly hook: Hook }>

/** What the last run made, so that the next one makes only what differs. */
interface Memory {
  readonly options: ReadonlyMap<string, RuleOptions | AccessOptions>
  readonly trees: ReadonlyMap<string, RankedTree>
}

let memory: Memory = { options: new Map(), trees: new Map() }

export function compilePolicy(policy: Policy): NftTable[] {
  const options = new Map<string, RuleOptions | AccessOptions>()
  const trees = new Map<string, RankedTree>()
  const pieces = new Map<string, NftPiece>()
  const keep = <O extends RuleOptions | AccessOptions>(name: string, wanted: O): O => {
    const known = memory.options.get(name)
    const kept = known !== undefined && JSON.stringify(known) === JSON.stringify(wanted) ? (known as O) : wanted
    options.set(name, kept)
    return kept
  }
  const collect = (made: Iterable<NftPiece>) => {
    for (const piece of made) pieces.set(piece.name, piece)
  }
  const { countsHits } = policy
  const marks = policy.rules.log.some(({ action }) => action.kind === 'mark' && action.isLogged)
  const loggedActions = marks ? policy.loggedActions : []
  const blocked = policy.isBlocked ? [rule('fwd.sys.blocked', words('counter drop'))] : []

  if (policy.access !== null) {
    const accessOptions = keep('access', { countsHits, isLogged: policy.access.isLogged })
    const access = compileAccess(policy.access, accessOptions, blocked, memory.trees)
    collect(access.pieces)
    for (const [name, tree] of access.trees) trees.set(name, tree)
  }
  for (const place of Object.keys(hooks) as Place[]) {
    const made = compileTable(rulesOf(policy, place), keep(place, { place, countsHits, loggedActions }), memory.trees)
    const before = place === 'forward' && policy.access === null ? blocked : []
    const after = endOf(policy, place)
    const isAlways = hasOutsideEnd(place) || place === 'snat'
    if (!isAlways && made.lines.length === 0 && after.length === 0) continue
    collect(made.pieces)
    for (const [name, tree] of made.trees) trees.set(name, tree)
    const { chain, hook } = hooks[place]
    const early = place === 'input' ? compileClosed(policy) : place === 'forward' ? dnsForward(policy) : []
    const system = [...systemRules(place), ...early, ...compileServices(policy, place)]
    const lines = [...before, ...system, ...made.lines, ...after]
    collect([makePiece({ kind: 'chain', name: chain, head: hookHead(hook), lines, origin: '' })])
  }
  // The packet mark that dispatch-ranks.ts wrote must not be visible outside.
  if ([...trees.values()].some(({ ranks }) => ranks.length > 0)) collect([wipeMark])
  collect([deviceSet('if_external', policy.externalDevices), ...outsidePieces(policy)])
  if (policy.hasAutomaticSnat) collect([privateSet])
  collect(dnsPieces(policy))
  memory = { options, trees }
  const hardware = compileHardware(policy)
  const firewall: NftTable = { kind: 'nft', name: firewallTable, pieces: [...pieces.values()].toSorted(byName) }
  return hardware === null ? [firewall] : [firewall, hardware]
}

const wipeMark = makePiece({
  kind: 'chain',
  name: 'wipe_mark',
  head: hookHead({ type: 'filter', at: 'postrouting', priority: 'filter' }),
  lines: [words('meta mark set 0')],
  origin: '',
})

const byName = (a: NftPiece, b: NftPiece): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** The last match among the log rules decides, which is the first one from the end. */
function rulesOf({ rules }: Policy, place: Place): readonly PolicyRule[] {
  const isOwn = ({ incoming }: PolicyRule) => incoming?.key === ownTraffic
  if (place === 'output') return rules.forward.filter(isOwn)
  if (place === 'forward') return rules.forward.filter((it) => !isOwn(it))
  return place === 'log' ? rules.log.toReversed() : rules[place]
}

const hasOutsideEnd = (place: Place): place is 'input' | 'forward' => place === 'input' || place === 'forward'

/** What decides when no user rule does. */
function endOf(policy: Policy, place: Place): Nft[] {
  if (hasOutsideEnd(place)) return outsideEnd(place)
  return place === 'snat' ? automaticSnat(policy) : place === 'dnat' ? dnsRedirect(policy) : []
}

function systemRules(place: Place): Nft[] {
  const established = (origin: string) => rule(origin, words('ct state established,related counter accept'))
  const loopback = (origin: string, selector: string) =>
    rule(origin, words(selector), quoteInterface('lo'), words('counter accept'))
  if (place === 'forward') return [established('fwd.sys.established')]
  if (place === 'input') return [established('inp.sys.established'), loopback('inp.sys.loopback', 'iifname')]
  if (place === 'output') return [established('out.sys.established'), loopback('out.sys.loopback', 'oifname')]
  return []
}

/** IPv4 only, and a line for each device or peer: there are few of them. */
function compileServices({ services }: Policy, place: Place): Nft[] {
  const isInput = place === 'input'
  return services
    .filter(({ way }) => way === place)
    .flatMap(({ name, protocol, devices, peers, sourcePort, destinationPort }) => {
      const device = words(isInput ? 'iifname' : 'oifname')
      const peer = words(isInput ? 'ip saddr' : 'ip daddr')
      const places = devices?.filter(isQuotableInterface).map((one) => equals(device, quoteInterface(one))) ?? [blank]
      const others = peers?.map((one) => equals(peer, addresses(one, one))) ?? [words('meta nfproto ipv4')]
      const from = sourcePort === null ? blank : equals(words(`${protocol} sport`), numbers(sourcePort, sourcePort))
      const to = equals(words(`${protocol} dport`), numbers(destinationPort, destinationPort))
      const origin = `${isInput ? 'inp' : 'out'}.sys.${name}`
      return places.flatMap((where) =>
        others.map((other) => rule(origin, where, other, from, to, words('counter accept'))),
      )
    })
}

/** In front of the user's INPUT rules: what is for local networks only is closed to the others. */
const compileClosed = ({ closedPorts }: Policy): Nft[] =>
  closedPorts.map(({ name, protocol, destinationPort }) =>
    rule(
      `inp.sys.${name}`,
      inSet(words('iifname'), 'if_external'),
      equals(words(`${protocol} dport`), numbers(destinationPort, destinationPort)),
      words('counter drop'),
    ),
  )

interface CompiledTable {
  readonly lines: readonly Nft[]
  readonly pieces: readonly NftPiece[]
  readonly trees: readonly (readonly [name: string, tree: RankedTree])[]
}

/** IPv6 packets have separate rules, so that those for IPv4 can be separated by address. */
function compileTable(
  rules: readonly PolicyRule[],
  options: RuleOptions,
  previous: ReadonlyMap<string, RankedTree>,
): CompiledTable {
  const compiled = rules.map((it) => compileRule(it, options))
  const entries = (family: 'ipv4' | 'ipv6'): Entry[] => compiled.map((it) => it[family]).filter((it) => it !== null)
  const plant = (name: string, family: 'ipv4' | 'ipv6') => dispatch(name, entries(family), previous.get(name))
  const [name4, name6] = [`${options.place}_4`, `${options.place}_6`]
  const tree4 = plant(name4, 'ipv4')
  const pieces = [...compiled.flatMap(({ sets }) => sets), ...listPieces(tree4)]
  const trees: [string, RankedTree][] = [[name4, tree4]]
  const lines: Nft[] = []
  if (compiled.some(({ isOpen }) => isOpen)) {
    const tree6 = plant(name6, 'ipv6')
    for (const piece of listPieces(tree6)) pieces.push(piece)
    pieces.push(chainOf(name6, tree6))
    trees.push([name6, tree6])
    // Where more follows that is for both, they come back from rules that the others must not see, and the others too.
    if (hasOutsideEnd(options.place)) {
      pieces.push(chainOf(name4, tree4))
      lines.push(sentence(words('meta nfproto ipv6'), jump(name6)), sentence(words('meta nfproto ipv4'), jump(name4)))
      return { lines, pieces, trees }
    }
    lines.push(sentence(words('meta nfproto ipv6'), goTo(name6)))
  }
  // Behind a map there is no way back into the same chain, and more may follow in this one.
  if (tree4.branches.size === 0) return { lines: [...lines, ...tree4.lines], pieces, trees }
  pieces.push(chainOf(name4, tree4))
  return { lines: [...lines, jump(name4)], pieces, trees }
}

const chainOf = (name: string, { lines }: Tree): NftPiece =>
  makePiece({ kind: 'chain', name, head: '', lines, origin: '' })

const automaticSnat = ({ hasAutomaticSnat }: Policy): Nft[] =>
  hasAutomaticSnat
    ? [
        rule(
          automaticSnatOrigin,
          inSet(words('ip saddr'), 'net_private'),
          inSet(words('oifname'), 'if_external'),
          words('counter masquerade'),
        ),
      ]
    : []

const privateSet = makePiece({
  kind: 'set',
  name: 'net_private',
  head: words('type ipv4_addr; flags interval;'),
  lines: [...privateNetworks],
  origin: '',
})
