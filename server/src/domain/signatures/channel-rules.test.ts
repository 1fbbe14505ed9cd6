import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeRandom } from '../../../test/support/random-policy.ts'
import {
  type ChannelContent,
  type CompiledPart,
  createLongestLists,
  createSignaturePrinter,
  type DeniedApplication,
  ownRules,
  testRules,
} from './channel-rules.ts'
import { mostFlowbitsBytes } from './numbering.ts'
import { optionsOf } from './options.ts'
import type { ProfileRule } from './profile.ts'
import { parseRule, type Rule } from './rule.ts'

const generation = '0123abcd'

const ruleOf = (text: string): Rule => {
  const parsed = parseRule(text, 'custom')
  assert.ok('rule' in parsed, 'fault' in parsed ? parsed.fault : '')
  return parsed.rule
}

const everything = (action: ProfileRule['action']): ProfileRule[] => [{ id: 1, filters: [], action }]
const channel = (number: number, rules: readonly ProfileRule[], denied: readonly string[] = []): ChannelContent => ({
  number,
  rules,
  denied,
})

const print = (channels: readonly ChannelContent[], text: string): CompiledPart =>
  createSignaturePrinter(channels, generation)(ruleOf(text))

const plain = 'alert http any any -> any any (msg:"EVIL"; flow:to_server; http.uri; content:"/evil"; sid:1001; rev:2;)'

const applications: readonly DeniedApplication[] = [
  {
    id: 'id.l7.ssh',
    name: 'SS"H;\\',
    number: 7,
    patterns: [
      { protocol: 'tcp', options: 'app-layer-protocol:ssh;', refusal: 'reject' },
      { protocol: 'udp', options: 'content:"SSH";', refusal: 'drop' },
    ],
  },
  { id: 'id.l7.unknown', name: 'Unknown', number: 8, patterns: [] },
  { id: 'id.l7.allowed', name: 'Allowed', number: 9, patterns: [] },
]

describe('rules of channels', () => {
  it('have a signature once for each action, for the channels that have it', () => {
    const channels = [
      channel(1, everything('drop')),
      channel(2, everything('alert')),
      channel(11, everything('drop')),
      channel(3, []),
    ]
    const rest = 'http any any -> any any (msg:"EVIL"; flow:to_server; http.uri; content:"/evil"; sid:1001; rev:2;'
    assert.equal(
      print(channels, plain).text,
      `alert ${rest} flowbits:isset,@2; gid:1;)\n` + `drop ${rest} flowbits:isset,@1|@11; gid:2;)\n`,
    )
  })

  it('leave a signature out that no channel wants', () => {
    assert.deepEqual(print([channel(1, [{ id: 1, filters: [{ key: 'sid', values: [5] }], action: 'drop' }])], plain), {
      text: '',
    })
    assert.deepEqual(print([channel(1, [])], plain), { text: '' })
  })

  it('keep the action of the signature where the profile says default, and write it for both words', () => {
    const text = plain.replace('alert', 'reject')
    assert.match(print([channel(1, everything('default'))], text).text, /^rejectsrc http .* gid:3;\)\n$/)
  })

  it('replace the group of a signature', () => {
    const text = plain.replace('rev:2;', 'gid:1; rev:2;')
    const copy = print([channel(1, everything('drop'))], text).text
    assert.deepEqual(copy.match(/gid:\d+/g), ['gid:2'])
    assert.match(copy, /sid:1001; rev:2; flowbits/)
  })

  it('never make a refusal of a signature that only marks connections', () => {
    for (const silent of ['noalert;', 'flowbits:noalert;']) {
      const text = plain.replace('sid:', `flowbits:set,mine; ${silent} sid:`)
      const copy = print([channel(1, everything('drop')), channel(2, everything('alert'))], text).text
      assert.match(copy, /^alert .* flowbits:isset,@1\|@2; gid:1;\)\n$/)
    }
  })

  it('tie exceptions to their channels too', () => {
    const text = plain.replace('alert', 'pass')
    assert.match(print([channel(4, everything('default'))], text).text, /^pass .* flowbits:isset,@4; gid:6;\)\n$/)
  })

  it('have exceptions look at the number themselves in a first packet, where the engine takes that', () => {
    const exception = (protocol: string, options: string): string[] =>
      print(
        [channel(4, everything('default'))],
        `pass ${protocol} 10.0.0.7 any -> any any (msg:"m"; ${options} sid:900000; rev:1;)`,
      )
        .text.trimEnd()
        .split('\n')
    const [usual, four, six, ...others] = exception('udp', 'content:"x"; fast_pattern;')
    assert.match(usual ?? '', / flowbits:isset,@4; gid:6;\)$/)
    const unmarked = 'rev:1; flowbits:isnotset,k_0123abcd;'
    assert.ok(four?.endsWith(`${unmarked} ipv4.hdr; byte_test:1,=,4,1,bitmask 0xfc; gid:104;)`))
    assert.ok(six?.endsWith(`${unmarked} ipv6.hdr; byte_test:2,=,4,0,bitmask 0x0fc0; gid:204;)`))
    assert.deepEqual(others, [])
    assert.equal(exception('tcp', 'flow:established,to_server; content:"x";').length, 1)
    assert.equal(exception('http', 'http.uri; content:"x";').length, 1)
    assert.equal(exception('tcp', 'http_uri; content:"x";').length, 1)
  })

  it('name what they leave out because it would weaken inspection, or would become two rules', () => {
    const channels = [channel(1, everything('drop'))]
    assert.deepEqual(print(channels, plain.replace('sid:', 'bypass; sid:')).leftOut, {
      sid: 1001,
      name: 'EVIL',
      reason: 'The option bypass is not allowed, because it takes connections out of inspection.',
    })
    const long = plain.replace('EVIL', 'x'.repeat(8_100))
    assert.equal(print(channels, long).leftOut?.reason, 'The rule is too long.')
    assert.equal(print(channels, plain.replace('EVIL', 'ü'.repeat(3_000))).leftOut?.reason, 'The rule is too long.')
  })

  it('have no option that is longer than the engine takes, however many channels share them', () => {
    const random = makeRandom(7)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    for (let round = 0; round < 200; round++) {
      const count = round === 0 ? 63 : 1 + Math.floor(random() * 63)
      const channels = Array.from({ length: count }, (_, index) =>
        channel(
          63 - index,
          everything(round === 0 ? 'drop' : pick(['default', 'alert', 'drop', 'pass'] as const)),
          round === 0 || random() < 0.5 ? ['id.l7.ssh', 'id.l7.unknown'] : [],
        ),
      )
      const lists = createLongestLists()
      const printer = createSignaturePrinter(channels, generation, lists)
      const signatures = [
        plain,
        plain.replace('alert', 'pass').replace('1001', '1002'),
        'drop udp any any -> any 53 (msg:"u"; content:"x"; sid:3;)',
      ]
      const lines = [
        ...ownRules(channels, applications, generation),
        ...signatures.map((one) => printer(ruleOf(one)).text),
        ...testRules(channels, applications, generation, lists),
      ].flatMap((text) => text.trimEnd().split('\n'))
      for (const line of lines) {
        assert.ok(Buffer.byteLength(line) < 8_191, line)
        for (const { name, value } of optionsOf(line))
          if (name === 'flowbits')
            assert.ok(
              Buffer.byteLength(value.replace(/^[a-z]+,/, '')) <= mostFlowbitsBytes,
              `${value.length}: ${value}`,
            )
      }
      const numbers = lines.map((line) => /gid:\d+;/.exec(line)?.[0] + String(/\bsid:\d+;/.exec(line)?.[0]))
      assert.equal(new Set(numbers).size, lines.length, 'no two rules have one number')
      // The test of a channel asks for what its signatures ask for.
      const tests = lines.filter((line) => line.includes('msg:"test of channel '))
      assert.equal(tests.length, count)
      const longest = Math.max(...lines.flatMap((line) => line.match(/isset,[^;]*/g) ?? []).map((list) => list.length))
      assert.ok(tests.some((line) => (line.match(/isset,[^;]*/g) ?? []).some((list) => list.length === longest)))
    }
  })

  it('are those of the golden file, with hostile text as text', () => {
    const hostile = [
      'alert tcp any any -> any any (msg:"a \\"quote\\" \\; flowbits:set,k_0123abcd\\; # ) drop ip any any -> any any (sid:1\\;)"; content:"|3b 22 0a|lua:x\\;"; sid:1; rev:1;)',
      'drop udp $HOME_NET any -> [10.0.0.1,!10.0.0.2] 53 (msg:"gid:77\\; $(reboot) {{x}} $y"; content:"\\\\"; pcre:"/\\;gid:5/"; sid:2; gid:1; metadata:a b, c d;)',
      plain,
    ]
    const channels = [
      channel(1, everything('drop'), ['id.l7.ssh', 'id.l7.unknown']),
      channel(63, everything('alert'), ['id.l7.ssh', 'id.l7.not_there']),
    ]
    const lists = createLongestLists()
    const printer = createSignaturePrinter(channels, generation, lists)
    const text = [
      ...ownRules(channels, applications, generation),
      ...hostile.map((one) => printer(ruleOf(one)).text),
      ...testRules(channels, applications, generation, lists),
    ].join('')
    assert.equal(text, readFileSync(join(import.meta.dirname, 'golden', 'channels.rules'), 'utf8'))
    // Whatever a text says, the rules stay as many as they are.
    assert.equal(text.trimEnd().split('\n').length, 4 + 2 + 10 + 2 + 1 + 2 + 2 + 2 * hostile.length)
    for (const line of text.trimEnd().split('\n')) assert.ok('rule' in parseRule(line, 'custom'), line)
  })
})
