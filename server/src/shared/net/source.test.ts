// Which addresses count as one client.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { networkOf, sourceOf } from './source.ts'

describe('L1: the source of a client', () => {
  const rows: [address: string | undefined, source: string, network: string][] = [
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:c000:0207', '192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8::/64', '2001:db8::/48'],
    ['2001:db8::192.0.2.7', '2001:db8::/64', '2001:db8::/48'],
    ['::1', '::/64', '::/48'],
    ['fe80::1%lan0', 'fe80::/64%lan0', 'fe80::/48'],
    [undefined, '', ''],
  ]
  for (const [address, source, network] of rows) {
    it(`of ${address} is ${source === '' ? 'empty' : source}`, () => {
      assert.equal(sourceOf(address), source)
      assert.equal(networkOf(sourceOf(address)), network)
    })
  }

  it('differs between neighbouring /64 networks', () => {
    assert.notEqual(sourceOf('2001:db8:0:1::1'), sourceOf('2001:db8:0:2::1'))
    assert.equal(networkOf(sourceOf('2001:db8:0:1::1')), networkOf(sourceOf('2001:db8:0:2::1')))
  })
})
