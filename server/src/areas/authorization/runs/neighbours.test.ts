import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeClock } from '../../../../test/support/test-gateway.ts'
import { createNeighbours } from './neighbours.ts'

const entry = (dst: string): object => ({ dst, dev: 'lan0', lladdr: '02:00:00:00:00:0A', state: ['STALE'] })

describe('the card of a neighbour', () => {
  it('is looked up once for many at the same time, and again for a host that was not there', async () => {
    const clock = new FakeClock()
    let reads = 0
    let known = [entry('10.0.0.1')]
    const neighbourAt = createNeighbours({
      applier: {
        neighbours: async () => {
          reads++
          return JSON.stringify(known)
        },
      },
      clock,
    })
    await Promise.all(Array.from({ length: 50 }, () => neighbourAt('10.0.0.1')))
    assert.equal(reads, 1)
    known = [...known, entry('10.0.0.2')]
    assert.ok(await neighbourAt('10.0.0.2'))
    assert.equal(reads, 2)
    clock.advance(1)
    await neighbourAt('10.0.0.1')
    assert.equal(reads, 3)
  })
})
