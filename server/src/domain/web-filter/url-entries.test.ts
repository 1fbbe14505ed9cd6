// Entries of user categories: the table of docs/behaviour/content-filter.md 2.3, and which of several entries wins.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytesOf, lookUpIn, tableOf } from './entry-table.ts'
import { canonicalHost } from './hosts.ts'
import { compareEntries, isCovered, parseEntry } from './url-entries.ts'

/** `https://host:port/path` as a question; without a path only the name is known. */
function ask(url: string) {
  const [, scheme = '', authority = '', path] = /^(https?):\/\/([^/]*)(\/.*)?$/.exec(url) ?? []
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? []
  return {
    scheme: scheme as 'http' | 'https',
    host: canonicalHost(host),
    port: Number(port ?? (scheme === 'https' ? 443 : 80)),
    path: path ?? null,
  }
}

const table: readonly (readonly [entry: string, covered: readonly string[], others: readonly string[]])[] = [
  ['1.1.1.1', ['http://1.1.1.1/', 'https://1.1.1.1', 'http://0x01.1.1.1/'], ['http://1.1.1.10/', 'http://a.1.1.1.1/']],
  [
    'example.com',
    ['http://example.com/', 'https://www.example.com', 'http://a.b.EXAMPLE.com./x', 'http://example.com:8080/'],
    ['http://example.com.evil.test/', 'http://notexample.com/', 'http://com/'],
  ],
  [
    '*.example.com',
    ['https://www.example.com', 'http://a.b.example.com/'],
    ['http://example.com/', 'http://example.org/'],
  ],
  ['http://www.example.com/', ['http://www.example.com/x', 'http://a.www.example.com/'], ['https://www.example.com/']],
  ['https://www.example.com/', ['https://www.example.com', 'https://www.example.com/x'], ['http://www.example.com/']],
  [
    'https://www.example.com:8080',
    ['https://www.example.com:8080/'],
    ['https://www.example.com/', 'http://www.example.com:8080/'],
  ],
  [
    'sub.example.com/home',
    ['http://sub.example.com/home', 'http://sub.example.com/home/x', 'https://sub.example.com/h%6fme?x'],
    [
      'https://sub.example.com',
      'http://sub.example.com/homes',
      'http://sub.example.com/',
      'http://a.sub.example.com/home',
    ],
  ],
  ['example.com/watch?v=1', ['http://example.com/watch?v=1&t=2'], ['http://example.com/watch?v=12']],
  ['пример.рф', ['http://xn--e1afmkfd.xn--p1ai/', 'http://www.пример.рф/'], ['http://xn--e1afmkfd.test/']],
  ['xn--e1afmkfd.xn--p1ai/путь', ['http://пример.рф/%D0%BF%D1%83%D1%82%D1%8C'], ['http://пример.рф/']],
  ['[2001:db8::1]:8080', ['http://[2001:DB8:0::1]:8080/'], ['http://[2001:db8::1]/']],
  ['.example.com', ['http://example.com/'], []],
  ['user:secret@example.com/a#b', ['http://example.com/a'], []],
  ['ftp://example.com', [], ['http://example.com/']],
  ['exa mple.com', [], ['http://example.com/', 'http://exa/']],
]

describe('an entry', () => {
  for (const [entry, covered, others] of table)
    it(`${entry}`, () => {
      const lookup = lookUpIn(tableOf([{ id: 'users.id.1', entries: [entry] }]))
      const isFound = (url: string): boolean => lookup.find(ask(url)).length > 0
      assert.deepEqual(
        covered.filter((url) => !isFound(url)),
        [],
      )
      assert.deepEqual(others.filter(isFound), [])
    })
})

describe('the most specific entry wins over all categories', () => {
  const lookup = lookUpIn(
    tableOf([
      { id: 'users.id.1', entries: ['example.org', 'same.example', 'example.net', '1.1.1.1'] },
      { id: 'users.id.2', entries: ['www.example.org', 'same.example', '*.example.net'] },
      { id: 'users.id.3', entries: ['example.org/page', 'https://www.example.org', 'www.example.org:81'] },
    ]),
    (id) => `list ${id.at(-1)}`,
  )
  const cases: Readonly<Record<string, readonly string[]>> = {
    'http://example.org/': ['users.id.1'],
    'http://a.example.org/': ['users.id.1'],
    'http://www.example.org/': ['users.id.2'],
    'http://a.www.example.org/': ['users.id.2'],
    'https://www.example.org': ['users.id.3'],
    'http://www.example.org:81/': ['users.id.3'],
    'http://example.org/page/2': ['users.id.3'],
    'https://example.org': ['users.id.1'],
    'http://same.example/': ['users.id.1', 'users.id.2'],
    'http://example.net/': ['users.id.1'],
    'http://a.example.net/': ['users.id.2'],
  }
  for (const [url, ids] of Object.entries(cases))
    it(url, () => {
      assert.deepEqual(
        lookup.find(ask(url)).map(({ id }) => id),
        ids,
      )
    })
  it('the entry and its category are named', () => {
    assert.deepEqual(lookup.find(ask('http://x.same.example/')), [
      { id: 'users.id.1', entry: 'same.example', source: 'list 1' },
      { id: 'users.id.2', entry: 'same.example', source: 'list 2' },
    ])
  })
})

it('a long table finds what it has, in few bytes an entry', () => {
  const count = 60_000
  const entries = Array.from({ length: count }, (_, at) => (at % 3 === 0 ? `h${at}.example/p${at}` : `h${at}.example`))
  const compiled = tableOf([{ id: 'users.id.7', entries: [...entries, ...entries.slice(0, 10)] }])
  assert.equal(compiled.count, count)
  assert.ok(bytesOf(compiled) / count < 100, `${bytesOf(compiled) / count} bytes`)
  const lookup = lookUpIn(compiled)
  for (let at = 0; at < count; at += 37) {
    const found = lookup.find(ask(`http://h${at}.example/p${at}`))
    assert.equal(found[0]?.entry, entries[at])
  }
  assert.deepEqual(lookup.find(ask('http://h1.example.test/')), [])
})

it('many pages and ports of one host cost no more than one', () => {
  const entries = Array.from({ length: 20_000 }, (_, at) => `a.example:${at + 1}/p/${at}`)
  const lookup = lookUpIn(tableOf([{ id: 'users.id.1', entries }]))
  assert.equal(lookup.find(ask('http://a.example:500/p/499/x'))[0]?.entry, 'a.example:500/p/499')
  assert.deepEqual(lookup.find({ ...ask('http://a.example:500/'), path: '/'.repeat(60_000) }), [])
})

it('the order of entries is that of the look-up', () => {
  const [host, wild, page, port] = ['a.example', '*.example', 'a.example/x', 'a.example:80'].map(parseEntry)
  assert.ok(host && wild && page && port)
  assert.ok(compareEntries(host, wild) > 0)
  assert.ok(compareEntries(page, port) > 0)
  assert.ok(compareEntries(port, host) > 0)
  assert.ok(isCovered(wild, ask('http://a.example/')))
})
