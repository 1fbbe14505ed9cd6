// Which addresses are kept out of the hands of the DHCP server: used ones, for the card that uses them, and not those of a host
// that claims a whole range.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GivenLease } from '../../../core/plan/facts.ts'
import type { Neighbour } from '../../../shared/net/neighbours.ts'
import { createUsedAddresses, mostOfOneCard } from './used-addresses.ts'

const mac = (last: number): string => `02:00:00:00:00:${last.toString(16).padStart(2, '0')}`
const neighbour = (address: number, card: number): Neighbour => ({
  address,
  mac: mac(card),
  device: 'lan0',
  isReachable: true,
  confirmedAgo: 1,
})
const lease = (address: number, card: number): GivenLease => ({
  address,
  mac: mac(card),
  hostname: '',
  expiresAt: 1,
})

function setUp() {
  const world = { neighbours: [] as Neighbour[], leases: [] as GivenLease[], now: 0, changes: 0 }
  const used = createUsedAddresses({
    neighbours: async () => world.neighbours,
    leases: async () => world.leases,
    elapsed: () => world.now,
    onChange: () => {
      world.changes += 1
    },
  })
  const look = async () => {
    await used.look()
    return used.current().map(({ address, mac: card }) => `${address} ${card}`)
  }
  return { world, look }
}

describe('addresses in use', () => {
  it('are those of neighbours without a lease of ours, for a day', async () => {
    const { world, look } = setUp()
    world.neighbours = [neighbour(2, 2), neighbour(1, 1)]
    world.leases = [lease(1, 1)]
    assert.deepEqual(await look(), [`2 ${mac(2)}`])
    world.neighbours = []
    world.now = 86_400
    assert.deepEqual(await look(), [`2 ${mac(2)}`])
    world.now = 86_401
    assert.deepEqual(await look(), [])
    assert.equal(world.changes, 2)
  })

  it('end when the same card gets a lease, and begin when another one uses a leased address', async () => {
    const { world, look } = setUp()
    world.neighbours = [neighbour(2, 2)]
    assert.deepEqual(await look(), [`2 ${mac(2)}`])
    world.leases = [lease(2, 2)]
    assert.deepEqual(await look(), [])
    world.neighbours = [neighbour(2, 3)]
    assert.deepEqual(await look(), [`2 ${mac(3)}`])
  })

  it('of a card that claims many are not kept, and those of others are', async () => {
    const { world, look } = setUp()
    world.neighbours = [neighbour(1, 1), ...Array.from({ length: mostOfOneCard }, (_, at) => neighbour(10 + at, 9))]
    assert.equal((await look()).length, mostOfOneCard + 1)
    world.neighbours = [...world.neighbours, neighbour(99, 9)]
    assert.deepEqual(await look(), [`1 ${mac(1)}`])
  })
})
