// A change that would lock its author out is noticed, whichever part of the configuration does it; others are not.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { both, facts, lan, wan } from '../../../test/support/network-samples.ts'
import { addTo } from '../../core/model/lists.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { connections } from '../network/config.ts'
import { state } from './config.ts'
import { ruleLists } from './lists.ts'
import { createLockOutGuard } from './lock-out.ts'

const guard = createLockOutGuard(
  () => facts,
  () => new Date('2026-01-01T12:00:00Z'),
)
const local = lan.addresses[0]?.split('/')[0] ?? ''
const wanAddress = wan.addresses[0]?.split('/')[0] ?? ''
const near = local.replace(/\d+$/, '77')
const author = { login: 'admin', address: near, reached: { address: local, port: 8443 } }

const withRule = (table: 'input' | 'forward', fields: object): Config => addTo(both, ruleLists[table], 1, fields)
const changeLan = (fields: Partial<typeof lan>): Config =>
  write(
    both,
    connections,
    read(both, connections).map((one) => (one.id === lan.id ? { ...lan, ...fields } : one)),
  )

describe('the guard against locking oneself out', () => {
  const rows: readonly [string, Config, RegExp | null][] = [
    ['an input rule that drops everything', withRule('input', { action: 'drop' }), /would be dropped/],
    ['an input rule that drops UDP', withRule('input', { action: 'drop', protocol: 'protocol.udp' }), null],
    ['a forward rule that drops everything', withRule('forward', { action: 'drop' }), null],
    ['another address of the interface', changeLan({ addresses: ['192.0.2.1/24'] }), /removes the address/],
    ['a switched-off interface', changeLan({ enabled: false }), /removes the address/],
    ['another title of the interface', changeLan({ title: 'Office' }), null],
  ]
  for (const [title, after, expected] of rows) {
    it(`${expected ? 'stops' : 'lets pass'} ${title}`, () => {
      const reason = guard(both, after, author)
      if (expected) assert.match(reason ?? '', expected)
      else assert.equal(reason, null)
    })
  }

  it('stops a rule that drops a group of the user who is signed in at the address of the author', () => {
    const withUser = createLockOutGuard(
      () => facts,
      () => new Date('2026-01-01T12:00:00Z'),
      (address) => (address === near ? ['user.id.5', 'group.id.1'] : []),
    )
    const after = withRule('input', { action: 'drop', source_addresses: ['group.id.1'] })
    assert.match(withUser(both, after, author) ?? '', /would be dropped/)
    assert.equal(withUser(both, after, { ...author, address: near.replace(/77$/, '78') }), null)
    assert.equal(guard(both, after, author), null)
  })

  describe('of those who come from outside', () => {
    const accept = { action: 'accept', incoming_interface: 'interface.external_any' }
    const open = withRule('input', accept)
    const outside = { login: 'admin', address: '192.0.2.77', reached: { address: wanAddress, port: 8443 } }
    const sixth = '2001:db8::5'
    const withSixth = createLockOutGuard(
      () => ({
        ...facts,
        interfaces: facts.interfaces.map((one) =>
          one.name === 'wan0' ? { ...one, addresses: [...one.addresses, `${sixth}/64`] } : one,
        ),
      }),
      () => new Date('2026-01-01T12:00:00Z'),
    )
    const closings: readonly [string, Config][] = [
      ['removing the rule that lets them in', both],
      ['switching off the user rules', write(open, state, { enabled: false })],
      ['disabling that rule', withRule('input', { ...accept, enabled: false })],
      ['rejecting instead of accepting', withRule('input', { ...accept, action: 'reject' })],
    ]
    for (const [title, after] of closings)
      it(`stops ${title}, over IPv4 and IPv6`, () => {
        assert.match(guard(open, after, outside) ?? '', /would be dropped/)
        const author = { ...outside, address: '2001:db8:9::1', reached: { address: sixth, port: 8443 } }
        assert.match(withSixth(open, after, author) ?? '', /would be dropped/)
        assert.equal(guard(open, open, outside), null)
      })
  })

  it('asks nothing of those who come by loopback or from outside of the network', () => {
    const after = withRule('input', { action: 'drop' })
    assert.equal(guard(both, after, { ...author, reached: { address: '127.0.0.1', port: 8443 } }), null)
    assert.equal(guard(both, after, { login: 'system', address: '127.0.0.1' }), null)
  })
})
