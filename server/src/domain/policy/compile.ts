// The policy as nftables: base chains in the order of docs/behaviour/packet-path.md 1, each with its system rules and then
// the user's rules, which dispatch.ts lays out. Rules that did not change give the pieces of the last time, so a change
// costs what it touches.

import { findRuns, isSameList, mapRuns, missedByRuns, outsideRuns } from '../../core/model/runs.ts'
import type { NftPiece, NftTable } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { type AccessOptions, compileAccess } from './compile-access.ts'
import {
  authorizationGate,
  authorizationPieces,
  authorizationRedirect,
  authorizationSeen,
} from './compile-authorization.ts'
import { classifierPieces } from './compile-classifier.ts'
import { dnsForward, dnsPieces, dnsRedirect } from './compile-dns.ts'
import { compileHardware } from './compile-hardware.ts'
import { inspectionPieces } from './compile-inspection.ts'
import { limitPieces } from './compile-limits.ts'
import { deviceSet, localSidePieces } from './compile-local-side.ts'
import { outsideEnd, outsidePieces, strangeRouters } from './compile-outside.ts'
import { type CompiledRule, compileRule, noSets, type Place, type RuleOptions } from './compile-rule.ts'
import {
  webDirect,
  webDns,
  webForward,
  webGate,
  webHooks,
  webInput,
  webLog,
  webOutput,
  webPieces,
  webSystem,
} from './compile-web.ts'
import { collectPieces, type Tree } from './dispatch.ts'
import { dispatch, type Entry, type RankedTree } from './dispatch-ranks.ts'
import { guardPieces, guardRules } from './guards.ts'
import { ownTraffic, type Policy, type PolicyRule, privateNetworks, ruleTables } from './model.ts'
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
} from './nft.ts'

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
  web: { chain: 'web_forward', hook: webHooks.forward },
  web_log: { chain: 'web_marks', hook: webHooks.log },
} as const satisfies Record<Place, { readonly chain: string; readonly hook: Hook }>

/** What a run made, so that the next one makes only what differs. */
interface Memory {
  readonly rules: Policy['rules']
  readonly own: readonly PolicyRule[]
  readonly options: ReadonlyMap<string, RuleOptions | AccessOptions>
  readonly tables: ReadonlyMap<Place, CompiledTable>
  readonly trees: ReadonlyMap<string, RankedTree>
  /** In the order of making; one may come several times. */
  readonly made: readonly NftPiece[]
  readonly firewall: NftTable
}

/** Of the last two runs, the latest first: between two of the configuration in force there may be one of a draft. */
let memories: readonly Memory[] = []

export function compilePolicy(policy: Policy): NftTable[] {
  const last = nearestMemory(policy.rules)
  const options = new Map<string, RuleOptions | AccessOptions>()
  const tables = new Map<Place, CompiledTable>()
  const trees = new Map<string, RankedTree>()
  const pieces: NftPiece[] = []
  const keep = <O extends RuleOptions | AccessOptions>(name: string, wanted: O): O => {
    const known = last?.options.get(name)
    const kept = known !== undefined && JSON.stringify(known) === JSON.stringify(wanted) ? (known as O) : wanted
    options.set(name, kept)
    return kept
  }
  const collect = (made: readonly NftPiece[]) => {
    for (const piece of made) pieces.push(piece)
  }
  const { countsHits } = policy
  const marks = policy.rules.log.some(({ action }) => action.kind === 'mark' && action.isLogged)
  const loggedActions = marks ? policy.loggedActions : []
  const own = ownRules(policy.rules.forward, last)
  const blocked = policy.isBlocked ? [rule('fwd.sys.blocked', words('counter drop'))] : []
  const first = [...blocked, ...authorizationSeen(policy)]
  const onNew = authorizationGate(policy)

  if (policy.access !== null) {
    const accessOptions = keep('access', { countsHits, isLogged: policy.access.isLogged })
    const access = compileAccess(policy.access, accessOptions, { first, onNew }, last?.trees ?? new Map())
    collect(access.pieces)
    for (const [name, tree] of access.trees) trees.set(name, tree)
    if (isJudgingWeb(policy)) {
      const lines = [...webSystem(policy), ...webGate(policy), ...access.lines]
      collect([makePiece({ kind: 'chain', name: 'web_access', head: hookHead(webHooks.access), lines, origin: '' })])
    }
  }
  for (const place of Object.keys(hooks) as Place[]) {
    if (isOfWeb(place) && !isJudgingWeb(policy)) continue
    const networks = isOfWeb(place) ? { networks: policy.web?.networks ?? [] } : {}
    const wanted = keep(place, { place, countsHits, loggedActions, ...networks })
    const made = compileTable(rulesOf(policy, own, place), wanted, last)
    tables.set(place, made)
    // Access lists have a chain in front of this one.
    const isFirst = place === 'forward' && policy.access === null
    const before = isFirst ? first : []
    const after = endOf(policy, place)
    const isAlways = hasOutsideEnd(place) || place === 'snat' || place === 'web'
    if (!isAlways && made.lines.length === 0 && after.length === 0) continue
    collect(made.pieces)
    for (const tree of made.trees) trees.set(tree.name, tree)
    const { chain, hook } = hooks[place]
    const others = [...earlyRules(policy, place), ...(isFirst ? onNew : []), ...compileServices(policy, place)]
    const system = [...firstRules(policy, place), ...systemRules(place), ...others]
    const lines = [...before, ...system, ...made.lines, ...after]
    collect([makePiece({ kind: 'chain', name: chain, head: hookHead(hook), lines, origin: '' })])
  }
  // The packet mark that dispatch-ranks.ts wrote must not be visible outside.
  if ([...trees.values()].some(({ ranking }) => ranking !== undefined)) collect([wipeMark])
  collect([deviceSet('if_external', policy.externalDevices), ...guardPieces(policy), ...outsidePieces(policy)])
  if (policy.hasAutomaticSnat) collect([privateSet])
  collect(classifierPieces(policy))
  collect([...localSidePieces(policy), ...dnsPieces(policy), ...authorizationPieces(policy), ...webPieces(policy)])
  collect(inspectionPieces(policy))
  collect(limitPieces(policy))
  const joined = joinPieces(pieces, last)
  const memory = { rules: policy.rules, own, options, tables, trees, ...joined }
  const isSame = last !== undefined && ruleTables.every((table) => last.rules[table] === policy.rules[table])
  const others = isSame ? memories.filter((it) => it !== last) : last === undefined ? [] : [last]
  memories = [memory, ...others]
  const hardware = compileHardware(policy)
  return hardware === null ? [joined.firewall] : [joined.firewall, hardware]
}

/** The one whose rules differ least from these. */
function nearestMemory(rules: Policy['rules']): Memory | undefined {
  const distance = ({ rules: old }: Memory): number =>
    ruleTables.reduce((sum, table) => {
      const common = findRuns(rules[table], old[table]).reduce((all, { count }) => all + count, 0)
      return sum + Math.max(old[table].length, rules[table].length) - common
    }, 0)
  const [latest, other] = memories
  if (latest === undefined || other === undefined) return latest
  const apart = distance(latest)
  if (apart > 1) return distance(other) < apart ? other : latest
  // Mostly it is one rule. Then only the very same rules are nearer, which the first difference disproves.
  const isNearer = apart === 1 && ruleTables.every((table) => isSameList(other.rules[table], rules[table]))
  return isNearer ? other : latest
}

/** More names than this are not looked for one by one. */
const fewNames = 32

/** By name and sorted; those that are what they were are the same objects. Most are, so they are not sorted again. */
function joinPieces(made: readonly NftPiece[], last: Memory | undefined): Pick<Memory, 'made' | 'firewall'> {
  const old = last?.firewall.pieces ?? []
  const before = last?.made ?? []
  const runs = findRuns(made, before)
  const names = new Set(outsideRuns(made.length, runs).map((at) => (made[at] as NftPiece).name))
  for (const at of missedByRuns(before.length, runs)) names.add((before[at] as NftPiece).name)
  const pieces = names.size > fewNames ? joinAll(made, old) : joinNamed(made, old, names)
  const isSame = last !== undefined && isSameList(pieces, old)
  return { made, firewall: isSame ? last.firewall : { kind: 'nft', name: firewallTable, pieces } }
}

function joinAll(made: readonly NftPiece[], old: readonly NftPiece[]): readonly NftPiece[] {
  const known = new Map(old.map((piece) => [piece.name, piece]))
  const pieces = new Map<string, NftPiece>()
  for (const piece of made) pieces.set(piece.name, same(known.get(piece.name), piece))
  return [...pieces.values()].sort(byName)
}

function joinNamed(
  made: readonly NftPiece[],
  old: readonly NftPiece[],
  names: ReadonlySet<string>,
): readonly NftPiece[] {
  const pieces = [...old]
  for (const name of names) {
    let [low, high] = [0, pieces.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pieces[middle] as NftPiece).name < name) low = middle + 1
      else high = middle
    }
    const known = pieces[low]?.name === name ? pieces[low] : undefined
    const piece = made.findLast((it) => it.name === name)
    pieces.splice(low, known === undefined ? 0 : 1, ...(piece === undefined ? [] : [same(known, piece)]))
  }
  return pieces
}

const same = (old: NftPiece | undefined, piece: NftPiece): NftPiece => (old?.hash === piece.hash ? old : piece)

const wipeMark = makePiece({
  kind: 'chain',
  name: 'wipe_mark',
  head: hookHead({ type: 'filter', at: 'postrouting', priority: 'filter' }),
  lines: [words('meta mark set 0')],
  origin: '',
})

const byName = (a: NftPiece, b: NftPiece): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const isOwn = ({ incoming }: PolicyRule): boolean => incoming !== null && incoming.key === ownTraffic

/** Rules for what the gateway itself sends. Mostly there are none, which is known without asking all of them. */
function ownRules(source: readonly PolicyRule[], last: Memory | undefined): readonly PolicyRule[] {
  if (last?.own.length !== 0) return source.filter(isOwn)
  const fresh = outsideRuns(source.length, findRuns(source, last.rules.forward))
  return fresh.some((at) => isOwn(source[at] as PolicyRule)) ? source.filter(isOwn) : last.own
}

function rulesOf({ rules }: Policy, own: readonly PolicyRule[], place: Place): readonly PolicyRule[] {
  if (place === 'output') return own
  if (place === 'web') return rules.forward
  if (place === 'web_log') return rules.log
  return place === 'forward' && own.length > 0 ? rules.forward.filter((it) => !isOwn(it)) : rules[place]
}

const isOfWeb = (place: Place): boolean => place === 'web' || place === 'web_log'
const isJudgingWeb = ({ web }: Policy): boolean => web !== null && web.interception !== null

/** In front of the system rules that let established connections through. */
function firstRules(policy: Policy, place: Place): Nft[] {
  if (place === 'input') return [...webInput(policy), ...guardRules(policy)]
  if (place === 'output') return webOutput(policy)
  if (place === 'web') return webSystem(policy)
  return place === 'web_log' ? [...webLog] : []
}

/** Behind them, in front of what is open. */
function earlyRules(policy: Policy, place: Place): Nft[] {
  if (place === 'input') return [...strangeRouters, ...compileClosed(policy), ...webDirect(policy)]
  if (place === 'forward') return [...dnsForward(policy), ...webForward(policy)]
  return place === 'web' ? [...webDns(policy), ...(policy.access === null ? webGate(policy) : [])] : []
}

const hasOutsideEnd = (place: Place): place is 'input' | 'forward' => place === 'input' || place === 'forward'

/** What decides when no user rule does. */
function endOf(policy: Policy, place: Place): Nft[] {
  if (hasOutsideEnd(place)) return outsideEnd(place)
  if (place === 'dnat') return [...dnsRedirect(policy), ...authorizationRedirect(policy)]
  return place === 'snat' ? automaticSnat(policy) : []
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
  readonly rules: readonly PolicyRule[]
  readonly options: RuleOptions
  /** Of each rule. */
  readonly parts: CompiledParts
  readonly lines: readonly Nft[]
  readonly pieces: readonly NftPiece[]
  readonly trees: readonly RankedTree[]
}

/** Side by side, so that most rules need not be looked at. */
interface CompiledParts {
  readonly ipv4: readonly CompiledRule['ipv4'][]
  /** All of the rule where it has more than lines for IPv4; null for most. */
  readonly rare: readonly (CompiledRule | null)[]
}

const rareOf = (compiled: CompiledRule): CompiledRule | null =>
  compiled.ipv6 !== null || compiled.isOpen || compiled.sets !== noSets ? compiled : null

function compileTable(
  rules: readonly PolicyRule[],
  options: RuleOptions,
  last: Pick<Memory, 'tables' | 'trees'> | undefined,
): CompiledTable {
  const known = last?.tables.get(options.place)
  const old = known?.options === options ? known : undefined
  if (old?.rules === rules) return old
  const runs = findRuns(rules, old?.rules ?? [])
  const compiled = (at: number): CompiledRule => compileRule(rules[at] as PolicyRule, options)
  const parts = {
    ipv4: mapRuns(rules.length, runs, old?.parts.ipv4 ?? [], (at) => compiled(at).ipv4),
    rare: mapRuns(rules.length, runs, old?.parts.rare ?? [], (at) => rareOf(compiled(at))),
  }
  return { rules, options, parts, ...layOut(parts, options, last?.trees) }
}

/** IPv6 packets have separate rules, so that those for IPv4 can be separated by address. */
function layOut(
  parts: CompiledParts,
  { place }: RuleOptions,
  previous: ReadonlyMap<string, RankedTree> | undefined,
): Pick<CompiledTable, 'lines' | 'pieces' | 'trees'> {
  const pieces: NftPiece[] = []
  const rare: CompiledRule[] = []
  // A plain loop: to ask a function about ten thousand takes ten times as long.
  for (const compiled of parts.rare) if (compiled !== null) rare.push(compiled)
  for (const { sets } of rare) for (const set of sets) pieces.push(set)
  const plant = (name: string, entries: readonly Entry[]): RankedTree => {
    // The last match among the log rules decides, which is the first one from the end.
    const tree = dispatch(
      name,
      place === 'log' || place === 'web_log' ? entries.toReversed() : entries,
      previous?.get(name),
    )
    collectPieces(tree, pieces)
    return tree
  }
  const [name4, name6] = [`${place}_4`, `${place}_6`]
  const tree4 = plant(name4, withoutNull(parts.ipv4))
  const lines: Nft[] = []
  const trees = [tree4]
  if (rare.some(({ isOpen }) => isOpen)) {
    const tree6 = plant(name6, withoutNull(rare.map(({ ipv6 }) => ipv6)))
    pieces.push(chainOf(name6, tree6))
    trees.push(tree6)
    // Where more follows that is for both, they come back from rules that the others must not see, and the others too.
    if (hasOutsideEnd(place)) {
      pieces.push(chainOf(name4, tree4))
      lines.push(sentence(words('meta nfproto ipv6'), jump(name6)), sentence(words('meta nfproto ipv4'), jump(name4)))
      return { lines, pieces, trees }
    }
    lines.push(sentence(words('meta nfproto ipv6'), goTo(name6)))
  }
  // Behind a map there is no way back into the same chain, and more may follow in this one.
  if (tree4.branches.length === 0) return { lines: [...lines, ...tree4.lines], pieces, trees }
  pieces.push(chainOf(name4, tree4))
  return { lines: [...lines, jump(name4)], pieces, trees }
}

const withoutNull = <T>(list: readonly (T | null)[]): readonly T[] =>
  list.includes(null) ? list.filter((it) => it !== null) : (list as readonly T[])

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
