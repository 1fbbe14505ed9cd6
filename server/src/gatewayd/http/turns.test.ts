// Requirement 35.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Turns } from './turns.ts'

describe('turns', () => {
  it('begin at once while the turn has time', () => {
    const begun: number[] = []
    const turns = new Turns(Number.POSITIVE_INFINITY)
    for (let count = 0; count < 1_000; count++) turns.take('a', () => begun.push(count))
    assert.equal(begun.length, 1_000)
  })

  it('wait when it has none, the owners one after the other and each in its order', async () => {
    const begun: string[] = []
    // Every turn has time for one.
    const turns = new Turns(0)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) turns.take(name.charAt(0), () => begun.push(name))
    assert.deepEqual(begun, [])
    while (begun.length < 6) await turn()
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('let those who come later in when the others are done', async () => {
    const begun: string[] = []
    const turns = new Turns(0)
    turns.take('a', () => begun.push('first'))
    while (begun.length === 0) await turn()
    await turn()
    turns.take('a', () => begun.push('second'))
    while (begun.length < 2) await turn()
    assert.deepEqual(begun, ['first', 'second'])
  })

  it('give others their turn between requests that take long', async () => {
    const order: string[] = []
    const turns = new Turns(0)
    for (const name of ['a', 'b', 'c']) turns.take(name, () => order.push(name))
    while (order.filter((name) => name !== 'other').length < 3) {
      order.push('other')
      await turn()
    }
    assert.ok(order.indexOf('c') - order.indexOf('a') > 2, order.join(' '))
  })
})
