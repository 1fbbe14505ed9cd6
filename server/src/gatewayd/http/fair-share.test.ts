// The share of an address without a session: deep enough for an honest script, slow enough against a flood.
// Requirement 35.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FairShare } from './fair-share.ts'

describe('the share of an address', () => {
  const takeAll = (share: FairShare, address: string): number => {
    let taken = 0
    while (taken < 100_000 && share.take(address)) taken++
    return taken
  }

  it('is 3,000 requests at once and 50 a second after that', () => {
    let now = 0
    const share = new FairShare(() => now)
    assert.equal(takeAll(share, 'a'), 3_000)
    now += 1
    assert.equal(takeAll(share, 'a'), 50)
    now += 10
    assert.equal(takeAll(share, 'a'), 500)
  })

  it('is its own: others are not affected', () => {
    const share = new FairShare(() => 0)
    takeAll(share, 'a')
    assert.equal(share.take('b'), true)
  })

  it('never grows beyond its depth, and is whole again when it was forgotten', () => {
    let now = 0
    const share = new FairShare(() => now)
    takeAll(share, 'a')
    now += 100_000
    assert.equal(takeAll(share, 'a'), 3_000)
  })
})
