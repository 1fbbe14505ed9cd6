// How much is sent again after a break: all that the collector may not have stored, and no more than a fixed number of bytes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bufferBytes, memorySeconds, ResendWindow } from './resend-window.ts'

describe('what is sent again after a break', () => {
  it('is nothing when nothing was delivered', () => {
    assert.equal(new ResendWindow().resumeAt(false, 0), null)
  })

  it('is what a receive buffer can hold, when the connection was reset, however long ago it was', () => {
    const window = new ResendWindow()
    for (let at = 0; at < 1_000; at++) window.add(at * 10, 100_000, at)
    const from = window.resumeAt(false, 1_000_000) ?? 0
    const repeated = (10_000 - from) / 10
    assert.ok(repeated * 100_000 >= bufferBytes && (repeated - 1) * 100_000 < bufferBytes, String(repeated))
  })

  it('is the last seconds, when the collector closed the connection', () => {
    const window = new ResendWindow()
    for (let at = 0; at < 100; at++) window.add(at, 100, at)
    assert.equal(window.resumeAt(true, 99), 99 - memorySeconds)
    assert.equal(window.resumeAt(true, 200), null)
  })

  it('never begins after a record that came within the same second', () => {
    const window = new ResendWindow()
    window.add(5, 100, 10.1)
    window.add(6, 100, 10.2)
    assert.equal(window.resumeAt(true, 10.15 + memorySeconds), 5)
    assert.equal(window.resumeAt(true, 10.3 + memorySeconds), null)
  })
})
