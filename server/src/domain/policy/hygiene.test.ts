// Hygiene in a world so small that every packet can be tried: what it says must be true, and what is true must be said.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleIn } from '../../../test/support/policy-samples.ts'
import {
  drawPacket,
  drawPolicy,
  makeRandom,
  pick,
  routingIn,
  sampleWorld,
} from '../../../test/support/random-policy.ts'
import { toRanges } from '../../shared/net/ranges.ts'
import { evaluate } from './evaluate.ts'
import { type Flow, type MembersAt, matchRule } from './evaluate-match.ts'
import { type Finding, findHygiene, type HygieneInput } from './hygiene.ts'
import { type Action, emptyPolicy, type Policy, type PolicyRule, type RuleTable } from './model.ts'

const check = (rules: Partial<Policy['rules']>, more: Partial<HygieneInput> = {}): Finding[] =>
  findHygiene({
    rules: { ...emptyPolicy.rules, ...rules },
    hits: new Map(),
    expired: new Set(),
    ...more,
  })

const drop: Action = { kind: 'drop' }
const accept: Action = { kind: 'accept' }

const rule = (id: number, action: Action, conditions: Partial<PolicyRule> = {}, table: RuleTable = 'forward') =>
  ruleIn(table, id, action, conditions)

const list = (...ranges: number[]) => ({ key: 'a', ranges, isNegated: false })
const say = (findings: readonly Finding[]) => findings.map(({ kind, rule_id, proof }) => [kind, rule_id, proof.rules])

test('a rule behind a wider one is shadowed when the action differs and redundant when it is the same', async () => {
  const wide = rule(1, drop, { destination: list(10, 20) })
  const narrow = { destination: list(12, 14), protocol: 'tcp' } as const
  assert.deepEqual(say(check({ forward: [wide, rule(2, accept, narrow), rule(3, drop, narrow)] })), [
    ['shadowed', 2, [1]],
    ['redundant', 3, [1]],
  ])
})

test('to reject is another action than to drop', async () => {
  const reject: Action = { kind: 'reject' }
  const narrow = { destination: list(12, 14) }
  const forward = [rule(1, reject, { destination: list(10, 20) }), rule(2, drop, narrow), rule(3, reject, narrow)]
  assert.deepEqual(say(await check({ forward })), [
    ['shadowed', 2, [1]],
    ['redundant', 3, [1]],
  ])
})

test('several rules shadow one together, and the proof names only those that are needed', async () => {
  const forward = [
    rule(1, drop, { destination: list(10, 14) }),
    rule(2, drop, { destination: list(11, 12) }),
    rule(3, drop, { destination: list(15, 20), protocol: 'udp' }),
    rule(4, drop, { destination: list(15, 20) }),
    rule(5, accept, { destination: list(12, 18) }),
  ]
  const found = check({ forward }).filter(({ rule_id }) => rule_id === 5)
  assert.deepEqual(say(found), [['shadowed', 5, [1, 4]]])
  assert.equal(
    found[0]?.text,
    'The rule never decides: rules 1 and 4 together above match everything it matches, with a different action.',
  )
})

test('a rule before a wider one of the same action is redundant unless one between them decides otherwise', async () => {
  const narrow = rule(1, drop, { destination: list(10, 10) })
  const wide = rule(3, drop, { destination: list(10, 20) })
  assert.deepEqual(say(check({ forward: [narrow, wide] })), [['redundant', 1, [3]]])
  const between = rule(2, accept, { destination: list(10, 11), protocol: 'tcp' })
  assert.deepEqual(say(check({ forward: [narrow, between, wide] })), [])
})

test('of logging rules the last match decides, so a later rule shadows an earlier one', async () => {
  const mark = (id: number, isLogged: boolean, conditions: Partial<PolicyRule> = {}) =>
    rule(id, { kind: 'mark', isLogged }, conditions, 'log')
  const findings = check({ log: [mark(1, true, { protocol: 'tcp' }), mark(2, false)] })
  assert.deepEqual(say(findings), [['shadowed', 1, [2]]])
  assert.match(findings[0]?.text ?? '', /rule 2 below/)
})

test('a list of every IPv4 address does not shadow any: IPv6 is left', async () => {
  const forward = [rule(1, drop, { destination: list(0, 0xffff_ffff) }), rule(2, accept, { protocol: 'icmp' })]
  assert.deepEqual(say(check({ forward })), [])
})

test('any incoming interface does not shadow a rule for what the gateway itself sends', async () => {
  const forward = [rule(1, drop), rule(2, accept, { incoming: { key: 'utm_outgoing', devices: [] }, protocol: 'icmp' })]
  assert.deepEqual(say(check({ forward })), [])
})

test('rules that nothing hit, whose time is over or that are too wide are named with their proof', async () => {
  const forward = [rule(1, accept), rule(2, drop, { protocol: 'tcp' })]
  const hits = new Map([
    ['firewall.forward[1]', { packets: 3, since: 0 }],
    ['firewall.forward[2]', { packets: 0, since: 86_400 }],
  ])
  const findings = check({ forward: forward.toReversed() }, { hits, expired: new Set(['firewall.forward[2]']) })
  assert.deepEqual(
    findings.map(({ kind, rule_id, severity, proof }) => [kind, rule_id, severity, proof.since]),
    [
      ['expired', 2, 'medium', null],
      ['never_hit', 2, 'low', 86_400],
      ['too_wide', 1, 'high', null],
    ],
  )
})

test('a rule that can match nothing at present is neither shadowed nor shadows', async () => {
  const forward = [rule(1, drop, { protocol: 'tcp' }), rule(2, accept, { protocol: 'tcp', destination: list() })]
  assert.deepEqual(say(check({ forward })), [])
})

test('taking every shadowed and redundant rule out changes no verdict and no translation', async () => {
  const routing = routingIn(sampleWorld)
  let removed = 0
  for (let seed = 1; seed <= 150; seed++) {
    const random = makeRandom(seed)
    const sizes = { forward: 25, input: 20, dnat: 15, snat: 15, log: 20 }
    const policy = { ...drawPolicy(random, sampleWorld, sizes), access: null, hardware: null, isBlocked: false }
    const findings = check(policy.rules)
    const isNeedless = ({ table, id }: PolicyRule) =>
      findings.some((it) => it.table === table && it.rule_id === id && ['shadowed', 'redundant'].includes(it.kind))
    const kept = (table: RuleTable) => policy.rules[table].filter((it) => !isNeedless(it))
    const rules = {
      forward: kept('forward'),
      input: kept('input'),
      dnat: kept('dnat'),
      snat: kept('snat'),
      log: kept('log'),
    }
    removed += findings.length
    for (let count = 0; count < 150; count++) {
      const packet = drawPacket(random, sampleWorld)
      const [before, after] = [policy, { ...policy, rules }].map((it) =>
        evaluate(it, packet, routing, { reasons: false }),
      )
      const effect = (trace: typeof before) => [
        trace?.log?.isMarked,
        trace?.translation,
        trace?.verdict,
        trace?.outcomes.map(({ snat }) => snat?.source).filter((it, at, all) => at === 0 || !same(it, all[at - 1])),
      ]
      assert.deepEqual(effect(after), effect(before), `seed ${seed}, packet ${JSON.stringify(packet)}`)
    }
  }
  assert.ok(removed > 500, `${removed} findings`)
})

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Values 0 to 3 are drawn; 4 stands for all others, null for IPv6. */
const tinyFlows: readonly Flow[] = ([null, 0, 1, 2, 3, 4] as const).flatMap((source) =>
  (source === null ? ([null] as const) : ([0, 1, 2, 3, 4] as const)).flatMap((destination) =>
    (['tcp', 'udp', 'icmp'] as const).flatMap((protocol) =>
      (protocol === 'icmp' ? ([null] as const) : ([0, 1, 2] as const)).flatMap((port) =>
        ([null, 'a', 'b', 'c'] as const).map(
          (incoming): Flow => ({
            protocol,
            source,
            destination: destination === null ? null : [destination, destination],
            sourcePort: port === null ? null : 0,
            destinationPorts: port === null ? null : [port, port],
            incoming,
            outgoing: 'w',
            time: 0,
          }),
        ),
      ),
    ),
  ),
)

const tinyMembers = ['group.id.1', 'user.id.1', 'user.id.2']

function drawTinyRule(random: () => number, id: number, memberShare = 0): PolicyRule {
  const values = (most: number) => {
    const low = Math.floor(random() * most)
    return toRanges([[low, Math.min(most - 1, low + Math.floor(random() * 3))]])
  }
  const addresses = () => {
    if (random() < 0.35) return null
    const match = { key: 'a', ranges: values(4), isNegated: random() < 0.25 }
    const members = memberShare > 0 && random() < memberShare ? tinyMembers.filter(() => random() < 0.6) : []
    return members.length > 0 ? { ...match, members, ...(random() < 0.5 ? { ranges: [] } : {}) } : match
  }
  const protocol = pick(random, [null, null, 'tcp', 'udp'] as const)
  return rule(id, pick(random, [drop, accept]), {
    protocol,
    source: addresses(),
    destination: addresses(),
    destinationPorts: protocol === null || random() < 0.5 ? null : { key: 'p', ranges: values(2) },
    incoming: pick(random, [null, null, null, { key: 'i', devices: ['a'] }, { key: 'j', devices: ['a', 'b'] }]),
  })
}

test('a rule is called dead exactly when one earlier rule matches all that it matches', async () => {
  let dead = 0
  for (let seed = 1; seed <= 300; seed++) {
    const random = makeRandom(seed)
    const forward = Array.from({ length: 8 }, (_, at) => drawTinyRule(random, at + 1))
    const matched = forward.map((it) => new Set(tinyFlows.filter((flow) => matchRule(it, flow).kind === 'match')))
    const findings = check({ forward }).filter(({ text }) => text.includes('never decides'))
    for (const [at, own] of matched.entries()) {
      const decides = [...own].some((flow) => !matched.slice(0, at).some((earlier) => earlier.has(flow)))
      const isCovered = matched.slice(0, at).some((earlier) => own.isSubsetOf(earlier))
      const found = findings.find(({ rule_id }) => rule_id === at + 1)
      const about = `seed ${seed}, rule ${at + 1}: ${found?.text}`
      if (own.size === 0) continue
      if (isCovered) assert.equal(found?.proof.rules.length, 1, about)
      if (found) assert.ok(!decides, about)
      if (found) dead++
    }
  }
  assert.ok(dead > 200, `${dead} dead rules`)
})

test('M10: rules are compared once, whatever their hits are later', () => {
  const forward = [rule(1, drop), rule(2, accept)]
  let asked = 0
  const effectOf = ({ action }: PolicyRule): string => {
    asked++
    return action.kind
  }
  const covered: NonNullable<HygieneInput['covered']> = new WeakMap()
  const shadowed = ['shadowed', 2, [1]]
  assert.deepEqual(say(check({ forward }, { effectOf, covered })), [shadowed, ['too_wide', 2, []]])
  const hits = new Map([['firewall.forward[1]', { packets: 0, since: 5 }]])
  const again = say(check({ forward }, { effectOf, covered, hits }))
  assert.deepEqual(again, [['never_hit', 1, []], shadowed, ['too_wide', 2, []]])
  assert.equal(asked, forward.length)
})

test('a rule that names users is dead only when it is so wherever they are', () => {
  let dead = 0
  for (let seed = 1; seed <= 400; seed++) {
    const random = makeRandom(seed)
    const forward = Array.from({ length: 8 }, (_, at) => drawTinyRule(random, at + 1, 0.6))
    const findings = check({ forward }).filter(({ text }) => text.includes('never decides'))
    for (let count = 0; count < 6; count++) {
      const members: MembersAt = new Map([0, 1, 2, 3, 4].map((it) => [it, tinyMembers.filter(() => random() < 0.4)]))
      const flows = tinyFlows.map((flow) => ({ ...flow, members }))
      for (const { rule_id, text } of findings) {
        const decides = flows.some((flow) => forward.find((it) => matchRule(it, flow).kind === 'match')?.id === rule_id)
        assert.ok(!decides, `seed ${seed}, rule ${rule_id}: ${text}`)
      }
    }
    dead += findings.length
  }
  assert.ok(dead > 200, `${dead} dead rules`)
})

test('lists that name users are covered by lists of the same users, and never by addresses alone', () => {
  const users = (ids: string[], ranges: number[] = [], isNegated = false) => ({
    key: 'a',
    ranges,
    isNegated,
    members: ids,
  })
  const covered = (outer: PolicyRule['source'], inner: PolicyRule['source']) =>
    check({ forward: [rule(1, drop, { source: outer }), rule(2, accept, { source: inner, protocol: 'tcp' })] }).some(
      ({ kind }) => kind === 'shadowed',
    )
  assert.ok(covered(users(['user.id.1', 'user.id.2']), users(['user.id.1'])))
  assert.ok(covered(users(['user.id.1'], [1, 5]), list(2, 3)))
  assert.ok(covered(users(['user.id.1'], [], true), users(['user.id.1', 'user.id.2'], [], true)))
  assert.ok(covered(list(0, 0xffff_ffff), users(['user.id.1'])))
  assert.ok(!covered(list(0, 0xffff_fffe), users(['user.id.1'])))
  assert.ok(!covered(users(['user.id.1']), users(['user.id.2'])))
  assert.ok(!covered(users(['user.id.1'], [1, 5]), users(['user.id.1'], [4, 6])))
  assert.ok(!covered(users(['user.id.1'], [], true), list(1, 2)))
  assert.ok(!covered(users(['user.id.1', 'user.id.2'], [], true), users(['user.id.1'], [], true)))
})
