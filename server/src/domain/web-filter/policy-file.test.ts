// The files of the content filter: what is printed is parsed to the same, and nothing else is accepted.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FilterPolicy } from './model.ts'
import {
  parseDictionaries,
  parsePolicy,
  parseUserCategories,
  printDictionaries,
  printPolicy,
  printUserCategories,
} from './policy-file.ts'

const hostile = 'a"\\\u0000\n\t</script>\u2028\ud800é'
const shown = 'a"\\   </script> \ufffdé'
const addresses = [167_772_160, 167_772_161]

const policyWith = (name: string): FilterPolicy => ({
  isEnabled: true,
  usesExtended: false,
  safeSearch: true,
  morphology: false,
  onFailure: 'pass',
  names: { 'users.id.1': name },
  rules: [1, 2].map((id) => ({
    id,
    name,
    access: 'redirect',
    redirectUrl: 'https://x.example/"\\',
    sources: { isAny: false, members: ['user.id.1', 'group.id.2'], addresses },
    categories: ['users.id.1', 'special.id.4'],
    methods: ['GET'],
    contentTypes: ['video/*'],
    times: [0, 5, 9, 9],
  })),
})

it('a policy is read as it was printed, and each set of addresses is printed once', () => {
  const text = printPolicy(policyWith(hostile))
  assert.deepEqual(parsePolicy(text), policyWith(shown))
  assert.equal(text.split('167772160').length, 2)
  assert.ok(parsePolicy(printPolicy({ ...policyWith('x'), rules: [], names: {} })))
})

describe('a policy that is not one is refused', () => {
  const good = JSON.parse(printPolicy(policyWith('x')))
  const rule = (patch: object) => ({ ...good, rules: [{ ...good.rules[0], ...patch }] })
  const cases: Readonly<Record<string, unknown>> = {
    'no object': [],
    'a field too much': { ...good, more: 1 },
    'a switch that is none': { ...good, isEnabled: 1 },
    'a name with a control character': { ...good, names: { 'users.id.1': 'a\nb' } },
    'a set that is not sorted': { ...good, sets: [[5, 4]] },
    'a set of half numbers': { ...good, sets: [[1.5, 2]] },
    'an id twice': { ...good, rules: [good.rules[0], good.rules[0]] },
    'a field of a rule too much': rule({ more: 1 }),
    'an access that is none': rule({ access: 'drop' }),
    'a location that is a script': rule({ redirectUrl: 'javascript:alert(1)' }),
    'a location with a line break': rule({ redirectUrl: 'http://a/\r\nX: y' }),
    'a location without a redirection': rule({ access: 'deny' }),
    'a set that is missing': rule({ addresses: 9 }),
    'a set that is a name': rule({ times: '__proto__' }),
    'a category that is none': rule({ categories: ['users.id.0'] }),
    'a method that is none': rule({ methods: ['GET\n'] }),
    'a type in upper case': rule({ contentTypes: ['Video/mp4'] }),
  }
  for (const [title, value] of Object.entries(cases))
    it(title, () => {
      assert.equal(typeof parsePolicy(JSON.stringify(value)), 'string')
    })
  it('no JSON', () => assert.equal(typeof parsePolicy('{'), 'string'))
})

it('user categories are read as they were printed, without what no line can hold', () => {
  const entries = ['a.example', 'пример.рф/страница', ' x\u00a0y', '*.b.example', 'http://c.example/?a=b#c']
  const text = printUserCategories([
    { id: 'users.id.1', entries: [...entries, 'a\nusers.id.2\tb.example', ''] },
    { id: 'users.id.3', entries: ['d.example'] },
  ])
  assert.deepEqual(parseUserCategories(text), [
    { id: 'users.id.1', entries },
    { id: 'users.id.3', entries: ['d.example'] },
  ])
  assert.deepEqual(parseUserCategories(''), [])
  for (const bad of [
    'users.id.1\ta',
    'users.id.1 a\n',
    'special.id.1\ta\n',
    'users.id.1\t\n',
    'users.id.1\ta\tb\n',
    '\n',
  ])
    assert.equal(typeof parseUserCategories(bad), 'string', JSON.stringify(bad))
})

it('dictionaries are read as they were printed', () => {
  const dictionary = { id: 'd-1', title: 'T', threshold: 0, words: [{ value: 'слово "x"', weight: 20 }] }
  assert.deepEqual(parseDictionaries(printDictionaries([dictionary])), [dictionary])
  assert.deepEqual(parseDictionaries(printDictionaries([])), [])
  for (const bad of [{}, [1], [{ ...dictionary, threshold: -1 }], [{ ...dictionary, words: [{ value: 'a' }] }]])
    assert.equal(typeof parseDictionaries(JSON.stringify(bad)), 'string')
})
