// The text that inspection becomes in the ruleset; what the kernel makes of it is inspection-kernel.test.ts's.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleIn, withRules } from '../../../test/support/policy-samples.ts'
import type { NftTable } from '../../core/plan/artifacts.ts'
import { linesOf } from '../../core/plan/nft-piece.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { compilePolicy } from './compile.ts'
import type { WebStage } from './model.ts'
import {
  type AddressMatch,
  type InspectionStage,
  ownTraffic,
  type Policy,
  type PolicyRule,
  type RuleTable,
} from './model.ts'

const list = (key: string, ...texts: string[]): AddressMatch => ({
  key,
  ranges: texts.map((text) => parseAddress(text) as number).flatMap((it) => [it, it]),
  isNegated: false,
})

const rule = (table: RuleTable, id: number, more: Partial<PolicyRule> = {}): PolicyRule =>
  ruleIn(table, id, { kind: 'accept' }, more)

const linesNamed = (tables: readonly NftTable[], name: string): readonly string[] | undefined => {
  const found = tables.flatMap(({ pieces }) => pieces).find((piece) => piece.name === name)
  return found && linesOf(found)
}

const web: WebStage = {
  side: { local: [{ device: 'lan0', address: null }], near: [] },
  networks: [{ device: 'lan0', ranges: [0x0a_00_00_00, 0x0a_00_00_ff] }],
  interception: {
    isTaking: true,
    sources: null,
    exclusions: [],
    ports: { http: 3129, https: 3130 },
    rejectsQuic: false,
  },
  directPort: null,
}

describe('inspection', () => {
  const stage: InspectionStage = {
    channels: [
      { number: 3, isFailOpen: true, isReady: true },
      { number: 12, isFailOpen: false, isReady: false },
    ],
    exceptions: [],
    older: [],
  }
  const accepting = rule('forward', 1, { inspection: 12 })
  const policy: Policy = { ...withRules({ forward: [accepting] }), inspection: stage }

  it('an accepted connection gets the number of its channel, and one record', () => {
    const noted = 'ct mark & 0xff00 != 0xc00 log group 5 prefix "FWD 1 inspect " comment "firewall.forward[1]"'
    const marked = 'counter ct mark set ct mark & 0xffff00ff | 0xc00 accept comment "firewall.forward[1]"'
    const tables = compilePolicy(policy)
    const refused = 'ct state invalid drop comment "firewall.forward[1]"'
    assert.deepEqual(linesNamed(tables, 'forward_4'), [refused, noted, marked])
    assert.deepEqual(linesNamed(tables, 'forward_6'), [refused, noted, marked])
    const input = compilePolicy({ ...withRules({ input: [rule('input', 2, { inspection: 3 })] }), inspection: stage })
    assert.deepEqual(linesNamed(input, 'input_4'), [
      'ct state invalid drop comment "firewall.input[2]"',
      'ct mark & 0xff00 != 0x300 log group 5 prefix "INP 2 inspect " comment "firewall.input[2]"',
      'counter ct mark set ct mark & 0xffff00ff | 0x300 accept comment "firewall.input[2]"',
    ])
  })

  it('a rule for what the gateway itself sends marks it too, and one that drops does not', () => {
    const own = rule('forward', 5, { incoming: { key: ownTraffic, devices: [] }, inspection: 3 })
    const sent = compilePolicy({ ...withRules({ forward: [own] }), inspection: stage })
    assert.match(`${sent[0]?.pieces.flatMap(linesOf).join('\n')}`, /ct mark set ct mark & 0xffff00ff \| 0x300 accept/)
    const dropping = { ...ruleIn('forward', 1, { kind: 'drop' }), inspection: 3 }
    assert.deepEqual(
      linesNamed(compilePolicy({ ...withRules({ forward: [dropping] }), inspection: stage }), 'forward_4'),
      ['counter drop comment "firewall.forward[1]"'],
    )
  })

  it('what the web proxy opens for a client is marked like what is forwarded', () => {
    const hosts = list('hosts', '10.0.0.7')
    const excepted = { ...stage, exceptions: [{ origin: 'firewall.bypass[a]', hosts }] }
    const tables = compilePolicy({ ...policy, web, inspection: excepted })
    const lines = [...(linesNamed(tables, 'web_forward') ?? []), ...(linesNamed(tables, 'web_4') ?? [])]
    assert.ok(
      lines.includes('counter ct mark set ct mark & 0xffff00ff | 0xc00 accept comment "firewall.forward[1]"'),
      lines.join('\n'),
    )
    assert.deepEqual(linesNamed(tables, 'inspect_choose_output'), [
      'oifname "lo" udp dport 7101-7163 jump inspect_canary',
      'ct state new ct mark & 0x4 == 0x4 jump inspect_choose',
    ])
  })

  it('tags packets by one look at the mark of their connection, and restores them by their own', () => {
    const tables = compilePolicy(policy)
    const headOf = (name: string) => tables[0]?.pieces.find((piece) => piece.name === name)?.head
    for (const hook of ['forward', 'input', 'output']) {
      assert.equal(headOf(`inspect_tag_${hook}`), `type filter hook ${hook} priority filter + 140; policy accept;`)
      assert.deepEqual(linesNamed(tables, `inspect_tag_${hook}`), [
        'meta mark set 0x0',
        ...(hook === 'forward'
          ? ['meta l4proto tcp ct mark & 0x10000 == 0x0 ct mark & 0xff00 != 0x0 jump inspect_reach']
          : []),
        'ct mark & 0x1ff00 vmap @inspect_channels',
      ])
      assert.equal(headOf(`inspect_untag_${hook}`), `type filter hook ${hook} priority filter + 160; policy accept;`)
      assert.deepEqual(linesNamed(tables, `inspect_untag_${hook}`), [
        'meta mark & 0x80000000 == 0x80000000 jump inspect_restore',
      ])
    }
    assert.deepEqual(linesNamed(tables, 'inspect_channels'), [
      '0x300 : jump inspect_tag_3',
      '0xc00 : jump inspect_tag_12',
    ])
    assert.deepEqual(linesNamed(tables, 'inspect_tag_12'), [
      'jump inspect_plain',
      'meta nfproto ipv4 meta mark set ip dscp map @inspect_kept4',
      'meta nfproto ipv4 ip dscp set 12',
      'meta nfproto ipv6 meta mark set @nh,0,16 & 0xfc0 map @inspect_kept6',
      'meta nfproto ipv6 ip6 dscp set 12',
    ])
    assert.deepEqual(linesNamed(tables, 'inspect_canary'), [
      'udp dport 7103 ct mark set ct mark & 0xffff00ff | 0x300',
      'udp dport 7112 ct mark set ct mark & 0xffff00ff | 0xc00',
    ])
    assert.equal(linesNamed(tables, 'inspect_choose'), undefined, 'there is nothing to choose')
  })

  it('exceptions name addresses and users on either side, and the older rules what they add', () => {
    const hosts = { ...list('hosts', '10.0.0.7'), members: ['user.id.2'] }
    const older = { origin: 'application_control.rules[4]', hosts: null, channels: { 0: 3 } }
    const exceptions = [
      { origin: 'firewall.bypass[a]', hosts },
      { origin: 'firewall.bypass[b]', hosts: list('none') },
    ]
    const tables = compilePolicy({ ...policy, inspection: { ...stage, exceptions, older: [older] } })
    const cleared = 'ct mark set ct mark & 0xffff00ff accept comment "firewall.bypass[a]"'
    assert.deepEqual(linesNamed(tables, 'inspect_choose'), [
      `ip saddr 10.0.0.7 ${cleared}`,
      `ip saddr @u_user_id_2 ${cleared}`,
      `ip daddr 10.0.0.7 ${cleared}`,
      `ip daddr @u_user_id_2 ${cleared}`,
      'jump inspect_older_4 comment "application_control.rules[4]"',
      'accept comment "application_control.rules[4]"',
    ])
    assert.deepEqual(linesNamed(tables, 'inspect_older_4'), [
      'ct mark & 0xff00 == 0x0 ct mark set ct mark & 0xffff00ff | 0x300 accept comment "application_control.rules[4]"',
    ])
    assert.deepEqual(linesNamed(tables, 'inspect_choose_output'), [
      'oifname "lo" udp dport 7101-7163 jump inspect_canary',
    ])
    assert.deepEqual(linesNamed(tables, 'u_user_id_2'), [])
  })

  it('is nothing in the ruleset while no channel is in use', () => {
    const text = compilePolicy({ ...policy, ...withRules({ forward: [rule('forward', 1)] }), inspection: null })
      .flatMap(({ pieces }) => pieces)
      .flatMap((piece) => [piece.name, ...linesOf(piece)])
    assert.deepEqual(
      text.filter((line) => /inspect|dscp|meta mark/.test(line)),
      [],
    )
  })
})
