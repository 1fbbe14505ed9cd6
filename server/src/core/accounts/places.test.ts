// Whose password is checked next, while a flood of sign-ins comes from many addresses.
// Requirement 2.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Places, type Visitor } from './places.ts'

/** Work that ends when the test says so, in the order in which it was admitted. */
function bench() {
  let now = 0
  const places = new Places(() => now)
  const admitted: string[] = []
  const refused: string[] = []
  const running: { readonly name: string; readonly end: () => void }[] = []
  let most = 0
  const visit = (name: string, visitor: Visitor | null): void => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = async (): Promise<void> => {
      admitted.push(name)
      running.push({ name, end: resolve })
      most = Math.max(most, running.length)
      await promise
    }
    void places.use(visitor, work).then((done) => done === null && refused.push(name))
  }
  /** Until what was decided has been noticed. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) await Promise.resolve()
  }
  const finish = async (name?: string): Promise<void> => {
    const index = name === undefined ? 0 : running.findIndex((one) => one.name === name)
    const [one] = running.splice(index, 1)
    one?.end()
    await settle()
  }
  return {
    admitted,
    refused,
    running,
    visit,
    settle,
    finish,
    advance: (seconds: number) => {
      now += seconds
    },
    most: () => most,
  }
}

const from = (address: string, account = 'admin', isKnown = false): Visitor => ({ address, account, isKnown })
/** Each in a network of its own. */
const stranger = (index: number): string => `10.${index >> 8}.${index & 255}.1`

describe('M6: places for password checks', () => {
  it('are four, of which one is only for known visitors', async () => {
    const { visit, running, settle, most } = bench()
    for (let index = 0; index < 20; index++) visit(`flood ${index}`, from(stranger(index)))
    await settle()
    assert.equal(running.length, 3)
    for (let index = 0; index < 5; index++) visit(`known ${index}`, from(`192.0.2.${index}`, 'admin', true))
    await settle()
    assert.deepEqual(
      running.map(({ name }) => name),
      ['flood 0', 'flood 1', 'flood 2', 'known 0'],
    )
    assert.equal(most(), 4)
  })

  it('are never all taken by known visitors', async () => {
    const { visit, running, settle } = bench()
    for (let index = 0; index < 20; index++) visit(`known ${index}`, from(stranger(index), 'admin', true))
    visit('stranger', from('192.0.2.1'))
    await settle()
    assert.deepEqual(
      running.map(({ name }) => name),
      ['known 0', 'known 1', 'known 2', 'stranger'],
    )
  })

  it('admit a known visitor at once, however many wait', async () => {
    const { visit, admitted, settle } = bench()
    for (let index = 0; index < 1_000; index++) visit(`flood ${index}`, from(stranger(index)))
    visit('owner', from('192.0.2.1', 'admin', true))
    await settle()
    assert.ok(admitted.includes('owner'))
  })

  it('let one visitor of an address run at a time', async () => {
    const { visit, running, finish, admitted, settle } = bench()
    for (let index = 0; index < 8; index++) visit(`try ${index}`, from('192.0.2.1'))
    await settle()
    for (let index = 0; index < 8; index++) {
      assert.equal(running.length, 1)
      await finish()
    }
    assert.equal(admitted.length, 8, 'on an idle gateway all get their turn')
  })

  it('go first to who had the fewest turns: a fresh address is next', async () => {
    const { visit, finish, admitted, settle } = bench()
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 40; index++) visit(`${round} ${index}`, from(stranger(index)))
      for (let index = 0; index < 40; index++) await finish()
    }
    for (let index = 0; index < 40; index++) visit(`last ${index}`, from(stranger(index)))
    visit('owner', from('192.0.2.1'))
    await settle()
    await finish()
    assert.equal(admitted.at(-1), 'owner')
  })

  it('go round the networks: many addresses of one network do not hold up another', async () => {
    for (const neighbour of [(n: number) => `10.0.0.${n}`, (n: number) => `2001:db8:1:${n.toString(16)}::1`]) {
      const { visit, finish, admitted, refused, settle } = bench()
      for (let index = 1; index <= 200; index++) visit(`flood ${index}`, from(neighbour(index)))
      visit('owner', from('192.0.2.1'))
      await settle()
      assert.equal(refused.length, 200 - 3 - 32, 'of one network 32 wait')
      assert.ok(!refused.includes('owner'))
      await finish()
      assert.equal(admitted.at(-1), 'owner')
    }
  })

  it('go round the accounts: guesses at one do not hold up another', async () => {
    const { visit, finish, admitted, settle } = bench()
    for (let index = 0; index < 60; index++) visit(`flood ${index}`, from(stranger(index), 'admin'))
    visit('bob', from('192.0.2.1', 'bob'))
    await settle()
    await finish()
    assert.equal(admitted.at(-1), 'bob')
  })

  it('are taken from the second waiting visitor of an address before the first of another', async () => {
    const { visit, refused, finish, admitted, settle } = bench()
    for (let index = 0; index < 300; index++) visit(`greedy ${index}`, from(stranger(index % 8)))
    await settle()
    for (let index = 0; index < 248; index++) visit(`modest ${index}`, from(stranger(100 + index)))
    await settle()
    assert.ok(refused.length > 0 && refused.every((name) => name.startsWith('greedy')))
    while (admitted.filter((name) => name.startsWith('modest')).length < 248) await finish()
    assert.ok(!refused.some((name) => name.startsWith('modest')))
  })

  it('have room for 256 that wait, and the next is refused', async () => {
    const { visit, refused, settle } = bench()
    for (let index = 0; index < 300; index++) visit(String(index), from(stranger(index)))
    await settle()
    assert.deepEqual(
      refused,
      Array.from({ length: 300 - 259 }, (_, index) => String(259 + index)),
    )
  })

  it('leave at least half to sign-ins while administrators set passwords', async () => {
    const { visit, running, settle, refused } = bench()
    for (let index = 0; index < 40; index++) visit(`own ${index}`, null)
    for (let index = 0; index < 4; index++) visit(`flood ${index}`, from(stranger(index)))
    visit('known', from('192.0.2.1', 'admin', true))
    await settle()
    assert.deepEqual(
      running.map(({ name }) => name),
      ['own 0', 'own 1', 'flood 0', 'known'],
    )
    assert.equal(refused.length, 40 - 2 - 32)
  })

  it('are given back when the work fails', async () => {
    const places = new Places(() => 0)
    for (let index = 0; index < 10; index++) {
      await assert.rejects(places.use(from('192.0.2.1'), () => Promise.reject(new Error('failed'))))
    }
    assert.deepEqual(await places.use(from('192.0.2.1'), async () => 'done'), { result: 'done' })
  })

  it('forget turns after 15 minutes without one', async () => {
    const { visit, finish, admitted, settle, advance } = bench()
    visit('once', from('192.0.2.1'))
    await settle()
    await finish()
    advance(15 * 60)
    for (const index of [0, 1, 2]) visit(`running ${index}`, from(stranger(index)))
    visit('again', from('192.0.2.1'))
    visit('fresh', from('198.51.100.1'))
    await settle()
    await finish()
    assert.equal(admitted.at(-1), 'again')
  })
})
