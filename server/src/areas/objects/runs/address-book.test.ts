// The address book changes its identity with its content, and only then.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AddressBook } from './address-book.ts'

it('holds the entries of all owners, and each replaces only its own', () => {
  const book = new AddressBook()
  book.set('domains', new Map([['domain.id.1', ['192.0.2.1']]]))
  book.set('countries', new Map([['iplist.id.276', ['198.51.100.0/24']]]))
  assert.deepEqual([...book.current().keys()], ['domain.id.1', 'iplist.id.276'])
  book.set('domains', new Map([['domain.id.2', ['192.0.2.2']]]))
  assert.deepEqual(Object.fromEntries(book.current()), {
    'domain.id.2': ['192.0.2.2'],
    'iplist.id.276': ['198.51.100.0/24'],
  })
  book.set('domains', new Map())
  assert.deepEqual([...book.current().keys()], ['iplist.id.276'])
})

it('notifies its listeners of another content and of nothing else', () => {
  const book = new AddressBook()
  let calls = 0
  const stop = book.onChange(() => {
    calls++
  })
  book.set('domains', new Map([['domain.id.1', ['192.0.2.1', '192.0.2.2']]]))
  const first = book.current()
  book.set('domains', new Map([['domain.id.1', ['192.0.2.1', '192.0.2.2']]]))
  assert.equal(book.current(), first)
  assert.equal(calls, 1)
  book.set('domains', new Map([['domain.id.1', ['192.0.2.1']]]))
  assert.notEqual(book.current(), first)
  assert.equal(calls, 2)
  stop()
  book.set('domains', new Map())
  assert.equal(calls, 2)
})

it('keeps the identity of an entry that did not change', () => {
  const book = new AddressBook()
  book.set('domains', new Map([['domain.id.1', ['192.0.2.1']]]))
  const entry = book.current().get('domain.id.1')
  book.set(
    'domains',
    new Map([
      ['domain.id.1', ['192.0.2.1']],
      ['domain.id.2', []],
    ]),
  )
  assert.equal(book.current().get('domain.id.1'), entry)
  book.set('users', new Map([['user.id.1', ['10.0.0.1']]]))
  assert.equal(book.current().get('domain.id.1'), entry)
})
