// The text that small policies become, piece by piece; long tables are dispatch.test.ts's.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleIn, withRules } from '../../../test/support/policy-samples.ts'
import { drawPolicy, makeRandom, sampleWorld } from '../../../test/support/random-policy.ts'
import type { NftTable } from '../../core/plan/artifacts.ts'
import { linesOf } from '../../core/plan/nft-piece.ts'
import { compilePolicy } from './compile.ts'
import {
  type AccessStage,
  type AddressMatch,
  emptyPolicy,
  type HardwareFilter,
  type Policy,
  type PolicyRule,
  type RuleTable,
} from './model.ts'

const a = (text: string): number => text.split('.').reduce((value, part) => value * 256 + Number(part), 0)

const list = (key: string, ...texts: string[]): AddressMatch => ({
  key,
  ranges: texts.map(a).flatMap((it) => [it, it]),
  isNegated: false,
})
const not = (match: AddressMatch): AddressMatch => ({ ...match, isNegated: true })

const rule = (table: RuleTable, id: number, more: Partial<PolicyRule> = {}): PolicyRule =>
  ruleIn(table, id, { kind: 'accept' }, more)

const linesNamed = (tables: readonly NftTable[], name: string): readonly string[] | undefined => {
  const found = tables.flatMap(({ pieces }) => pieces).find((piece) => piece.name === name)
  return found && linesOf(found)
}

/** Lines of user rules in a chain, or in the one for IPv4 that it leads to, without their comments. */
const userLines = (policy: Policy, chain: string): string[] =>
  [chain, `${chain}_4`]
    .flatMap((name) => linesNamed(compilePolicy(policy), name) ?? [])
    .filter((line) => /comment "firewall\.[a-z]+\[/.test(line))
    .map((line) => line.replace(/ comment ".*"$/, ''))

const forward = (...rules: Partial<PolicyRule>[]): string[] =>
  userLines(withRules({ forward: rules.map((it, at) => rule('forward', at + 1, it)) }), 'forward')

describe('conditions', () => {
  it('few addresses are in lines, many in a set named by their object', () => {
    const two = list('two', '10.0.0.1', '10.0.0.3')
    assert.deepEqual(forward({ source: two, destination: list('one', '10.9.0.1') }), [
      'ip saddr 10.0.0.1 ip daddr 10.9.0.1 counter accept',
      'ip saddr 10.0.0.3 ip daddr 10.9.0.1 counter accept',
    ])
    const five = list('five', '10.0.0.1', '10.0.0.3', '10.0.0.5', '10.0.0.7', '10.0.0.9')
    const policy = withRules({ forward: [rule('forward', 1, { source: two, destination: five })] })
    assert.deepEqual(userLines(policy, 'forward'), [
      'ip saddr 10.0.0.1 ip daddr @a_five counter accept',
      'ip saddr 10.0.0.3 ip daddr @a_five counter accept',
    ])
    assert.equal(linesNamed(compilePolicy(policy), 'a_five')?.length, 5)
  })

  it('a negated list is a set or one value, and an empty one is not a condition', () => {
    assert.deepEqual(
      forward({ source: not(list('one', '10.0.0.1')) }, { source: not(list('two', '10.0.0.1', '10.0.0.3')) }),
      ['ip saddr != 10.0.0.1 counter accept', 'ip saddr != @a_two counter accept'],
    )
    assert.deepEqual(forward({ source: not(list('none')) }), ['counter accept'])
  })

  it('a rule that nothing can match is left out', () => {
    assert.deepEqual(
      forward(
        { source: list('none') },
        { incoming: { key: 'gone', devices: [] } },
        { outgoing: { key: 'odd', devices: ['a"b'] } },
        { times: { key: 'past', ranges: [] } },
        { holders: list('none') },
        { protocol: 'tcp', destinationPorts: { key: 'none', ranges: [] } },
      ),
      [],
    )
  })

  it('protocol, ports, devices, holders and times are all asked, and what needs a set comes last', () => {
    assert.deepEqual(
      forward({
        protocol: 'udp',
        sourcePorts: { key: 's', ranges: [53, 53] },
        destinationPorts: { key: 'd', ranges: [1, 5, 9, 9] },
        incoming: { key: 'lan', devices: ['lan0', 'lan1'] },
        outgoing: { key: 'wan', devices: ['wan0'] },
        holders: list('held', '10.0.0.7'),
        times: { key: 'now', ranges: [100, 200] },
        action: { kind: 'drop' },
      }),
      ['ip saddr 10.0.0.7 udp sport 53 oifname "wan0" udp dport @p_d iifname @i_lan meta time @t_now counter drop'],
    )
  })

  it('the last second of a time range belongs to it', () => {
    const policy = withRules({ forward: [rule('forward', 1, { times: { key: 'now', ranges: [100, 200] } })] })
    assert.deepEqual(linesNamed(compilePolicy(policy), 't_now'), ['100-201'])
  })
})

describe('lists', () => {
  const sizes = { forward: 200, input: 60, dnat: 60, snat: 60, log: 60 }
  /** What a rule asks and does, without the text of its comment and of its log prefix. */
  const bare = (line: string): string => line.replace(/"[^"]*"/g, '""')

  it('are in rules by their names only: an anonymous set each makes loading quadratic', () => {
    const found: string[] = []
    let named = 0
    for (let seed = 1; seed <= 40; seed++) {
      const pieces = compilePolicy(drawPolicy(makeRandom(seed), sampleWorld, sizes)).flatMap((table) => table.pieces)
      const lines = pieces.filter(({ kind }) => kind === 'chain').flatMap((piece) => linesOf(piece).map(bare))
      found.push(...lines.filter((line) => /[{}]/.test(line)))
      named += lines.filter((line) => line.includes('@')).length
    }
    assert.deepEqual(found, [])
    assert.ok(named > 1_000, 'the policies have lists')
  })
})

describe('IPv6', () => {
  it('rules for any address or for all but a list match it, rules for a list do not', () => {
    const policy = withRules({
      forward: [
        rule('forward', 1, { source: list('one', '10.0.0.1') }),
        rule('forward', 2, { source: not(list('one', '10.0.0.1')), protocol: 'icmp' }),
        rule('forward', 3, { action: { kind: 'drop' } }),
      ],
    })
    assert.deepEqual(userLines(policy, 'forward_6'), ['meta l4proto ipv6-icmp counter accept', 'counter drop'])
    // Both come back, for what follows the rules is for both.
    assert.deepEqual(linesNamed(compilePolicy(policy), 'forward')?.slice(1, 3), [
      'meta nfproto ipv6 jump forward_6',
      'meta nfproto ipv4 jump forward_4',
    ])
  })

  it('is never translated', () => {
    const policy = withRules({ snat: [rule('snat', 1, { action: { kind: 'snat', addresses: null } })] })
    assert.deepEqual(linesNamed(compilePolicy(policy), 'snat_6'), [])
    assert.equal(linesNamed(compilePolicy(policy), 'postrouting')?.[0], 'meta nfproto ipv6 goto snat_6')
  })
})

describe('tables', () => {
  it('an empty policy has the system rules and automatic SNAT and no further hook', () => {
    const [table, ...more] = compilePolicy(emptyPolicy)
    assert.deepEqual(more, [])
    assert.deepEqual(
      table?.pieces.map(({ name }) => name),
      ['forward', 'if_external', 'input', 'net_private', 'outside_forward', 'outside_input', 'postrouting'],
    )
    assert.deepEqual(linesNamed([table as NftTable], 'input'), [
      'ct state established,related counter accept comment "inp.sys.established"',
      'iifname "lo" counter accept comment "inp.sys.loopback"',
      'iifname != @if_external icmpv6 type 134 counter drop comment "inp.sys.router"',
      'iifname @if_external goto outside_input',
    ])
  })

  it('a new connection from outside ends in a drop, over IPv4 and IPv6', () => {
    const agent = {
      name: 'agent',
      title: 'client agent',
      protocol: 'tcp',
      destinationPort: 14_765,
      peers: null,
    } as const
    const peers = [a('192.0.2.7')]
    const tunnel = { ...agent, name: 'tunnel', protocol: 'gre', destinationPort: null, peers } as const
    const tables = compilePolicy({ ...emptyPolicy, outsideServices: [agent, tunnel] })
    assert.deepEqual(linesNamed(tables, 'forward')?.slice(-1), ['iifname @if_external goto outside_forward'])
    assert.deepEqual(linesNamed(tables, 'outside_forward'), [
      'ct status dnat counter accept comment "fwd.sys.translated"',
      'counter drop comment "fwd.sys.external"',
    ])
    assert.deepEqual(linesNamed(tables, 'outside_input'), [
      'ct status dnat counter accept comment "inp.sys.translated"',
      'icmpv6 type 130 counter accept comment "inp.sys.link"',
      'icmpv6 type 133-136 counter accept comment "inp.sys.link"',
      'meta nfproto ipv4 udp sport 67 udp dport 68 counter accept comment "inp.sys.link"',
      'ip6 saddr fe80::-febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff udp sport 547 udp dport 546 counter accept comment "inp.sys.link"',
      'tcp dport 14765 counter accept comment "inp.sys.agent"',
      'ip saddr 192.0.2.7 meta l4proto gre counter accept comment "inp.sys.tunnel"',
      'counter drop comment "inp.sys.external"',
    ])
  })

  it('a rejected packet is answered by a reset or an ICMP error', () => {
    const reject = { action: { kind: 'reject' } } as const
    assert.deepEqual(forward({ ...reject, protocol: 'tcp' }, { ...reject, protocol: 'udp' }, reject), [
      'meta l4proto tcp meta l4proto tcp counter reject with tcp reset',
      'meta l4proto udp counter reject with icmpx port-unreachable',
      'meta l4proto tcp counter reject with tcp reset',
      'counter reject with icmpx port-unreachable',
    ])
  })

  it('services come before the rules of administrators, a line for each device and peer', () => {
    const input = rule('input', 1, { action: { kind: 'drop' } })
    const own = rule('forward', 1, { incoming: { key: 'utm_outgoing', devices: [] }, action: { kind: 'drop' } })
    const service = { protocol: 'udp', devices: null, peers: null, sourcePort: null, destinationPort: 67 } as const
    const policy: Policy = {
      ...withRules({ input: [input], forward: [own] }),
      services: [
        { ...service, name: 'dhcp', way: 'input', devices: ['lan0', 'lan1', 'a"b'] },
        { ...service, name: 'dhcp', way: 'output', devices: ['lan0'], sourcePort: 67, destinationPort: 68 },
        { ...service, name: 'dhcp_relay', way: 'input', peers: [a('192.0.2.1'), a('192.0.2.2')], sourcePort: 67 },
      ],
    }
    const tables = compilePolicy(policy)
    assert.deepEqual(linesNamed(tables, 'input')?.slice(3, 7), [
      'iifname "lan0" meta nfproto ipv4 udp dport 67 counter accept comment "inp.sys.dhcp"',
      'iifname "lan1" meta nfproto ipv4 udp dport 67 counter accept comment "inp.sys.dhcp"',
      'ip saddr 192.0.2.1 udp sport 67 udp dport 67 counter accept comment "inp.sys.dhcp_relay"',
      'ip saddr 192.0.2.2 udp sport 67 udp dport 67 counter accept comment "inp.sys.dhcp_relay"',
    ])
    assert.deepEqual(linesNamed(tables, 'output')?.slice(2, 3), [
      'oifname "lan0" meta nfproto ipv4 udp sport 67 udp dport 68 counter accept comment "out.sys.dhcp"',
    ])
  })

  it('input rules know neither the way out nor holders', () => {
    const input = rule('input', 1, { outgoing: { key: 'gone', devices: [] }, holders: list('none') })
    assert.deepEqual(userLines(withRules({ input: [input] }), 'input'), ['counter accept'])
  })

  it('rules for what the gateway sends are in the output hook and nowhere else', () => {
    const own = rule('forward', 1, { incoming: { key: 'utm_outgoing', devices: [] }, protocol: 'tcp' })
    assert.deepEqual(userLines(withRules({ forward: [own] }), 'output'), ['meta l4proto tcp counter accept'])
    assert.deepEqual(userLines(withRules({ forward: [own] }), 'forward'), [])
  })

  it('translations give addresses, pools and ports; accept translates nothing, automatic SNAT comes last', () => {
    const pool = [a('10.0.0.1'), a('10.0.0.4')] as const
    const dnat = [
      rule('dnat', 1, { action: { kind: 'dnat', addresses: pool, ports: null } }),
      rule('dnat', 2, { protocol: 'tcp', action: { kind: 'dnat', addresses: [pool[0], pool[0]], ports: [80, 90] } }),
      rule('dnat', 3, { protocol: 'udp', action: { kind: 'dnat', addresses: null, ports: [53, 53] } }),
    ]
    const snat = [
      rule('snat', 1),
      rule('snat', 2, { action: { kind: 'snat', addresses: pool } }),
      rule('snat', 3, { action: { kind: 'snat', addresses: null } }),
    ]
    assert.deepEqual(userLines(withRules({ dnat }), 'prerouting'), [
      'counter dnat ip to 10.0.0.1-10.0.0.4',
      'meta l4proto tcp counter dnat ip to 10.0.0.1:80-90',
      'meta l4proto udp counter dnat to :53',
    ])
    assert.deepEqual(linesNamed(compilePolicy(withRules({ snat })), 'postrouting')?.slice(1), [
      'counter accept comment "firewall.snat[1]"',
      'counter snat ip to 10.0.0.1-10.0.0.4 comment "firewall.snat[2]"',
      'counter masquerade comment "firewall.snat[3]"',
      'ip saddr @net_private oifname @if_external counter masquerade comment "firewall.settings.automatic_snat_enabled"',
    ])
  })

  it('a blocked gateway forwards nothing, not even what is established', () => {
    const lines = linesNamed(compilePolicy({ ...emptyPolicy, isBlocked: true }), 'forward')
    assert.equal(lines?.[0], 'counter drop comment "fwd.sys.blocked"')
  })

  it('without counting only system rules count', () => {
    const policy = withRules({ forward: [rule('forward', 1)] }, { countsHits: false })
    assert.deepEqual(userLines(policy, 'forward'), ['accept'])
    assert.match(linesNamed(compilePolicy(policy), 'forward')?.[0] ?? '', /counter/)
  })
})

describe('logging', () => {
  const log = [
    rule('log', 1, { action: { kind: 'mark', isLogged: true } }),
    rule('log', 2, { outgoing: { key: 'wan', devices: ['wan0'] }, action: { kind: 'mark', isLogged: false } }),
  ]

  it('marks by the last rule that matches, asking for the way of the address the packet came with', () => {
    assert.deepEqual(userLines(withRules({ log }), 'log_marks'), [
      'fib daddr oifname "wan0" counter ct mark set ct mark & 0xfffffffe accept',
      'counter ct mark set ct mark | 0x1 accept',
    ])
  })

  it('records a hit on a marked connection before the verdict, and only of the actions asked for', () => {
    const rules = { log, forward: [rule('forward', 7, { action: { kind: 'drop' } }), rule('forward', 8)] }
    assert.deepEqual(userLines(withRules(rules, { loggedActions: ['drop'] }), 'forward'), [
      'ct mark & 0x1 == 0x1 log group 5 prefix "FWD 7 drop "',
      'counter drop',
      'counter accept',
    ])
  })

  it('records nothing when no rule marks', () => {
    const policy = withRules({ forward: [rule('forward', 7)] }, { loggedActions: ['accept'] })
    assert.deepEqual(userLines(policy, 'forward'), ['counter accept'])
  })
})

describe('access control lists', () => {
  const access: AccessStage = {
    bindings: [
      {
        origin: 'firewall.acl_order[0]',
        members: list('members', '10.0.0.1', '10.0.0.9'),
        listKey: 'acl_1',
        entries: [
          {
            origin: 'firewall.acl[7c-1]',
            protocol: 'tcp',
            source: [0, 0xffff_ffff],
            destination: [a('10.9.0.0'), a('10.9.0.255')],
            sourcePorts: null,
            destinationPorts: [80, 90],
            isAllowed: true,
          },
        ],
      },
    ],
    isAllowedByDefault: false,
    isLogged: true,
  }

  it('come before the forward rules, in a chain whose accept leads on to them', () => {
    const tables = compilePolicy({ ...emptyPolicy, access })
    const pieces = tables.flatMap((table) => table.pieces)
    const chain = pieces.find(({ name }) => name === 'access')
    assert.equal(chain?.head, 'type filter hook forward priority filter - 1; policy accept;')
    const tree = pieces.find(({ name }) => name.startsWith('x_'))
    assert.deepEqual(chain && linesOf(chain), [
      'ct state established,related accept',
      `ip saddr @a_members jump ${tree?.name}`,
      'counter log group 5 prefix "ACL default deny " drop comment "firewall.acl_state"',
    ])
    assert.deepEqual(tree && linesOf(tree), [
      'ip daddr 10.9.0.0/24 tcp dport 80-90 counter log group 5 prefix "ACL 7c-1 allow " accept comment "firewall.acl[7c-1]"',
    ])
  })

  it('nothing of them is asked while the gateway is blocked', () => {
    const lines = linesNamed(compilePolicy({ ...emptyPolicy, access, isBlocked: true }), 'access')
    assert.equal(lines?.[0], 'counter drop comment "fwd.sys.blocked"')
  })
})

describe('hardware filtering', () => {
  const compile = (hardware: HardwareFilter, devices: readonly string[]) =>
    compilePolicy({ ...emptyPolicy, hardware, devices })[1]

  it('drops at the ingress of every device by a set', () => {
    const table = compile({ mode: 'mac', entries: [{ mac: '11:22:33:aa:bb:cc', etherType: 0x88cc }] }, ['a0', 'b0'])
    assert.equal(table?.name, 'netdev portcullis_hw')
    assert.deepEqual(table?.pieces[0]?.parts[0]?.lines, ['11:22:33:aa:bb:cc . 0x88cc'])
    assert.match(table?.pieces[1]?.head ?? '', /devices = \{ "a0", "b0" \}/)
    assert.deepEqual(table?.pieces[1]?.parts[0]?.lines, [
      'ether saddr . ether type @hw_mac counter drop comment "firewall.hw_mac"',
    ])
  })

  it('has no table without entries or devices', () => {
    assert.equal(compile({ mode: 'src-ip', entries: [] }, ['a0']), undefined)
    assert.equal(compile({ mode: 'src-ip', entries: [5] }, []), undefined)
  })
})
