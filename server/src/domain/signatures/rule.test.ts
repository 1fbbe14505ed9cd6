import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertGrowsWithSize } from '../../../test/support/work.ts'
import { parseRule, type Rule } from './rule.ts'

const ruleOf = (text: string): Rule => {
  const parsed = parseRule(text, 'custom')
  assert.ok('rule' in parsed, `${text}: ${'fault' in parsed ? parsed.fault : ''}`)
  return parsed.rule
}

const faultOf = (text: string): string => {
  const parsed = parseRule(text, 'custom')
  assert.ok('fault' in parsed, text)
  return parsed.fault
}

const withOptions = (options: string): string => `alert tcp any any -> any any (${options})`

describe('a rule', () => {
  it('is read with its header, options and metadata', () => {
    const text =
      'drop http $EXTERNAL_NET any -> [10.0.0.0/8, !10.1.0.0/16] [80,8080:8090] (msg:"Say \\"no\\"\\; now"; ' +
      'flow:established,to_server; http.uri; content:"/a|3b|b"; nocase; classtype:misc-attack; sid:77; rev:3; ' +
      'metadata:created_at 2024_01_02, mitre_tactic_id TA0001, signature_severity Major, updated_at 2025_03_04;)'
    assert.deepEqual(ruleOf(text), {
      text,
      rev: 3,
      signature: {
        action: 'drop',
        protocol: 'http',
        source: '$EXTERNAL_NET',
        source_ports: 'any',
        destination: '[10.0.0.0/8,!10.1.0.0/16]',
        destination_ports: '[80,8080:8090]',
        flow: 'client2server',
        classtype: 'misc-attack',
        sid: 77,
        signature_severity: 'Major',
        mitre_tactic_id: 'TA0001',
        signature_source: 'custom',
        msg: 'Say "no"; now',
        updated_at: '2025-03-04',
      },
    })
  })

  it('says - for what it leaves out', () => {
    const { signature, rev } = ruleOf(withOptions('sid:1;'))
    assert.equal(rev, 1)
    assert.equal(signature.msg, '')
    for (const field of ['flow', 'classtype', 'signature_severity', 'mitre_tactic_id', 'updated_at'] as const) {
      assert.equal(signature[field], '-', field)
    }
  })

  it('has one action with two names: reject is rejectsrc', () => {
    const actionOf = (word: string): string => ruleOf(withOptions('sid:1;').replace('alert', word)).signature.action
    assert.deepEqual(['alert', 'pass', 'drop', 'reject', 'rejectsrc', 'rejectdst', 'rejectboth'].map(actionOf), [
      'alert',
      'pass',
      'drop',
      'rejectsrc',
      'rejectsrc',
      'rejectdst',
      'rejectboth',
    ])
  })

  it('names its tactic in either form, in one metadata option or several', () => {
    const tacticOf = (metadata: string): string => ruleOf(withOptions(`sid:1; ${metadata}`)).signature.mitre_tactic_id
    assert.equal(tacticOf('metadata: MITRE TA0040;'), 'TA0040')
    assert.equal(tacticOf('metadata: mitre_tactic_id TA0005;'), 'TA0005')
    assert.equal(tacticOf('metadata: a b; metadata: mitre_tactic_id TA0006, c d;'), 'TA0006')
    assert.equal(tacticOf('metadata: mitre_tactic_name Impact;'), '-')
    assert.equal(tacticOf('metadata: not_mitre_tactic_id TA0006;'), '-')
  })

  it('reports the direction of its flow', () => {
    const flowOf = (flow: string): string => ruleOf(withOptions(`sid:1; flow:${flow};`)).signature.flow
    assert.equal(flowOf('to_server,established'), 'client2server')
    assert.equal(flowOf('from_client'), 'client2server')
    assert.equal(flowOf('established, to_client'), 'server2client')
    assert.equal(flowOf('from_server'), 'server2client')
    assert.equal(flowOf('stateless'), '-')
  })

  it('is refused with what is wrong', () => {
    const cases: [string, RegExp][] = [
      ['', /parentheses/],
      ['alert tcp any any -> any any', /parentheses/],
      ['alert tcp any any -> any any (sid:1;', /closing/],
      ['shout tcp any any -> any any (sid:1;)', /"shout" is not an action/],
      ['alert foo any any -> any any (sid:1;)', /"foo" is not a protocol/],
      ['alert tcp any any <- any any (sid:1;)', /"<-" is not a direction/],
      ['alert tcp any any -> any (sid:1;)', /header/],
      ['alert tcp any any -> any any any (sid:1;)', /header/],
      ['alert tcp 10.0.0.300 any -> any any (sid:1;)', /10\.0\.0\.300/],
      ['alert tcp $NOWHERE any -> any any (sid:1;)', /NOWHERE/],
      ['alert tcp [10.0.0.1 any -> any any (sid:1;)', /brackets/],
      ['alert tcp !any any -> any any (sid:1;)', /!any/],
      ['alert tcp any 70000 -> any any (sid:1;)', /70000/],
      ['alert tcp any 90:80 -> any any (sid:1;)', /90:80/],
      [withOptions('msg:"no sid";'), /sid/],
      [withOptions('sid:0;'), /sid/],
      [withOptions('sid:x;'), /whole number/],
      [withOptions('sid:4294967296;'), /whole number/],
      [withOptions('sid:1; sid:2;'), /Duplicate option sid/],
      [withOptions('sid:1'), /semicolon/],
      [withOptions('sid:1;; rev:1;'), /remove the extra semicolon/],
      [withOptions('sid:1; made_up;'), /made_up/],
      [withOptions('sid:1; msg:open;'), /quotes/],
      [withOptions('sid:1; msg:"open;'), /[Qq]uote/],
      [withOptions('sid:1; msg:"a;b";'), /semicolon inside quotes/i],
      [withOptions('sid:1; content:"";'), /content/],
      [withOptions('sid:1; content:"|0|";'), /hexadecimal/],
      [withOptions('sid:1; content:"|00 01";'), /not closed/],
      [withOptions('sid:1; pcre:"abc";'), /pcre/],
    ]
    for (const [text, expected] of cases) assert.match(faultOf(text), expected, text)
  })

  it('never makes the parser fail, whatever is sent', () => {
    const good = 'drop http any any -> [10.0.0.1,!$HOME_NET] 80 (msg:"a\\"b"; content:"|00|x"; sid:1; metadata:a b;)'
    for (let at = 0; at < good.length; at++) {
      for (const piece of ['', '"', ';', '\\', '(', ')', '[', ':', '|', '\n', '\u0000', '\ud800']) {
        assert.doesNotThrow(() => parseRule(good.slice(0, at) + piece + good.slice(at + 1), 'custom'))
      }
    }
  })

  it('is read with work that grows with its length', () => {
    for (const unit of ['[', '!', '\\', '"', 'a:b,', ' metadata', '|', 'MITRE ', 'updated_at '])
      assertGrowsWithSize(100_000, (size) => () => {
        parseRule(withOptions(`sid:1; metadata:${unit.repeat(size)};`), 'custom')
        parseRule(`alert tcp ${unit.repeat(size)} any -> any any (sid:1;)`, 'custom')
      })
  })
})
