import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCsv } from '../../../test/support/csv.ts'
import { predefinedDictionaries } from './dictionaries.ts'
import { printDictionary } from './dictionary-csv.ts'
import { wordProblems } from './lists.ts'

const hostile = ['plain', 'a;b', '"', '""', 'a"b;c', ';', ' x ', "'", 'слово 😀', '\\', 'a,b', '#', '<b>']

describe('a dictionary as CSV', () => {
  it('is the threshold, title and comment, then a line for each word', () => {
    const words = [
      { value: 'one', weight: 5 },
      { value: 'two words', weight: 0 },
    ]
    const text = printDictionary({ id: 'x', enabled: true, title: 'Mine', comment: '', threshold: 100, words })
    assert.equal(text, '100;Mine;\r\none;5\r\ntwo words;0\r\n')
  })

  it('gives back every text through a CSV reader', () => {
    for (const title of hostile) {
      const words = hostile.map((value, weight) => ({ value, weight }))
      const text = printDictionary({ id: 'x', enabled: true, title, comment: title, threshold: 7, words })
      assert.deepEqual(parseCsv(text, ';'), [
        ['7', title, title],
        ...words.map((word) => [word.value, String(word.weight)]),
      ])
    }
  })

  it('holds no formula', () => {
    for (const value of ['=1+1', '+1', '-1', '@x', '=";"']) {
      const text = printDictionary({ ...base, words: [{ value, weight: 1 }] })
      assert.equal(parseCsv(text, ';')[1]?.[0], `'${value}`)
    }
  })
})

const base = { id: 'x', enabled: true, title: '=t', comment: '', threshold: 0, words: [] }

it('predefined dictionaries keep their own rules', () => {
  for (const dictionary of predefinedDictionaries) {
    assert.deepEqual(wordProblems(dictionary), [])
    assert.ok(dictionary.words.length > 0)
    assert.ok(dictionary.words.every(({ value }) => value.length <= 50))
  }
})
