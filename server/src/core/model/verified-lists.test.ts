// Verification of a declared list looks only at what changed, and faults and mentions name their places.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { say } from '../../shared/said.ts'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { declareList, declareSettings, mustExist } from './declarations.ts'
import { createListVerifier, createSettingsVerifier, settingsReferences } from './declared-rules.ts'
import { addTo, removeFrom } from './lists.ts'
import { type Config, list, read, single, write } from './slots.ts'

const words = list('sample.words', strictObject({ id: Type.Integer(), word: Type.String() }))
const known = single('sample.known', strictObject({ words: Type.Array(Type.String()) }), { words: ['a', 'b', 'c'] })

it('items that only moved are not looked at again, until what they depend on changes', () => {
  const asked: string[] = []
  const verify = createListVerifier(
    declareList({
      slot: words,
      ids: { kind: 'number' },
      noun: 'word',
      problemsOf: (config, { word }) => {
        asked.push(word)
        return read(config, known).words.includes(word) ? [] : [{ field: 'word', message: say`It is not known.` }]
      },
      reads: [known],
    }),
  )
  const verified = (config: Config): [problems: number, asked: string] => {
    asked.length = 0
    return [verify(config).length, asked.join('')]
  }
  const [a, b, c] = ['a', 'b', 'c'].map((word, at) => ({ id: at + 1, word }))
  assert.ok(a && b && c)
  const first = write({}, words, [a, b, c])
  assert.deepEqual(verified(first), [0, 'abc'])
  assert.deepEqual(verified(write({}, words, [c, a, b])), [0, ''])
  assert.deepEqual(verified(write({}, words, [c, a, { ...b, word: 'a' }])), [0, 'a'])
  const narrow = write(first, known, { words: ['a'] })
  assert.deepEqual(verified(narrow), [2, 'abc'])
  assert.deepEqual(verified(narrow), [2, 'abc'])
  assert.deepEqual(verified(write({}, words, [a, b])), [0, 'b'])
})

const kinds = list('sample.kinds', strictObject({ id: Type.Integer(), kind: Type.String(), note: Type.String() }))

it('items are looked at again when what they name is gone or of another kind, not when it is another in other ways', () => {
  const asked: string[] = []
  const kindIn = (config: Config, id: string) => read(config, kinds).find((one) => String(one.id) === id)?.kind
  const verify = createListVerifier(
    declareList({
      slot: words,
      ids: { kind: 'number' },
      noun: 'word',
      references: [
        {
          field: 'word',
          isList: false,
          idsOf: ({ word }) => [word],
          faultOf: (config, id) => {
            asked.push(id)
            return kindIn(config, id) === 'noun' ? null : say`It is not a noun.`
          },
          slots: [kinds],
          kindOf: ({ id }) => id,
        },
        {
          field: 'word',
          isList: false,
          idsOf: () => [],
          slots: [kinds],
          kindOf: (object) => (object as { readonly kind?: string }).kind,
        },
      ],
    }),
  )
  const [first, second] = [1, 2].map((id) => ({ id, kind: 'noun', note: '' }))
  assert.ok(first && second)
  const config = write(write({}, words, [{ id: 1, word: '1' }]), kinds, [first, second])
  const verified = (objects: readonly (typeof first)[]): [problems: number, asked: string] => {
    asked.length = 0
    return [verify(write(config, kinds, objects)).length, asked.join('')]
  }
  assert.deepEqual(verified([first, second]), [0, '1'])
  assert.deepEqual(verified([{ ...first, note: 'x' }, second]), [0, ''])
  assert.deepEqual(verified([first, { ...second, kind: 'verb' }]), [0, ''], 'no item names it')
  assert.deepEqual(verified([{ ...first, kind: 'verb' }, second]), [1, '1'])
  assert.deepEqual(verified([second]), [1, '1'])
})

const pairs = single(
  'sample.pairs',
  strictObject({ pairs: Type.Array(strictObject({ left: Type.String(), right: Type.Array(Type.String()) })) }),
  { pairs: [] },
)

it('a reference inside other fields names its place', () => {
  const settings = declareSettings({
    slot: pairs,
    noun: 'pairs of words',
    references: [
      {
        field: 'pairs',
        isList: true,
        idsOf: (value) => value.pairs.flatMap(({ right }) => right),
        placesOf: (value) => {
          const places = value.pairs.flatMap(({ right }, at) => right.map((_, index) => `pairs[${at}].right[${index}]`))
          return (index) => places[index] ?? ''
        },
        faultOf: mustExist('word', (config, id) => read(config, known).words.includes(id)),
      },
    ],
  })
  const config = write({}, pairs, {
    pairs: [
      { left: 'a', right: ['a'] },
      { left: 'b', right: ['b', 'x'] },
    ],
  })
  assert.deepEqual(createSettingsVerifier(settings)(config), [
    { field: 'sample.pairs.pairs[1].right[1]', message: 'There is no word with the id x.' },
  ])
  assert.deepEqual(
    settingsReferences(config, settings).map(({ id, object, field }) => `${id} in ${object}.${field}`),
    [
      'a in sample.pairs.pairs[0].right[0]',
      'b in sample.pairs.pairs[1].right[0]',
      'x in sample.pairs.pairs[1].right[1]',
    ],
  )
})

it('a number names nothing on its own: users are searched for by the path of the item', () => {
  const numbered = declareList({ slot: words, ids: { kind: 'number' }, noun: 'word' })
  const config = addTo({}, numbered, 7, { word: 'a' })
  const asked: string[] = []
  const removed = removeFrom(config, numbered, 7, (_, id) => {
    asked.push(id)
    return []
  })
  assert.deepEqual(asked, ['sample.words[7]'])
  assert.deepEqual(read(removed, words), [])
})
