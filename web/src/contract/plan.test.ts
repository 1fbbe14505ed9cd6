// The calls that a draft becomes, for every shape of the contract.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentRules, userCategories } from '@gateway/server/contract/content-filter'
import { staticLeases } from '@gateway/server/contract/dhcp'
import { wafRules } from '@gateway/server/contract/web-application-firewall'
import fc from 'fast-check'
import type { Collection, Item } from './define.ts'
import {
  aroundOf,
  changeCall,
  createCall,
  itemFields,
  moveCall,
  moveCalls,
  moved,
  paramsOf,
  removeCall,
  rowSchema,
  spotAt,
  startOf,
  stepSpot,
} from './plan.ts'
import { emptyItem } from './schema.ts'

const collection = (endpoints: object, isOrdered = false): Collection =>
  ({ endpoints, isOrdered, itemName: 'x', title: () => 'x', columns: [], empty: { text: '' } }) as unknown as Collection

const parts = { around: {}, etag: '"1"' }

test('a static lease is created, changed by what differs, and removed', () => {
  const leases = collection(staticLeases)
  const fields = itemFields(leases, true)
  const empty = emptyItem(fields)
  const value = { ...empty, ip_address: '192.0.2.7', mac: '00:00:00:00:00:01' }
  const created = createCall(leases, value, { ...parts, spot: null })
  assert.equal(created.endpoint, staticLeases.create)
  assert.deepEqual(created.body, { comment: '', enabled: true, ip_address: '192.0.2.7', mac: '00:00:00:00:00:01' })
  const row = { id: '3', ...value }
  const base = startOf(fields, row, empty)
  const changed = changeCall(leases, { base, value: { ...base, comment: 'x' }, row }, parts)
  assert.deepEqual(changed.body, { comment: 'x' })
  assert.deepEqual(changed.params, { lease_id: '3' })
  assert.equal(changed.etag, '"1"')
  assert.deepEqual(removeCall(leases, row, parts).params, { lease_id: '3' })
})

test('a required field that the page hides is sent as it begins', () => {
  const hidden = { ...collection(staticLeases), fields: { comment: { isHidden: true } } }
  const call = createCall(hidden, { ip_address: 'x', mac: 'y', enabled: true }, { ...parts, spot: null })
  assert.deepEqual(call.body, { comment: '', enabled: true, ip_address: 'x', mac: 'y' })
})

test('PUT gets the whole object without what it does not know', () => {
  const categories = collection(userCategories)
  const row = { id: 'users.id.1', name: 'a', comment: '', urls: ['x.example'] }
  const base = startOf(itemFields(categories, false), row, {})
  const { body, endpoint } = changeCall(categories, { base, value: { ...base, name: 'b' }, row }, parts)
  assert.equal(endpoint, userCategories.replace)
  assert.deepEqual(body, { name: 'b', comment: '', urls: ['x.example'] })
})

test('rules of a profile know the profile', () => {
  const rules = collection(wafRules, true)
  const around = aroundOf(wafRules.list, 'p1')
  assert.deepEqual(around, { profile_id: 'p1' })
  assert.deepEqual(paramsOf(wafRules.update, around, 7), { profile_id: 'p1', rule_id: 7 })
  const { body } = moveCall(rules, { id: 7 }, { anchor: 9, isAfter: false }, { around, etag: null })
  assert.deepEqual(body, { params: { profile_id: 'p1', rule_id: 7, anchor_item_id: 9, insert_after: false } })
  assert.ok(rowSchema(rules).properties?.aliases)
})

test('an insertion names its place', () => {
  const rules = collection(contentRules, true)
  const call = createCall(rules, { name: 'a' }, { ...parts, spot: { anchor: 4, isAfter: true } })
  assert.deepEqual(call.query, { anchor_item_id: 4, insert_after: true })
})

test('blocks are moved as blocks, and the drawn order is that of the calls', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      fc.boolean(),
      (ids, numbers, isAfter) => {
        const rows: Item[] = ids.map((id) => ({ id }))
        const chosen = rows.filter(() => (numbers.next().value ?? 0) % 3 === 0)
        const rest = rows.filter((row) => !chosen.includes(row))
        if (chosen.length === 0 || rest.length === 0) return
        const anchor = rest[(numbers.next().value ?? 0) % rest.length]?.id as number
        const drawn = moved(rows, chosen, { anchor, isAfter })
        let order = rows
        for (const { body } of moveCalls(collection(contentRules, true), chosen, { anchor, isAfter }, parts)) {
          const { params } = body as { params: { id: number; anchor_item_id: number; insert_after: boolean } }
          const row = order.find(({ id }) => id === params.id) as Item
          const others = order.filter((one) => one !== row)
          const at = others.findIndex(({ id }) => id === params.anchor_item_id) + (params.insert_after ? 1 : 0)
          order = [...others.slice(0, at), row, ...others.slice(at)]
        }
        assert.deepEqual(order, drawn)
      },
    ),
  )
})

test('steps and named places', () => {
  const rows = [1, 2, 3, 4].map((id) => ({ id }))
  assert.deepEqual(stepSpot(rows, [{ id: 2 }], true), { anchor: 3, isAfter: true })
  assert.deepEqual(stepSpot(rows, [{ id: 2 }], false), { anchor: 1, isAfter: false })
  assert.equal(stepSpot(rows, [{ id: 1 }], false), null)
  assert.deepEqual(spotAt(rows, [{ id: 4 }], 1), { anchor: 1, isAfter: false })
  assert.deepEqual(spotAt(rows, [{ id: 1 }], 9), { anchor: 4, isAfter: true })
  assert.deepEqual(moved(rows, [{ id: 1 }], { anchor: 3, isAfter: true }), [{ id: 2 }, { id: 3 }, { id: 1 }, { id: 4 }])
})
