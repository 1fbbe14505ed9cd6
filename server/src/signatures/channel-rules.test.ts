import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  type ChannelContent,
  type CompiledPart,
  createSignaturePrinter,
  type DeniedApplication,
  ownRules,
} from './channel-rules.ts'
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
    ...{ id: 'id.l7.ssh', name: 'SS"H;\\', number: 7 },
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
      `alert ${rest} flowbits:isset,c2_0123abcd; gid:1;)\n` +
        `drop ${rest} flowbits:isset,c1_0123abcd|c11_0123abcd; gid:2;)\n`,
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
      assert.match(copy, /^alert .* flowbits:isset,c1_0123abcd\|c2_0123abcd; gid:1;\)\n$/)
    }
  })

  it('tie exceptions to their channels too', () => {
    const text = plain.replace('alert', 'pass')
    assert.match(
      print([channel(4, everything('default'))], text).text,
      /^pass .* flowbits:isset,c4_0123abcd; gid:6;\)\n$/,
    )
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
    assert.match(usual ?? '', / flowbits:isset,c4_0123abcd; gid:6;\)$/)
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
      reason: 'The option bypass is not allowed, because it takes connections out of inspection.',
    })
    const long = plain.replace('EVIL', 'x'.repeat(8_100))
    assert.equal(print(channels, long).leftOut?.reason, 'The rule is too long.')
    assert.equal(print(channels, plain.replace('EVIL', 'ü'.repeat(3_000))).leftOut?.reason, 'The rule is too long.')
  })

  it('are those of the golden file, with hostile text as text', () => {
    const hostile = [
      'alert tcp any any -> any any (msg:"a \\"quote\\" \\; flowbits:set,c1_0123abcd\\; # ) drop ip any any -> any any (sid:1\\;)"; content:"|3b 22 0a|lua:x\\;"; sid:1; rev:1;)',
      'drop udp $HOME_NET any -> [10.0.0.1,!10.0.0.2] 53 (msg:"gid:77\\; $(reboot) {{x}} $y"; content:"\\\\"; pcre:"/\\;gid:5/"; sid:2; gid:1; metadata:a b, c d;)',
      plain,
    ]
    const channels = [
      channel(1, everything('drop'), ['id.l7.ssh', 'id.l7.unknown']),
      channel(63, everything('alert'), ['id.l7.ssh', 'id.l7.not_there']),
    ]
    const printer = createSignaturePrinter(channels, generation)
    const text = [
      ...ownRules(channels, applications, generation),
      ...hostile.map((one) => printer(ruleOf(one)).text),
    ].join('')
    assert.equal(text, readFileSync(join(import.meta.dirname, 'golden', 'channels.rules'), 'utf8'))
    // Whatever a text says, the rules stay as many as they are.
    assert.equal(text.trimEnd().split('\n').length, 4 + 2 + 2 + 2 + 2 + 2 * hostile.length)
    for (const line of text.trimEnd().split('\n')) assert.ok('rule' in parseRule(line, 'custom'), line)
  })
})
