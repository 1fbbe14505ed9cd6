import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from '../contract/schema.ts'
import { noteSuccessor, slotsTouched } from './origins.ts'
import { type Config, single, write } from './slots.ts'

const slots = Array.from({ length: 20 }, (_, index) => single(`a.slot${index}`, Type.Number(), 0))
const first = slots[0] ?? assert.fail()
const second = slots[1] ?? assert.fail()

describe('the slots that a configuration differs in from another', () => {
  it('are those that were written, however often', () => {
    const head: Config = {}
    const once = write(head, first, 1)
    const more = write(write(once, second, 2), first, 3)
    assert.deepEqual(slotsTouched(head, once), ['a.slot0'])
    assert.deepEqual(slotsTouched(head, more), ['a.slot0', 'a.slot1'])
    assert.deepEqual(slotsTouched(head, head), [])
  })

  it('are not known of others than those it was made from', () => {
    const head: Config = {}
    const once = write(head, first, 1)
    assert.equal(slotsTouched(once, head), null)
    assert.equal(slotsTouched({}, once), null)
    assert.equal(slotsTouched(once, write(once, second, 2)), null)
    assert.equal(slotsTouched(head, { ...once }), null)
  })

  it('are not known after more writes than are worth it', () => {
    const head: Config = {}
    const many = slots.reduce((config, slot) => write(config, slot, 1), head)
    assert.equal(slotsTouched(head, many), null)
  })

  it('start again with a successor', () => {
    const head: Config = {}
    const next = { 'a.slot0': 1 }
    noteSuccessor(head, next, ['a.slot0'])
    assert.deepEqual(slotsTouched(head, next), ['a.slot0'])
    assert.deepEqual(slotsTouched(next, write(next, second, 2)), ['a.slot1'])
    assert.equal(slotsTouched(head, write(next, second, 2)), null)
  })
})
