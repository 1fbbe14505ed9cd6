// What each form of the palette's grammar means, in both languages.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readQuestion } from './grammar.ts'

const trace = (source: string, destination: string, port: number | null, protocol: string | null = null) => ({
  kind: 'trace',
  protocol,
  source,
  destination,
  port,
})

describe('the grammar of the palette', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['10.1.2.3', { kind: 'address', address: '10.1.2.3', isNetwork: false }],
    ['  10.1.2.3 ', { kind: 'address', address: '10.1.2.3', isNetwork: false }],
    ['10.1.2.0/24', { kind: 'address', address: '10.1.2.0/24', isNetwork: true }],
    ['10.1.2.300', { kind: 'words', words: ['10.1.2.300'] }],
    ['10.1.2.3 -> 198.51.100.10:443', trace('10.1.2.3', '198.51.100.10', 443)],
    ['10.1.2.3->198.51.100.10:443', trace('10.1.2.3', '198.51.100.10', 443)],
    ['10.1.2.3:5000 → example.com:443', trace('10.1.2.3', 'example.com', 443)],
    ['udp 10.1.2.3 => 10.0.0.1:53', trace('10.1.2.3', '10.0.0.1', 53, 'udp')],
    ['10.1.2.3 -> 10.0.0.1', trace('10.1.2.3', '10.0.0.1', null)],
    ['10.1.2.3 -> 10.0.0.1:70000', { kind: 'words', words: ['10.1.2.3', '->', '10.0.0.1:70000'] }],
    ['rule 42', { kind: 'rule', table: null, id: 42 }],
    ['forward 42', { kind: 'rule', table: 'forward', id: 42 }],
    ['FWD 42', { kind: 'rule', table: 'forward', id: 42 }],
    ['input rule 3', { kind: 'rule', table: 'input', id: 3 }],
    ['правило 42', { kind: 'rule', table: null, id: 42 }],
    ['42', { kind: 'words', words: ['42'] }],
    ['block 10.1.2.3', { kind: 'block', address: '10.1.2.3' }],
    ['заблокировать 10.1.2.3', { kind: 'block', address: '10.1.2.3' }],
    ['allow 10.1.2.0/24', { kind: 'allow', address: '10.1.2.0/24' }],
    ['block everything', { kind: 'words', words: ['block', 'everything'] }],
    ['put back to 810', { kind: 'put-back', revision: 810 }],
    ['вернуть к 810', { kind: 'put-back', revision: 810 }],
    ['revert to revision 810', { kind: 'put-back', revision: 810 }],
    ['rev 810', { kind: 'revision', revision: 810 }],
    ['DHCP leases', { kind: 'words', words: ['dhcp', 'leases'] }],
    ['', { kind: 'words', words: [] }],
  ]
  for (const [typed, meant] of cases) {
    it(`reads "${typed}"`, () => assert.deepEqual(readQuestion(typed), meant))
  }
})
