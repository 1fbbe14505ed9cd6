// What lists of many items cost after a change of one: the others are neither shown nor serialised again.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { perItem } from './routes.ts'

const items = Array.from({ length: 50_000 }, (_, id) => ({ id }))

function counted() {
  let count = 0
  const show = perItem((item: { readonly id: number }) => {
    count++
    return { shown: item.id }
  })
  return { show, count: () => count }
}

it('after one change only that item is shown again, wherever it stands', () => {
  const { show, count } = counted()
  const first = show(items)
  for (const changed of [items.with(700, { id: -1 }), items.toSpliced(9, 1), items.toSpliced(3, 0, { id: -2 })]) {
    const before = count()
    const next = show(changed)
    assert.ok(count() - before <= 1)
    assert.deepEqual(
      next.map(({ shown }) => shown),
      changed.map(({ id }) => id),
    )
    assert.equal(next[20_000], show(changed)[20_000])
  }
  assert.equal(show(items), first)
})

it('items keep what they were shown as when they move', () => {
  const { show, count } = counted()
  const [one] = show(items)
  const moved = show([...items.slice(1), ...items.slice(0, 1)])
  assert.equal(moved.at(-1), one)
  assert.equal(count(), items.length)
})
