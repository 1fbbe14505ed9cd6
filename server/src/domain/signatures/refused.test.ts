import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noteOf, weakeningFault } from './refused.ts'
import { parseRule } from './rule.ts'

const withOption = (option: string): string => `alert tcp any any -> any any (msg:"x"; ${option} sid:1;)`

describe('what no signature may do', () => {
  for (const option of [
    'lua:x.lua;',
    'LUA:x.lua;',
    '  lua :x.lua;',
    '\tLuaJIT:\tx.lua;',
    'lua:!x.lua;',
    'content:"a\\"\\;"; lua:x.lua;',
    'content:"\\\\"; lua:x.lua;',
    'pcre:"/\\\\\\;x/"; bypass;',
    'dataset:isset,x,type string,load x.lst;',
    'datarep:x,>,200,load x.rep,type string;',
    'iprep:src,x,>,10;',
    'filestore;',
    'FileStore:both,flow;',
    'filesha256:/etc/shadow;',
    'tls.store;',
    'nfq_set_mark:0x1/0x1;',
    'bypass ;',
    'bypass:;',
    'config:logging disable, type tx, scope tx;',
    'gid:9;',
    'gid: 10;',
    'GID:0;',
    'flowbits:set,@2;',
    'flowbits: set , @63 ;',
    'flowbits: set , K_0123ABCD ;',
    'flowbits:isset,mine|k_0123abcd;',
  ])
    it(`refuses ${JSON.stringify(option)}`, () =>
      assert.match(weakeningFault(withOption(option)) ?? '', /not allowed|belong to the gateway|must be 1/))

  it('takes the same words where they are text', () => {
    for (const option of [
      'content:"lua:x|3b| bypass\\; filestore\\; lua:y\\;";',
      'content:"\\"\\; lua:x\\;";',
      'flowbits:set,ET.@2;',
      'metadata:bypass yes, lua no;',
      'reference:url,lua.org/bypass;',
      'gid:1;',
      'file.data; content:"x";',
    ])
      assert.equal(weakeningFault(withOption(option)), null, option)
  })

  it('takes a rule as text and as data', () => {
    const parsed = parseRule(withOption('bypass;'), 'custom')
    assert.ok('rule' in parsed)
    assert.match(weakeningFault(parsed.rule) ?? '', /bypass is not allowed/)
  })

  it('refuses what would be more than one line', () => {
    for (const text of ['\n', '\r', '\0', '\u0085', '\u2028'])
      assert.match(weakeningFault(withOption(`content:"${text}";`)) ?? '', /one line/, JSON.stringify(text))
    assert.equal(weakeningFault(withOption('\tcontent:"a";')), null)
    assert.notEqual(weakeningFault('pass ip any any -> any any'), null)
  })

  it('refuses a pass rule that is for everything', () => {
    for (const header of [
      'ip any any -> any any',
      'tcp any any -> any 22',
      'tcp any [1:65535] -> any any',
      'ip $HOME_NET any -> $EXTERNAL_NET any',
      'ip 0.0.0.0/0 any -> ::/0 any',
      'ip [0.0.0.0/1,128.0.0.0/1] any -> any any',
      'ip [ 0.0.0.0/1 , 128.0.0.0/1 ] any -> any any',
      'ip 0.0.0.0-255.255.255.255 any -> any any',
      'ip !10.0.0.1 any -> any any',
      'ip [!10.0.0.1] any -> !fd00::1 any',
      'ip ![10.0.0.1] any -> any any',
      'ip ![[10.0.0.1],10.0.0.2] any -> any any',
    ]) {
      const rule = `pass ${header} (msg:"x"; content:!"never"; flow:established; sid:1;)`
      assert.match(weakeningFault(rule) ?? '', /must name an address/, header)
      assert.match(weakeningFault(rule.replace('pass', 'PASS\t')) ?? '', /must name an address/, header)
    }
  })

  it('takes a pass rule for an address or a content', () => {
    for (const rule of [
      'pass ip 10.0.0.1 any -> any any (msg:"x"; sid:1;)',
      'pass ip any any -> [fd00::1,fd00::2] any (msg:"x"; sid:1;)',
      'pass ip any any -> 192.168.0.0/16 any (msg:"x"; sid:1;)',
      'pass tcp any any -> any any (msg:"x"; content:"known"; sid:1;)',
      'alert ip any any -> any any (msg:"pass"; sid:1;)',
    ])
      assert.equal(weakeningFault(rule), null, rule)
  })

  it('tells what a rule with tos cannot see', () => {
    assert.match(noteOf(withOption('TOS:8;')) ?? '', /cannot see/)
    assert.equal(noteOf(withOption('content:"tos:8\\;";')), null)
  })
})
