// Which changes cut the connection of the administrator who makes them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { both, configOf, facts, freeMac, lan, lanMac, wan, wanMac } from '../../../test/support/network-samples.ts'
import type { Connection } from './config.ts'
import { wouldCut } from './cut.ts'

describe('the way in of an administrator', () => {
  const from =
    (next: readonly Connection[], before = both) =>
    (local: string, peer: string) =>
      wouldCut(before, configOf({ connections: next }), facts, local, peer)

  const rows: [title: string, next: readonly Connection[], inside: RegExp | null, outside: RegExp | null][] = [
    ['another title', [{ ...lan, title: 'x' }, wan], null, null],
    ['a second address', [{ ...lan, addresses: ['10.10.0.1/24', '10.20.0.1/24'] }, wan], null, null],
    ['another local address', [{ ...lan, addresses: ['10.20.0.1/24'] }, wan], /removes the address/, null],
    ['switching the local interface off', [{ ...lan, enabled: false }, wan], /removes the address/, null],
    ['removing the local interface', [wan], /removes the address/, null],
    [
      'swapping the cards',
      [
        { ...lan, mac: wanMac },
        { ...wan, mac: lanMac },
      ],
      /to another interface/,
      /to another interface/,
    ],
    ['no gateway', [lan, { ...wan, gateway: null }], null, /the only route/],
    ['another gateway', [lan, { ...wan, gateway: '203.0.113.9' }], null, /another route/],
    [
      'DHCP instead of an address',
      [lan, { ...wan, enable_dhcp: true, addresses: [], gateway: null }],
      null,
      /removes the address/,
    ],
    ['a smaller local network', [{ ...lan, addresses: ['10.10.0.1/30'] }, wan], /another route/, null],
    ['a network on a new card', [lan, wan, { ...lan, id: 5, mac: freeMac, addresses: ['10.30.0.1/24'] }], null, null],
  ]
  for (const [title, next, inside, outside] of rows)
    it(`with ${title}: ${inside ? 'cut' : 'safe'} from the office, ${outside ? 'cut' : 'safe'} from afar`, () => {
      const check = from(next)
      const expect = (sentence: string | null, pattern: RegExp | null) =>
        pattern ? assert.match(sentence ?? 'safe', pattern) : assert.equal(sentence, null)
      expect(check('10.10.0.1', '10.10.0.200'), inside)
      expect(check('203.0.113.2', '198.51.100.9'), outside)
    })

  it('over the loopback device or to an unknown address is never cut', () => {
    for (const local of ['127.0.0.1', '::1', '192.0.2.200']) assert.equal(from([])(local, '127.0.0.1'), null)
  })

  it('stays while the first connections are written that say what is there already', () => {
    assert.equal(from([lan, wan], configOf({}))('10.10.0.1', '10.10.0.200'), null)
    assert.equal(from([wan], configOf({}))('10.10.0.1', '10.10.0.200'), null)
    assert.match(
      from([{ ...lan, addresses: ['10.9.0.1/24'] }], configOf({}))('10.10.0.1', '10.10.0.2') ?? '',
      /removes/,
    )
  })
})
