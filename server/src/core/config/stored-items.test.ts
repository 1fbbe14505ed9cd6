// A long list inside of an item: a small change of it is stored beside its row, survives a restart, a rollback and an upgrade,
// and is noticed when it is damaged.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { Database } from '../database/database.ts'
import { list } from '../model/slots.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { ConfigStore } from './store.ts'

interface Group {
  readonly id: number
  readonly title: string
  readonly values: readonly string[]
}

const schema = strictObject({ id: Type.Integer(), title: Type.String(), values: Type.Array(Type.String()) })
const slot = list('sample.groups', schema)
const renamed = list('sample.groups', schema, { upgrades: [(old) => ({ ...old, title: `New ${old.title}` })] })
const long = (count = 5000): string[] => Array.from({ length: count }, (_, at) => `value number ${at}`)

describe('a long list inside of an item', () => {
  let folder: string
  let database: Database
  let store: ConfigStore
  let head: Snapshot
  let damage: readonly string[]

  const open = (slots = [slot]): void => {
    database = new Database(join(folder, 'gateway.db'))
    store = new ConfigStore(database, slots)
    const loaded = store.load()
    head = loaded.snapshot
    damage = loaded.damage
  }
  const restart = (slots = [slot]): void => {
    database.close()
    open(slots)
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-items-'))
    open()
  })
  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })

  const groups = (): readonly Group[] => head.config[slot.key] as readonly Group[]
  const write = (items: readonly Group[]): void => {
    const { changes, snapshot } = diffConfig([slot], head, { ...head.config, [slot.key]: items })
    const revision = head.revision + 1
    store.commit({
      revisions: [{ revision, time: '', author: 'x', address: '', reason: '', changes }],
      sequences: {},
    })
    head = { ...snapshot, revision }
  }
  const change = (fields: Partial<Group>): void =>
    write(groups().map((item) => (item.id === 1 ? { ...item, ...fields } : item)))
  const listed = (): readonly string[] => groups().find(({ id }) => id === 1)?.values ?? []
  const add = (value: string): void => change({ values: [...listed(), value] })
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS found FROM ${table}`).get()?.found)
  const rowOf = (id: number): string =>
    String(database.prepare('SELECT body FROM items WHERE id = ?').get(String(id))?.body)

  it('leaves its row as it is when some entries change, and is the same after a restart', () => {
    write([
      { id: 1, title: 'Long', values: long() },
      { id: 2, title: 'Short', values: ['a'] },
    ])
    const row = rowOf(1)
    add('one more')
    change({ values: groups()[0]?.values.toSpliced(70, 2, 'other') ?? [] })
    change({ title: 'Longer' })
    assert.equal(rowOf(1), row)
    assert.equal(count('item_splices'), 3)
    const expected = groups()
    restart()
    assert.deepEqual(groups(), expected)
    assert.deepEqual(damage, [])
    add('after the restart')
    assert.equal(rowOf(1), row)
    assert.equal(count('item_splices'), 4)
    const later = groups()
    restart()
    assert.deepEqual(groups(), later)
    assert.deepEqual(store.readNewest().config, head.config)
  })

  it('is written whole when it moves, when most of it changes, and after many small changes', () => {
    write([
      { id: 1, title: 'Long', values: long() },
      { id: 2, title: 'Short', values: ['a'] },
    ])
    add('x')
    write(groups().toReversed())
    add('y')
    change({ values: long(4000).map((value) => `other ${value}`) })
    assert.equal(count('item_splices'), 0)
    for (let round = 0; round < 200; round++) add(`round ${round}`)
    assert.ok(count('item_splices') <= 128)
    assert.match(rowOf(1), /round 100/)
    const expected = groups()
    restart()
    assert.deepEqual(groups(), expected)
  })

  it('is removed with its item', () => {
    write([{ id: 1, title: 'Long', values: long() }])
    add('x')
    write([])
    assert.equal(count('item_splices') + count('item_splice_ends'), 0)
  })

  it('follows the disk when a transaction is rolled back', () => {
    write([{ id: 1, title: 'Long', values: long() }])
    add('kept')
    const kept = head
    assert.throws(() =>
      database.transact(() => {
        add('not kept')
        throw new Error('no room')
      }),
    )
    head = kept
    add('again')
    const expected = groups()
    restart()
    assert.deepEqual(groups(), expected)
    assert.deepEqual(damage, [])
  })

  it('is upgraded with its splices, and then written whole', () => {
    write([{ id: 1, title: 'Long', values: long() }])
    add('x')
    restart([renamed])
    assert.equal(groups()[0]?.title, 'New Long')
    assert.equal(groups()[0]?.values.at(-1), 'x')
    assert.equal(count('item_splices'), 0)
    restart([renamed])
    assert.equal(groups()[0]?.values.at(-1), 'x')
    assert.deepEqual(damage, [])
  })

  for (const [title, sql] of [
    ['a splice is altered', `UPDATE item_splices SET body = replace(body, 'two', 'six') WHERE sequence = 2`],
    ['a splice is missing', 'DELETE FROM item_splices WHERE sequence = 2'],
    ['the last splice is missing', 'DELETE FROM item_splices WHERE sequence = 3'],
    ['all splices are missing', 'DELETE FROM item_splices'],
    ['the end of the chain is missing', 'DELETE FROM item_splice_ends'],
    ['the row is an older one', `UPDATE items SET body = replace(body, 'Long', 'Wrong')`],
  ] as const)
    it(`is rebuilt from the revisions when ${title}`, () => {
      write([{ id: 1, title: 'Long', values: long() }])
      for (const value of ['one', 'two', 'three']) add(value)
      const expected = groups()
      database.prepare(sql).run()
      restart()
      assert.match(damage.join(), /rebuilt from the revisions/)
      assert.deepEqual(groups(), expected)
      add('four')
      restart()
      assert.deepEqual(damage, [])
      assert.deepEqual(groups()[0]?.values, [...(expected[0]?.values ?? []), 'four'])
    })
})
