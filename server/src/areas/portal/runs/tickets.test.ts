// Sign-ins that wait for a code: how long, how often one may try, and how many there can be.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeClock } from '../../../../test/support/test-gateway.ts'
import { Allowance, Allowances } from './allowance.ts'
import { Tickets } from './tickets.ts'

const open = () => {
  const clock = new FakeClock()
  const tickets = new Tickets(clock)
  const add = (userId = 'user.id.1', kind: 'totp' | 'sent' = 'totp'): string =>
    tickets.open({
      userId,
      passwordMark: 'mark',
      address: '10.0.0.1',
      wait: kind === 'totp' ? { kind } : { kind, factor: 'smssvc', codeHash: Buffer.alloc(32) },
    })
  return { clock, tickets, add }
}

describe('a ticket', () => {
  it('has five tries', () => {
    const { tickets, add } = open()
    const ticket = add()
    for (let turn = 0; turn < 5; turn++) assert.equal(tickets.try(ticket, () => false)?.isRight, false)
    assert.equal(
      tickets.try(ticket, () => true),
      null,
    )
    assert.deepEqual(tickets.list(), [])
    assert.equal(
      tickets.try('never', () => true),
      null,
    )
  })

  it('is used by one at a time, and given back when that led to nothing', () => {
    const { tickets, add } = open()
    const ticket = add()
    const used = tickets.try(ticket, () => true)
    assert.equal(used?.isRight, true)
    assert.equal(
      tickets.try(ticket, () => true),
      null,
      'in use',
    )
    assert.ok(used)
    tickets.giveBack(used.sign)
    assert.equal(tickets.try(ticket, () => true)?.isRight, true)
    assert.equal(tickets.end(used.sign.handle), true)
    assert.equal(tickets.isOpen(used.sign), false)
    tickets.giveBack(used.sign)
    assert.deepEqual(tickets.list(), [])
  })

  it('of a code that was sent ends after 5 minutes, another one after 10, whatever the wall clock says', () => {
    const { tickets, add, clock } = open()
    add('user.id.1', 'sent')
    add('user.id.2')
    clock.wall += 3_600_000
    assert.equal(tickets.list().length, 2)
    clock.wall -= 7_200_000
    clock.seconds += 300
    assert.deepEqual(
      tickets.list().map(({ userId }) => userId),
      ['user.id.2'],
    )
    clock.seconds += 300
    assert.deepEqual(tickets.list(), [])
  })

  it('makes room: five of a user, ten thousand of all', () => {
    const { tickets, add } = open()
    const first = add()
    for (let turn = 0; turn < 5; turn++) add()
    assert.equal(tickets.list().length, 5)
    assert.equal(
      tickets.try(first, () => true),
      null,
    )
    for (let user = 2; user < 10_010; user++) add(`user.id.${user}`)
    assert.equal(tickets.list().length, 10_000)
    tickets.endAllOf('user.id.10009')
    assert.equal(tickets.list().length, 9_999)
  })
})

describe('an allowance', () => {
  it('fills up with elapsed time to its most', () => {
    let seconds = 0
    const allowance = new Allowance(() => seconds, 3, 0.5)
    const takes = (count: number): number =>
      Array.from({ length: count }, () => allowance.take()).filter(Boolean).length
    assert.equal(takes(10), 3)
    seconds += 2
    assert.equal(takes(10), 1)
    seconds += 1_000
    assert.equal(takes(10), 3)
  })

  it('is separate for each key', () => {
    let seconds = 0
    const allowances = new Allowances(() => seconds, 2, 1)
    assert.deepEqual([allowances.take('a'), allowances.take('a'), allowances.take('a')], [true, true, false])
    assert.equal(allowances.take('b'), true)
    seconds += 10
    assert.equal(allowances.take('a'), true)
  })
})
