// Changes of the table that wait to be applied.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRule } from './sample-rules.ts'
import {
  draftCalls,
  drawDraft,
  isEmptyDraft,
  isOnlyMoves,
  noDraft,
  rebase,
  withOrder,
  withPatch,
  withRemoved,
} from './table-draft.ts'
import { ruleTables } from './tables.ts'

const rules = [sampleRule(1), sampleRule(2), sampleRule(3)]
const [first] = rules as [(typeof rules)[number]]

test('a field with its old value again is not a change', () => {
  const changed = withPatch(noDraft, first, { enabled: false, comment: 'x' })
  assert.deepEqual(drawDraft(changed, rules)[0], { ...first, enabled: false, comment: 'x' })
  assert.equal(drawDraft(changed, rules)[1], rules[1])
  assert.ok(isEmptyDraft(withPatch(changed, first, { enabled: true, comment: '' })))
})

test('an order as before is not a change', () => {
  const moved = withOrder(noDraft, rules, [2, 1, 3])
  assert.ok(isOnlyMoves(moved))
  assert.deepEqual(
    drawDraft(moved, rules).map(({ id }) => id),
    [2, 1, 3],
  )
  assert.ok(isEmptyDraft(withOrder(moved, rules, [1, 2, 3])))
})

test('a draft becomes the calls of one change', () => {
  const draft = withRemoved(withOrder(withPatch(noDraft, first, { enabled: false }), rules, [2, 3, 1]), [3], true)
  assert.deepEqual(
    draftCalls(draft, rules, ruleTables.forward, '"a"').map(({ endpoint, params, body }) => [
      endpoint.method,
      endpoint.path,
      params,
      body,
    ]),
    [
      ['PATCH', '/firewall/rules/forward/:rule_id', { rule_id: 1 }, { enabled: false }],
      [
        'PATCH',
        '/firewall/rules/forward/move',
        undefined,
        { params: { id: 1, anchor_item_id: 3, insert_after: true } },
      ],
      ['DELETE', '/firewall/rules/forward/:rule_id', { rule_id: 3 }, undefined],
    ],
  )
})

test('a draft stays on top of what others changed', () => {
  const draft = withOrder(withPatch(noDraft, first, { enabled: false }), rules, [3, 1, 2])
  const others = [sampleRule(1), sampleRule(9), sampleRule(3)]
  const next = rebase(draft, others)
  assert.deepEqual(next.order, [3, 1, 9])
  assert.ok(next.patches.has(1))
  assert.equal(rebase(draft, [sampleRule(3), sampleRule(7)]).patches.size, 0)
})
