// What follows from a declaration: edits are refused, whole configurations are verified, users of an object are found, and
// what belongs to an object is removed with it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Static } from 'typebox'
import { say } from '../../shared/said.ts'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { rulesOf } from '../plan/area.ts'
import { any, anyAlone, declareList, declareSettings, mustExist, names, namesOne } from './declarations.ts'
import { createListVerifier, listReferences } from './declared-rules.ts'
import { findItem } from './list-edits.ts'
import { addTo, moveIn, removeFrom, replaceIn, updateIn, updateSettings } from './lists.ts'
import { createReferenceFinder } from './references.ts'
import { type Config, list, read, single } from './slots.ts'

const Shelf = strictObject({ id: Type.String(), title: Type.String(), parent: Type.String() })
const Book = strictObject({
  id: Type.Integer(),
  title: Type.String(),
  shelf: Type.String(),
  keepers: Type.Array(Type.String()),
})
const Page = strictObject({ id: Type.Integer(), book: Type.Integer(), text: Type.String() })

const shelves = list('library.shelves', Shelf)
const books = list('library.books', Book)
const pages = list('library.pages', Page)
const settings = single('library.settings', strictObject({ best: Type.String() }), { best: '' })

const shelfList = declareList({
  slot: shelves,
  noun: 'shelf',
  ids: { kind: 'prefixed', prefix: 'shelf', isShownAsNumber: true },
  nameOf: ({ title }) => `shelf "${title}"`,
  unique: [{ field: 'title', keyOf: ({ title }) => title, messageOf: ({ title }) => say`A shelf "${title}" exists.` }],
  references: [
    namesOne('parent', { prefixes: ['shelf.'], isRemovedAlong: true, faultOf: mustExist('shelf', isShelf) }),
  ],
  reads: [shelves],
})

function isShelf(config: Config, id: string): boolean {
  return findItem(config, shelves, id) !== undefined
}

const bookList = declareList({
  slot: books,
  noun: 'book',
  ids: { kind: 'number' },
  mentionedAs: ({ id }) => `book.${id}`,
  defaults: { keepers: [any] },
  problemsOf: (_, { title }) => (title === '' ? [{ field: 'title', message: say`Must not be empty.` }] : []),
  references: [
    namesOne('shelf', { prefixes: ['shelf.'], slots: [shelves], faultOf: mustExist('shelf', isShelf) }),
    names('keepers', { allowsAny: true, prefixes: ['user.'] }),
  ],
})

const pageList = declareList({
  slot: pages,
  noun: 'page',
  ids: { kind: 'number' },
  owner: { field: 'book', list: bookList },
})

const settingsOf = declareSettings({
  slot: settings,
  noun: 'library settings',
  references: [namesOne('best', { prefixes: ['shelf.'], faultOf: mustExist('shelf', isShelf) })],
  reads: [shelves],
})

const area = rulesOf({
  name: 'library',
  slots: [shelves, books, pages, settings],
  lists: [shelfList, bookList, pageList],
  settings: [settingsOf],
})
const referencesTo = createReferenceFinder([area])
const verify = (config: Config) => (area.verify?.(config) ?? []).map(({ field, message }) => `${field}: ${message}`)

const shelf = (number: number, parent = ''): object => ({ id: `shelf.id.${number}`, title: `s${number}`, parent })
const book = (id: number, fields: object = {}): object => ({
  id,
  title: 'b',
  shelf: 'shelf.id.1',
  keepers: [any],
  ...fields,
})
const filled: Config = {
  [shelves.key]: [shelf(1), shelf(2, 'shelf.id.1')],
  [books.key]: [book(1, { keepers: ['user.id.1'] }), book(2)],
  [pages.key]: [
    { id: 1, book: 1, text: 'x' },
    { id: 2, book: 2, text: 'y' },
    { id: 3, book: 1, text: 'z' },
  ],
}

describe('a whole configuration', () => {
  it('is right when every declaration holds', () => assert.deepEqual(verify(filled), []))

  it('names each fault by its place', () => {
    assert.deepEqual(verify({ ...filled, [books.key]: [book(7, { title: '' })], [pages.key]: [] }), [
      'library.books[7].title: Must not be empty.',
    ])
    assert.deepEqual(verify({ ...filled, [books.key]: [book(7, { shelf: 'shelf.id.9' })], [pages.key]: [] }), [
      'library.books[7].shelf: There is no shelf with the id shelf.id.9.',
    ])
    assert.deepEqual(verify({ ...filled, [books.key]: [book(1), book(2, { keepers: [any, 'user.id.1'] })] }), [
      `library.books[2].keepers: ${anyAlone}`,
    ])
    assert.deepEqual(verify({ ...filled, [pages.key]: [{ id: 4, book: 9, text: '' }] }), [
      'library.pages[4].book: There is no book with the id 9.',
    ])
    assert.deepEqual(verify({ ...filled, [settings.key]: { best: 'shelf.id.3' } }), [
      'library.settings.best: There is no shelf with the id shelf.id.3.',
    ])
  })

  it('has each unique value once, and again when the other is gone', () => {
    const twice = { ...filled, [shelves.key]: [shelf(1), shelf(2), { ...shelf(3), title: 's1' }] }
    assert.deepEqual(verify(twice), ['library.shelves[shelf.id.3].title: A shelf "s1" exists.'])
    assert.deepEqual(verify(twice), ['library.shelves[shelf.id.3].title: A shelf "s1" exists.'])
    assert.deepEqual(verify(filled), [])
  })

  it('is judged again when what its items name goes away', () => {
    assert.deepEqual(verify(filled), [])
    assert.deepEqual(verify({ ...filled, [shelves.key]: [shelf(2)] }).length, 2)
    assert.deepEqual(verify({ ...filled, [shelves.key]: [shelf(2, 'shelf.id.1')] }).length, 3)
  })

  it('is looked at only where it changed', () => {
    const seen: number[] = []
    const check = createListVerifier(
      declareList({
        slot: books,
        noun: 'book',
        ids: { kind: 'number' },
        problemsOf: (_, { id }) => {
          seen.push(id)
          return []
        },
      }),
    )
    const items = Array.from({ length: 1_000 }, (_, at) => book(at))
    check({ [books.key]: items })
    seen.length = 0
    check({ [books.key]: items.with(500, book(500, { title: 'new' })) })
    assert.deepEqual(seen, [500])
  })
})

describe('an edit', () => {
  it('is refused with the fields of the body', () => {
    assert.throws(() => addTo(filled, bookList, 3, { title: '', shelf: 'shelf.id.9' }), {
      code: 'invalid',
      problems: [
        { field: 'shelf', message: 'There is no shelf with the id shelf.id.9.' },
        { field: 'title', message: 'Must not be empty.' },
      ],
    })
    assert.throws(() => updateIn(filled, shelfList, 2, { title: 's1' }), { code: 'conflict' })
    assert.throws(() => updateSettings(filled, settingsOf, { best: 'shelf.id.9' }), { code: 'invalid' })
  })

  it('names the places of its faults once for all of them, and not more than a refusal shows', () => {
    const wishes = single('library.wishes', strictObject({ wanted: Type.Array(Type.String()) }), { wanted: [] })
    const counts = { places: 0, asked: 0 }
    const declared = declareSettings({
      slot: wishes,
      noun: 'wishes',
      references: [
        {
          field: 'wanted',
          isList: true,
          idsOf: ({ wanted }) => wanted,
          placesOf: () => {
            counts.places++
            return (index) => `wanted[${index}].id`
          },
          faultOf: () => {
            counts.asked++
            return say`Unknown.`
          },
        },
      ],
    })
    const wanted = Array.from({ length: 5_000 }, (_, index) => `shelf.id.${index}`)
    assert.throws(() => updateSettings(filled, declared, { wanted }), { code: 'invalid' })
    assert.deepEqual(counts, { places: 1, asked: 100 })
  })

  it('finds an item whose id is shown as a number by that number', () => {
    const renamed = updateIn(filled, shelfList, '2', { title: 'new' })
    assert.equal(findItem(renamed, shelves, 'shelf.id.2')?.title, 'new')
    assert.throws(() => updateIn(filled, bookList, 'shelf.id.1', {}), { code: 'not_found' })
  })

  it('keeps the id of what it replaces', () => {
    const replaced = replaceIn(filled, bookList, 2, { title: 'new', shelf: 'shelf.id.2' })
    assert.deepEqual(findItem(replaced, books, 2), book(2, { title: 'new', shelf: 'shelf.id.2' }))
    assert.throws(() => replaceIn(filled, bookList, 2, { id: 1, title: 'new', shelf: 'shelf.id.2' }), {
      code: 'invalid',
    })
  })

  it('of an owned item stays among those of its owner', () => {
    assert.throws(() => updateIn(filled, pageList, 2, { text: '' }, 1), { code: 'not_found' })
    assert.throws(() => moveIn(filled, pageList, 1, { anchor_item_id: 2 }, 1), { code: 'invalid' })
    assert.deepEqual(
      read(moveIn(filled, pageList, 1, { anchor_item_id: 3 }, 1), pages).map(({ id }) => id),
      [2, 3, 1],
    )
  })
})

describe('a removal', () => {
  const remove = (config: Config, id: number | string) => removeFrom(config, shelfList, id, referencesTo)

  it('is refused while something names the object, by name', () => {
    assert.throws(() => remove(filled, 1), {
      code: 'conflict',
      message: 'The shelf "s1" is used by Book 1, Book 2.',
    })
    const best = { ...filled, [books.key]: [], [pages.key]: [], [settings.key]: { best: 'shelf.id.1' } }
    assert.throws(() => remove(best, 1), { message: 'The shelf "s1" is used by Library settings.' })
  })

  it('takes along what is in the object, and refuses when that is named in turn', () => {
    const empty = { ...filled, [books.key]: [], [pages.key]: [] }
    assert.deepEqual(read(remove(empty, 1), shelves), [])
    const inside = { ...filled, [books.key]: [book(1, { shelf: 'shelf.id.2' })], [pages.key]: [] }
    assert.throws(() => remove(inside, 1), { message: 'The shelf "s1" is used by Book 1.' })
  })
})

it('an area is asked only about ids that it can name', () => {
  const plain = rulesOf({ name: 'library', slots: [books], lists: [bookList] })
  assert.equal(plain.canMention?.('shelf.id.1'), true)
  assert.equal(plain.canMention?.('ip.id.1'), false)
})

describe('what the items of a list name', () => {
  let asked = 0
  const counted = declareList({
    slot: shelves,
    noun: 'shelf',
    ids: { kind: 'prefixed', prefix: 'shelf' },
    references: [
      {
        ...namesOne<Static<typeof Shelf>>('parent', { prefixes: ['shelf.'] }),
        idsOf: ({ parent }) => {
          asked++
          return parent === '' ? [] : [parent]
        },
      },
    ],
  })
  const shelf = (n: number, parent: string) => ({ id: `shelf.id.${n}`, title: `Shelf ${n}`, parent })

  it('follows every change, and asks only what is new', () => {
    let items = Array.from({ length: 1_000 }, (_, n) => shelf(n, n % 3 === 0 ? '' : `shelf.id.${n % 7}`))
    listReferences({ [shelves.key]: items }, counted)
    for (let step = 0; step < 40; step++) {
      const at = (step * 389) % items.length
      const put = Array.from({ length: step % 3 }, (_, n) => shelf(2_000 + step * 3 + n, 'shelf.id.1'))
      items = step % 11 === 10 ? items.toReversed() : items.toSpliced(at, step % 4, ...put)
      const config = { [shelves.key]: items }
      asked = 0
      const followed = listReferences(config, counted)
      assert.ok(asked <= put.length, `${asked} in step ${step}`)
      // Another declaration has no last time.
      assert.deepEqual(followed, listReferences(config, { ...counted }))
    }
  })
})
