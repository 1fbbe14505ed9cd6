// Lists whose items belong to an item of another list: added, placed, copied and removed among those of one owner. Built-in
// items are shown and copied but never changed; items that exist from the start are stored by the first change.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Static } from 'typebox'
import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { rulesOf } from '../plan/area.ts'
import { declareList, names } from './declarations.ts'
import { addAllTo, addTo, copyIn, itemsIn, moveIn, removeFrom, replaceIn, requireIn, updateIn } from './lists.ts'
import { createReferenceFinder } from './references.ts'
import { type Config, list, read, single, write } from './slots.ts'

const shelves = list('library.shelves', strictObject({ id: Type.Integer(), name: Type.String() }))
const Book = strictObject({
  id: Type.Integer(),
  shelf: Type.Integer(),
  title: Type.String(),
  cites: Type.Array(Type.String()),
})
type Book = Static<typeof Book>
const books = list('library.books', Book)
const visitors = list('library.visitors', strictObject({ id: Type.Integer() }))

const shelfList = declareList({
  slot: shelves,
  noun: 'shelf',
  nameOf: ({ name }) => `shelf "${name}"`,
  ids: { kind: 'number', after: 1 },
  builtIn: [{ id: 1, name: 'Reference' }],
})
const bookList = declareList<Book>({
  slot: books,
  noun: 'book',
  ids: { kind: 'number' },
  owner: { field: 'shelf', list: shelfList },
  builtIn: [{ id: 1, shelf: 1, title: 'Atlas', cites: [] }],
  defaults: { cites: [] },
  problemsOf: (_config, { title }) => (title === '' ? [{ field: 'title', message: say`Must not be empty.` }] : []),
  references: [names<Book>('cites')],
})
const visitorList = declareList({ slot: visitors, noun: 'visitor', ids: { kind: 'number' } })

const area = { name: 'library', slots: [shelves, books, visitors], lists: [shelfList, bookList, visitorList] }
const rules = rulesOf(area)
const referencesTo = createReferenceFinder([rules])

const base: Config = {
  [shelves.key]: [
    { id: 2, name: 'Left' },
    { id: 3, name: 'Right' },
  ],
  [books.key]: [
    { id: 1, shelf: 2, title: 'a', cites: [] },
    { id: 2, shelf: 3, title: 'b', cites: [] },
    { id: 3, shelf: 2, title: 'c', cites: [] },
  ],
  [visitors.key]: [{ id: 2 }],
}
const titles = (config: Config, owner: number): string[] => itemsIn(config, bookList, owner).map(({ title }) => title)
const refusedWith = (code: string, field?: string) => (error: unknown) =>
  error instanceof GatewayError && error.code === code && (field === undefined || error.problems[0]?.field === field)

describe('items of an owner', () => {
  it('are found only among those of the same owner', () => {
    assert.deepEqual(titles(base, 2), ['a', 'c'])
    assert.equal(requireIn(base, bookList, '3', '2').title, 'c')
    assert.throws(() => requireIn(base, bookList, 2, 2), refusedWith('not_found'))
  })

  it('are placed among those of the same owner', () => {
    const added = addTo(base, bookList, 4, { shelf: 2, title: 'd' }, { anchor_item_id: 1 })
    assert.deepEqual(titles(added, 2), ['a', 'd', 'c'])
    assert.deepEqual(titles(moveIn(added, bookList, 1, { anchor_item_id: 3 }, 2), 2), ['d', 'c', 'a'])
    const elsewhere = { anchor_item_id: 2 }
    assert.throws(() => addTo(base, bookList, 4, { shelf: 2, title: 'd' }, elsewhere), refusedWith('invalid'))
    assert.throws(() => moveIn(base, bookList, 1, elsewhere, 2), refusedWith('invalid', 'params.anchor_item_id'))
  })

  it('need an owner that exists', () => {
    assert.throws(() => addTo(base, bookList, 4, { shelf: 9, title: 'd' }), refusedWith('not_found'))
    assert.throws(() => updateIn(base, bookList, 1, { title: 'd' }, 9), refusedWith('not_found'))
    assert.throws(() => updateIn(base, bookList, 1, { title: 'd' }, 3), refusedWith('not_found'))
  })

  it('keep their owner when they are replaced', () => {
    const replaced = replaceIn(base, bookList, 1, { title: 'x' }, 2)
    assert.deepEqual(requireIn(replaced, bookList, 1, 2), { id: 1, shelf: 2, title: 'x', cites: [] })
  })

  it('are added together or not at all, with every fault named by its place', () => {
    const added = addAllTo(
      base,
      bookList,
      [4, 5].map((id) => [id, { shelf: 3, title: `${id}` }] as const),
      'books',
    )
    assert.deepEqual(titles(added, 3), ['b', '4', '5'])
    const bad = ['x', '', ''].map((title, id) => [id + 4, { shelf: 3, title }] as const)
    assert.throws(
      () => addAllTo(base, bookList, bad, 'books'),
      (error) =>
        error instanceof GatewayError &&
        error.problems.map(({ field }) => field).join() === 'books[1].title,books[2].title',
    )
  })

  it('are copied with their owner, in their order', () => {
    let last = 10
    const copying = { owned: [bookList], fields: { name: 'Copy' } }
    const copied = copyIn(base, shelfList, 2, 4, () => ++last, copying)
    assert.deepEqual(requireIn(copied, shelfList, 4), { id: 4, name: 'Copy' })
    assert.deepEqual(itemsIn(copied, bookList, 4), [
      { id: 11, shelf: 4, title: 'a', cites: [] },
      { id: 12, shelf: 4, title: 'c', cites: [] },
    ])
    assert.deepEqual(titles(copied, 2), ['a', 'c'])
  })

  it('are removed with their owner, and only then', () => {
    const left = removeFrom(base, shelfList, 2, referencesTo)
    assert.deepEqual(read(left, books), [{ id: 2, shelf: 3, title: 'b', cites: [] }])
    assert.deepEqual(read(removeFrom(base, visitorList, 2, referencesTo), books), read(base, books))
    const citing = updateIn(base, bookList, 2, { cites: ['1'] }, 3)
    assert.deepEqual(titles(removeFrom(citing, shelfList, 2, referencesTo), 3), ['b'], 'a number names nothing')
  })

  it('name their owner in the words of a refusal', () => {
    const citing = updateIn(base, bookList, 1, { cites: ['x.id.1'] }, 2)
    assert.equal(referencesTo(citing, 'x.id.1')[0]?.title, 'Book 1 of the shelf "Left"')
    const renamed = updateIn(citing, shelfList, 2, { name: 'Top' })
    assert.equal(referencesTo(renamed, 'x.id.1')[0]?.title, 'Book 1 of the shelf "Top"')
  })

  it('without an owner are refused by verification, also when only the owners changed', () => {
    const verify = rulesOf(area).verify
    assert.deepEqual(verify?.(base), [])
    const orphan = { field: 'library.books[2].shelf', message: 'There is no shelf with the id 3.' }
    assert.deepEqual(verify?.(write(base, shelves, [{ id: 2, name: 'Left' }])), [orphan])
    assert.deepEqual(verify?.(base), [])
    const ofTemplate = write(base, books, [{ id: 9, shelf: 1, title: 'x', cites: [] }])
    assert.equal(verify?.(ofTemplate)[0]?.field, 'library.books[9].shelf')
  })
})

describe('built-in items', () => {
  it('come first, and are the same value while the stored ones are', () => {
    assert.deepEqual(
      itemsIn(base, shelfList).map(({ name }) => name),
      ['Reference', 'Left', 'Right'],
    )
    assert.equal(itemsIn(base, shelfList), itemsIn(base, shelfList))
    assert.deepEqual(titles(base, 1), ['Atlas'])
  })

  it('cannot be changed, moved or removed, nor what they own', () => {
    const edits = [
      () => updateIn(base, shelfList, 1, { name: 'x' }),
      () => replaceIn(base, shelfList, 1, { name: 'x' }),
      () => removeFrom(base, shelfList, 1, referencesTo),
      () => addTo(base, bookList, 4, { shelf: 1, title: 'x' }),
      () => updateIn(base, bookList, 1, { title: 'x' }, 1),
      () => moveIn(base, bookList, 1, { anchor_item_id: 1 }, 1),
      () => removeFrom(base, bookList, 1, referencesTo, 1),
      () => removeFrom(base, bookList, 99, referencesTo, 1),
    ]
    for (const edit of edits) assert.throws(edit, refusedWith('conflict'))
  })

  it('cannot be replaced by a stored item of the same id', () => {
    const problems = rulesOf(area).verify?.(write(base, shelves, [...read(base, shelves), { id: 1, name: 'x' }]))
    assert.deepEqual(
      problems?.map(({ field }) => field),
      ['library.shelves[1].id'],
    )
  })

  it('are copied with what they own', () => {
    const copied = copyIn(base, shelfList, 1, 4, () => 20, { owned: [bookList] })
    assert.deepEqual(itemsIn(copied, bookList, 4), [{ id: 20, shelf: 4, title: 'Atlas', cites: [] }])
  })
})

describe('items that exist from the start', () => {
  const notes = list('notes.notes', strictObject({ id: Type.Integer(), uses: Type.String() }))
  const isStored = single('notes.stored', strictObject({ yes: Type.Boolean() }), { yes: false })
  const first = [
    { id: 1, uses: 'ip.id.1' },
    { id: 2, uses: '' },
  ]
  const noteList = declareList({
    slot: notes,
    noun: 'note',
    ids: { kind: 'number', after: 2 },
    references: [{ field: 'uses', isList: false, idsOf: ({ uses }) => [uses] }],
    complete: (config) =>
      read(config, isStored).yes ? config : write(write(config, notes, first), isStored, { yes: true }),
  })
  const ids = (config: Config): number[] => itemsIn(config, noteList).map(({ id }) => id)

  it('are stored by the first change', () => {
    assert.deepEqual(ids({}), [1, 2])
    const added = addTo({}, noteList, 3, { uses: '' })
    assert.deepEqual(read(added, notes).length, 3)
    const empty = [1, 2, 3].reduce((config, id) => removeFrom(config, noteList, id, () => []), added)
    assert.deepEqual(ids(empty), [])
  })

  it('stay unstored when nothing changes', () => {
    const config = {}
    assert.equal(moveIn(config, noteList, 1, { anchor_item_id: 1 }), config)
  })

  it('are verified and name objects like stored ones', () => {
    const of = rulesOf({ name: 'notes', slots: [notes, isStored], lists: [noteList] })
    assert.deepEqual(of.references?.({}).map(({ id, object }) => [id, object])[0], ['ip.id.1', 'notes.notes[1]'])
  })
})

it('an item that brings its id along is refused when the id is taken', () => {
  const slot = list('x.x', strictObject({ id: Type.String() }))
  const unique = [{ field: 'rule', keyOf: ({ id }: { id: string }) => id, messageOf: () => say`Taken.` }]
  const given = declareList({ slot, noun: 'x', ids: { kind: 'given' }, unique })
  const one = addTo({}, given, 'a', {})
  assert.throws(() => addTo(one, given, 'a', {}), refusedWith('conflict', 'rule'))
  assert.equal(read(addTo(one, given, 'b', {}), slot).length, 2)
})
