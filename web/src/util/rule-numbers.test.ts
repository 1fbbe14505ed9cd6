// One number of a rule for people: its place.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numbersOf, renumber, sayRule, tablesIn, unknownNumbers } from './rule-numbers.ts'

const numberOf = numbersOf(new Map([['forward', [{ id: 7 }, { id: 2 }, { id: 30 }]]]))

test('a rule is called by its place, whatever its id', () => {
  assert.equal(sayRule('forward', 30, numberOf), 'FORWARD 3')
  assert.equal(sayRule('FWD', '7', numberOf), 'FORWARD 1')
  assert.equal(sayRule('forward', 3, numberOf), 'FORWARD (id 3)', 'an id that has no place is not taken for one')
  assert.equal(sayRule('input', 3, numberOf), 'INPUT', 'not known yet')
  assert.equal(sayRule('web', 3, numberOf), 'WEB 3')
})

test('sentences of the gateway get the numbers of the table', () => {
  assert.equal(renumber('FORWARD rule 2 drops the packet.', numberOf), 'FORWARD rule 2 drops the packet.')
  assert.equal(
    renumber('FORWARD rule 30 accepts, not FORWARD rule 4.', numberOf),
    'FORWARD rule 3 accepts, not FORWARD rule (id 4).',
  )
  assert.equal(
    renumber('rules 7, 2 and 30 together match all of it, 10.0.0.2 too', numberOf, 'forward'),
    'rules 1, 2 and 3 together match all of it, 10.0.0.2 too',
  )
  assert.equal(renumber('rule 7', unknownNumbers, 'forward'), 'rule')
  assert.equal(renumber('rule 7', numberOf), 'rule 7', 'no table is known')
})

test('only tables that are mentioned are asked for', () => {
  assert.deepEqual(tablesIn(['firewall.forward[7].comment', 'dns.settings', 'It is used by SNAT rule 4.']), [
    'forward',
    'snat',
  ])
})
