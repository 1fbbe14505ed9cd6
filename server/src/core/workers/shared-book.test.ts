import assert from 'node:assert/strict'
import { it } from 'node:test'
import { packBook, unpackBook } from './shared-book.ts'

it('an address book is the same on the other side, and empty entries stay empty', async () => {
  const book = new Map([
    ['domain.id.1', ['192.0.2.1', '192.0.2.2']],
    ['domain.id.2', []],
    ['iplist.id.276', ['198.51.100.0/24', '203.0.113.7-203.0.113.9']],
    ['user.id.5', ['10.0.0.5']],
  ])
  const other = unpackBook(structuredClone(await packBook(book)))
  assert.deepEqual([...other.keys()], [...book.keys()])
  for (const [id, addresses] of book) assert.deepEqual(other.get(id), addresses)
  assert.equal(other.get('domain.id.1'), other.get('domain.id.1'), 'an entry is one value')
  assert.equal(other.get('domain.id.9'), undefined)
  assert.deepEqual([...unpackBook(await packBook(new Map()))], [])
})

it('the memory of a book is shared and made once', async () => {
  const book = new Map([['domain.id.1', ['192.0.2.1']]])
  const packed = await packBook(book)
  assert.equal(await packBook(book), packed)
  assert.ok(packed.bytes.buffer instanceof SharedArrayBuffer)
})
