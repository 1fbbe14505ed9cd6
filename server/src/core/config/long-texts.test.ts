// Texts that are too long for one row: written before their commit and in parts, read back whole, noticed when damaged, and
// removed when nothing refers to them.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { longestStretch, referenceMs } from '../../../test/support/loop-watch.ts'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { Database } from '../database/database.ts'
import { list } from '../model/slots.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { jsonTexts, lengthOf } from './long-json.ts'
import type { Revision } from './revision.ts'
import { ConfigStore } from './store.ts'

interface Group {
  readonly id: number
  readonly values: readonly string[]
}

const slot = list('sample.groups', strictObject({ id: Type.Integer(), values: Type.Array(Type.String()) }))
const long = (mark: string, count = 20_000): string[] =>
  Array.from({ length: count }, (_, at) => `${mark} ${at} ${'ü'.repeat(20)}`)

const everything = { revisions: 10, bytes: Number.POSITIVE_INFINITY }

describe('JSON in short texts', () => {
  it('is the JSON of the value', () => {
    const wide = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 150, maxLength: 400 })
    fc.assert(
      fc.property(fc.jsonValue(), wide, (small, many) => {
        const value = { small, many, nested: [{ many }, small], text: many.join('😀'), none: undefined }
        assert.equal([...jsonTexts(value)].join(''), JSON.stringify(value))
      }),
      { numRuns: 30 },
    )
  })

  it('is never more than a piece at once, and is measured no further than asked', () => {
    const texts = [...jsonTexts({ a: long('a'), b: 'x'.repeat(1_000_000) })]
    assert.ok(texts.length > 50)
    assert.ok(texts.every((text) => text.length < 128 * 1024))
    assert.ok(lengthOf(long('a'), 100) < 1_000)
  })
})

describe('what is too long for one row', () => {
  let folder: string
  let database: Database
  let store: ConfigStore
  let head: Snapshot
  let damage: readonly string[]

  const open = (): void => {
    database = new Database(join(folder, 'gateway.db'))
    store = new ConfigStore(database, [slot])
    ;({ snapshot: head, damage } = store.load())
  }
  const restart = (): void => {
    database.close()
    open()
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-texts-'))
    open()
  })
  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })

  const groups = (): readonly Group[] => head.config[slot.key] as readonly Group[]
  const prepare = (items: readonly Group[]): readonly [Revision, Snapshot] => {
    const { changes, snapshot } = diffConfig([slot], head, { ...head.config, [slot.key]: items })
    const revision = { revision: head.revision + 1, time: '', author: 'x', address: '', reason: '', changes }
    return [revision, { ...snapshot, revision: revision.revision }]
  }
  const commit = ([revision, snapshot]: readonly [Revision, Snapshot]): void => {
    store.commit({ revisions: [revision], sequences: {} })
    head = snapshot
  }
  const write = async (items: readonly Group[]): Promise<void> => {
    const prepared = prepare(items)
    await store.stage([prepared[0]], 'refusable')
    commit(prepared)
  }
  const sweep = (): void => {
    while (store.hasUnused()) store.removeUnused()
  }
  const removeHistory = async (upTo: number): Promise<void> => {
    using fold = await store.foldOldest(upTo, everything)
    assert.equal(
      database.transact(() => store.remove(fold)),
      upTo,
    )
  }
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS found FROM ${table}`).get()?.found)
  const bodyLength = (): number => Number(database.prepare('SELECT length(body) AS length FROM items').get()?.length)

  it('is a reference in the row and whole when it is read, also in the history', async () => {
    await write([{ id: 1, values: long('first') }])
    assert.ok(bodyLength() < 100)
    const before = groups()
    restart()
    assert.deepEqual([groups(), damage], [before, []])
    assert.deepEqual(store.findRevision(1)?.changes[0]?.after, { id: 1, values: long('first') })
    assert.deepEqual((await store.loadRevision(1, () => undefined))?.changes, store.findRevision(1)?.changes)
  })

  it('counts in the size of the history', async () => {
    await write([{ id: 1, values: long('first') }])
    const { bytes } = store.size
    assert.ok(bytes > 20_000 * 40)
    restart()
    assert.equal(store.size.bytes, bytes)
    assert.equal(store.surplus({ revisions: 100, bytes: 1_000 }, 0), 1)
  })

  it('leaves the size of the history with its revision, and what is left is not counted again', async () => {
    for (const mark of ['first', 'second', 'third']) await write([{ id: 1, values: long(mark, 6_000) }])
    await write([{ id: 1, values: ['short'] }])
    const before = store.size
    const prepare = database.prepare.bind(database)
    const counted: string[] = []
    database.prepare = (sql) => {
      if (/^SELECT count.* FROM revision_sizes$/s.test(sql)) counted.push(sql)
      return prepare(sql)
    }
    await removeHistory(2)
    const left = store.size
    assert.deepEqual(counted, [])
    restart()
    assert.deepEqual(left, store.size)
    assert.equal(left.revisions, before.revisions - 2)
    assert.ok(left.bytes < before.bytes)
  })

  it('takes small changes beside it, and is replaced by large ones', async () => {
    await write([{ id: 1, values: long('first') }])
    await write([{ id: 1, values: [...long('first'), 'one more'] }])
    assert.equal(count('item_splices'), 1)
    restart()
    assert.equal(groups()[0]?.values.at(-1), 'one more')
    await write([{ id: 1, values: long('second') }])
    restart()
    assert.deepEqual([groups()[0]?.values, damage], [long('second'), []])
    assert.equal(count('item_splices'), 0)
  })

  it('goes when nothing refers to it any longer, and not before', async () => {
    await write([{ id: 1, values: long('first') }])
    await write([{ id: 1, values: long('second') }])
    sweep()
    // Two revisions and the item.
    assert.equal(count('long_texts'), 3)
    await write([])
    sweep()
    assert.equal(count('long_texts'), 3)
    await removeHistory(3)
    sweep()
    assert.deepEqual([count('long_texts'), count('long_text_parts')], [0, 0])
  })

  it('is a reference in the base of the history too, and the rest of the history begins with it', async () => {
    await write([{ id: 1, values: long('first') }])
    await write([{ id: 1, values: [...long('first'), 'one more'] }])
    await write([{ id: 1, values: [...long('first'), 'one more', 'and one'] }])
    await removeHistory(1)
    await removeHistory(2)
    sweep()
    assert.ok(Number(database.prepare('SELECT length(body) AS length FROM base_items').get()?.length) < 100)
    // The item with its splices is damaged: what is left of the history, from the base on, has all of it.
    database.prepare("UPDATE items SET body = body || ' '").run()
    restart()
    assert.deepEqual([groups()[0]?.values.at(-2), groups()[0]?.values.at(-1)], ['one more', 'and one'])
    assert.equal(groups()[0]?.values.length, 20_002)
    assert.match(damage.join(), /rebuilt from the revisions/)
  })

  it('is not believed when a part of it is missing in the base', async () => {
    await write([{ id: 1, values: long('first') }])
    await write([{ id: 1, values: long('second') }])
    await removeHistory(1)
    sweep()
    const body = String(database.prepare('SELECT body FROM base_items').get()?.body)
    database.prepare('DELETE FROM long_text_parts WHERE part = 2 AND text = ?').run(Number(/^@(\d+) /.exec(body)?.[1]))
    database.prepare("UPDATE items SET body = body || ' '").run()
    assert.throws(restart, /the base of the history \(revision 1\) are damaged/)
  })

  it('stays whole when the removal of old revisions is given up, whatever is written in the meantime', async () => {
    await write([{ id: 1, values: long('first') }])
    await write([{ id: 1, values: long('second') }])
    {
      using fold = await store.foldOldest(1, everything)
      await write([{ id: 1, values: long('third') }])
      sweep()
      assert.throws(() =>
        database.transact(() => {
          store.remove(fold)
          throw new Error('no room')
        }),
      )
      assert.equal(store.removedUpTo, 0)
      assert.equal(
        database.transact(() => store.remove(fold)),
        1,
      )
      // A second time there is nothing to do.
      assert.equal(
        database.transact(() => store.remove(fold)),
        null,
      )
    }
    sweep()
    // The base, two revisions and the item.
    assert.equal(count('long_texts'), 4)
    restart()
    assert.deepEqual([groups()[0]?.values, damage], [long('third'), []])
  })

  it('leaves nothing of a change that is never committed', async () => {
    const [revision] = prepare([{ id: 1, values: long('first') }])
    await store.stage([revision], 'refusable')
    assert.equal(store.hasUnused(), false)
    restart()
    assert.deepEqual([groups(), store.hasUnused()], [[], true])
    sweep()
    assert.deepEqual([count('long_texts'), count('long_text_parts')], [0, 0])
  })

  it('is written in one go when its commit comes after that of others', async () => {
    const late = prepare([{ id: 1, values: long('late') }])
    await store.stage([late[0]], 'refusable')
    await store.stage([prepare([{ id: 2, values: long('other') }])[0]], 'refusable')
    sweep()
    commit(late)
    restart()
    assert.deepEqual([groups()[0]?.values, damage], [long('late'), []])
  })

  it('is rebuilt from the history when a part of an item is damaged', async () => {
    await write([{ id: 1, values: long('first') }])
    const body = String(database.prepare('SELECT body FROM items').get()?.body)
    const text = Number(/^@(\d+) /.exec(body)?.[1])
    database.prepare('UPDATE long_text_parts SET body = ? WHERE text = ? AND part = 2').run(Buffer.from('x'), text)
    restart()
    assert.deepEqual(groups()[0]?.values, long('first'))
    assert.match(damage.join(), /rebuilt from the revisions/)
  })

  it('is not believed when a part of a revision is missing', async () => {
    await write([{ id: 1, values: long('first') }])
    database.prepare('DELETE FROM long_text_parts WHERE part = 1').run()
    restart()
    assert.deepEqual(groups(), [])
    assert.match(damage.join(), /Revision 1 cannot be replayed/)
  })

  it('lets others have their turn while it is written, committed, read and removed', async () => {
    const values = Array.from({ length: 60_000 }, (_, at) => `entry-${at}-${'a'.repeat(200)}`)
    const limitMs = 12.5 * referenceMs()
    await write([{ id: 1, values: long('warm', 5_000) }])
    for (const items of [[{ id: 1, values }], [{ id: 1, values: [...values, 'one more'] }], []]) {
      const longest = await longestStretch(() => write(items))
      assert.ok(longest < limitMs, `${longest} ms of processor time in one piece, the limit is ${limitMs}`)
    }
    const removed = await longestStretch(async () => {
      while (store.hasUnused()) {
        store.removeUnused()
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    assert.ok(removed < limitMs, `${removed} ms of processor time to remove a part`)
    // The long one alone, then a small change of it.
    await removeHistory(1)
    for (const revision of [2, 3]) {
      const folded = await longestStretch(() => removeHistory(revision))
      assert.ok(
        folded < limitMs,
        `${folded} ms of processor time to remove revision ${revision}, the limit is ${limitMs}`,
      )
    }
  })
})
