// Rules in facets are called by their place and name, not by their id.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mentionsIn, sayRules } from './rule-words.ts'
import type { LogSource } from './source.ts'

const source = {
  ruleOf: ({ cells: { table, rule_id } }: { cells: Record<string, unknown> }) => ({
    table: String(table),
    id: String(rule_id),
  }),
} as unknown as LogSource
const line = (table: string, rule_id: number | string) => ({
  key: `${table} ${rule_id}`,
  time: 0,
  cells: { table, rule_id },
})
const lines = [line('FWD', 7), line('FWD', 7), line('INP', 7), line('FWD', 9), line('SYS', 3), line('FWD', 'fwd.sys.x')]

it('rules are called by place and name, those of several tables one after the other', () => {
  const mentions = mentionsIn(source, lines)
  assert.deepEqual([...mentions.keys()], ['7', '9'])
  const numberOf = (table: string, id: number | string) =>
    table === 'forward' && id === '9' ? null : table === 'forward' ? 1 : 2
  const nameOf = ({ table }: { table: string }) => (table === 'FWD' ? 'Office' : '')
  assert.equal(sayRules(mentions.get('7'), numberOf, nameOf), 'FWD 1 Office, INP 2')
  assert.equal(
    sayRules(mentions.get('9'), numberOf, () => ''),
    'FWD (id 9)',
  )
  assert.equal(sayRules(mentions.get('3'), numberOf, nameOf), null)
})
