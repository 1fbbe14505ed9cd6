// The set-up list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Facts, setUpSteps } from './set-up-steps.ts'

const states = (facts: Facts) => Object.fromEntries(setUpSteps(facts).map(({ id, state }) => [id, state]))

test('what was not read is unknown, never done', () => {
  assert.deepEqual(new Set(Object.values(states({}))), new Set(['unknown']))
})

test('each step says what is missing', () => {
  const facts: Facts = {
    connections: [{ type: 'lan', enabled: true, zone: null }],
    dhcpEntries: [{ enabled: false }],
    isDnsActive: true,
    forwardRules: 0,
    isFirewallOn: true,
    backups: 0,
    administrators: 1,
    targets: 0,
  }
  assert.deepEqual(new Set(Object.values(states(facts))), new Set(['open']))
  assert.equal(setUpSteps(facts)[0]?.missing, 'No connection to the internet is switched on.')
  assert.equal(setUpSteps(facts)[2]?.missing, 'No interface gives out addresses.')
})

test('a working branch is done', () => {
  const zone = 'zone.id.1'
  const facts: Facts = {
    connections: [
      { type: 'lan', enabled: true, zone },
      { type: 'wan', enabled: true, zone },
      { type: 'loopback', enabled: true },
    ],
    dhcpEntries: [{ enabled: true }],
    isDnsActive: true,
    forwardRules: 3,
    isFirewallOn: true,
    backups: 1,
    administrators: 2,
    targets: 1,
  }
  assert.deepEqual(new Set(Object.values(states(facts))), new Set(['done']))
})
