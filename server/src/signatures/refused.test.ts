import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { weakeningFault } from './refused.ts'
import { parseRule } from './rule.ts'

const fault = (text: string): string | null => {
  const parsed = parseRule(text, 'custom')
  assert.ok('rule' in parsed, 'fault' in parsed ? parsed.fault : '')
  return weakeningFault(parsed.rule)
}

const withOption = (option: string): string => `alert tcp any any -> any any (msg:"x"; ${option} sid:1;)`

describe('what no signature may do', () => {
  for (const option of [
    'lua:x.lua;',
    'dataset:isset,x,type string,load x.lst;',
    'datarep:x,>,200,load x.rep,type string;',
    'iprep:src,x,>,10;',
    'filestore;',
    'nfq_set_mark:0x1/0x1;',
    'bypass;',
    'flowbits:set,c2_0123abcd;',
    'flowbits:isset,mine|k_0123abcd;',
  ])
    it(`refuses ${option}`, () => assert.match(fault(withOption(option)) ?? '', /not allowed|belong to the gateway/))

  it('takes the same words where they are text', () => {
    assert.equal(fault(withOption('content:"lua|3a|bypass\\; filestore\\;";')), null)
    assert.equal(fault(withOption('flowbits:set,ET.c2_0123abcd;')), null)
  })

  it('refuses a rule of two lines', () => {
    for (const hidden of ['\n', '\r', '\0'])
      assert.match(fault(withOption(`content:"a${hidden}alert ip any any";`)) ?? '', /one line/)
  })

  it('refuses a pass rule that is for everything', () => {
    for (const header of [
      'ip any any -> any any',
      'tcp any any -> any 22',
      'ip $HOME_NET any -> $EXTERNAL_NET any',
      'ip 0.0.0.0/0 any -> any any',
      'ip !10.0.0.1 any -> any any',
    ])
      assert.match(fault(`pass ${header} (msg:"x"; content:!"never"; sid:1;)`) ?? '', /must name an address/, header)
  })

  it('takes a pass rule for an address or a content', () => {
    assert.equal(fault('pass ip 10.0.0.1 any -> any any (msg:"x"; sid:1;)'), null)
    assert.equal(fault('pass ip any any -> [fd00::1,fd00::2] any (msg:"x"; sid:1;)'), null)
    assert.equal(fault('pass tcp any any -> any any (msg:"x"; content:"known"; sid:1;)'), null)
  })
})
