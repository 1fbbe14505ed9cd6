import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inSlices } from '../../core/workers/slices.ts'
import { lookUpIn, tableOf } from '../../domain/web-filter/entry-table.ts'
import { findUserCategories } from './user-lookup.ts'

describe('the user categories of a URL', () => {
  it('are those that the table of the decision process finds', async () => {
    const hosts = ['a.test', 'b.a.test', 'c.b.a.test', '192.0.2.1', 'test']
    const paths = ['', '/', '/p', '/p/q', '/p?x=1']
    const categories = Array.from({ length: 6 }, (_, number) => ({
      id: `users.id.${number}`,
      name: `Name ${number}`,
      comment: '',
      urls: hosts.flatMap((host, at) =>
        paths.flatMap((path, place) =>
          (at * 7 + place * 3 + number) % 5 === 0
            ? [`${['', '*.', 'https://', ''][(at + number) % 4]}${host}${place % 2 === 0 ? '' : ':8080'}${path}`]
            : [],
        ),
      ),
    }))
    const table = lookUpIn(
      tableOf(categories.map(({ id, urls }) => ({ id, entries: urls }))),
      (id) => categories.find((one) => one.id === id)?.name ?? '',
    )
    let hits = 0
    for (const host of [...hosts, 'd.c.b.a.test', 'x.test', '192.0.2.2'])
      for (const path of [null, '/', '/p', '/p/q/r', '/p?x=1&y=2', '/px'])
        for (const [scheme, port] of [
          ['http', 80],
          ['https', 443],
          ['https', 8080],
        ] as const) {
          const asked = { host, path, scheme, port }
          const ids = (found: readonly { readonly id: string }[]): string[] =>
            [...new Set(found.map(({ id }) => id))].sort()
          const found = await inSlices(findUserCategories(categories, asked))
          assert.deepEqual(ids(found), ids(table.find(asked)), JSON.stringify(asked))
          if (found.length > 0) hits++
        }
    assert.ok(hits > 30)
  })
})
