// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Config, Slot } from '../../core/model/slots.ts'
import { defaultCategories, defaultRules, dictionaries, rules, start, userCategories } from './config.ts'
import { contentFilter } from './index.ts'

const stored: Config = { [start.key]: { defaults_stored: true }, [userCategories.key]: defaultCategories }
const [rule] = defaultRules
const dictionary = { id: 'd', title: 'D', comment: '', enabled: true, threshold: 1 }
const words = ['Word', 'word'].map((value) => ({ value, weight: 1 }))
const urls = Array.from({ length: 250_001 }, () => 'a.example')

const cases: readonly (readonly [title: string, slot: Slot, items: readonly object[], ...fields: string[]])[] = [
  ['a missing client', rules, [{ ...rule, aliases: ['ip.id.9'] }], 'rules[1].aliases[0]'],
  ['any beside others', rules, [{ ...rule, aliases: ['any', 'iplist.id.276'] }], 'rules[1].aliases'],
  ['a port as a time', rules, [{ ...rule, timetable: ['port.id.1'] }], 'rules[1].timetable[0]'],
  ['a missing category', rules, [{ ...rule, categories: ['users.id.1', 'users.id.9'] }], 'rules[1].categories[1]'],
  ['a redirection without an address', rules, [{ ...rule, access: 'redirect' }], 'rules[1].redirect_url'],
  ['a word twice', dictionaries, [{ ...dictionary, words }], 'dictionaries[d].words[1].value'],
  [
    'too many URLs over all categories',
    userCategories,
    ['a', 'b'].map((id) => ({ id, name: id, comment: '', urls })),
    'user_categories[a].urls',
    'user_categories[b].urls',
  ],
]

for (const [title, slot, items, ...fields] of cases) {
  it(`${title} is refused`, () => {
    const problems = contentFilter.verify?.({ ...stored, [slot.key]: items }) ?? []
    assert.deepEqual(
      problems.map(({ field }) => field),
      fields.map((field) => `content_filter.${field}`),
    )
  })
}

it('a category that a rule names cannot be missing', () => {
  const without = { ...stored, [rules.key]: defaultRules, [userCategories.key]: defaultCategories.slice(1) }
  assert.deepEqual(
    contentFilter.verify?.(without).map(({ field }) => field),
    ['content_filter.rules[1].categories[0]'],
  )
})

it('what exists from the start is accepted, stored or not', () => {
  assert.deepEqual(contentFilter.verify?.({}), [])
  assert.deepEqual(contentFilter.verify?.({ ...stored, [rules.key]: defaultRules }), [])
})
