// Every text of the console is in a catalog, in its one place and wholly translated, and no text is outside of the catalogs.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { arrange, readEntries, readSources, usedTexts, withoutComments } from '../support/catalogs.ts'

const language = 'ru'
/** What Intl.PluralRules gives for Russian. */
const pluralForms = ['one', 'few', 'many', 'other']

const entries = readEntries(language)
const wanted = arrange(await usedTexts(), entries)
const placeOf = ({ catalog, text }: { readonly catalog: string; readonly text: string }): string =>
  `${catalog}: ${text}`
const hint = 'run npm run web:messages and translate what is new'

type Token = string | readonly [string, string?, Readonly<Record<string, unknown>>?]
const tokensOf = (text: string): readonly Token[] => [compileMessage(text)].flat() as readonly Token[]

/** Names of what is filled in, and what is wrong with the plurals. */
function readMessage(text: string): { readonly names: readonly string[]; readonly faults: readonly string[] } {
  const names = new Set<string>()
  const faults: string[] = []
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (typeof token === 'string') continue
      const [name, kind, forms] = token
      names.add(name)
      if (kind === 'plural' || kind === 'selectordinal') {
        faults.push(
          ...pluralForms.filter((form) => !Object.hasOwn(forms ?? {}, form)).map((form) => `${name}: ${form}`),
        )
      }
      for (const inner of Object.values(forms ?? {})) if (Array.isArray(inner)) walk(inner as Token[])
    }
  }
  walk(tokensOf(text))
  return { names: [...names].filter((name) => name !== '#').sort(), faults }
}

describe('the catalogs', () => {
  it('hold every text of the console in its place', () => {
    const known = new Set(entries.map(placeOf))
    assert.deepEqual(
      wanted.map(placeOf).filter((place) => !known.has(place)),
      [],
      hint,
    )
  })

  it('have a translation of each', () => {
    const missing = wanted.filter(({ translation }) => translation.trim() === '').map(placeOf)
    assert.deepEqual(missing, [], hint)
  })

  it('have no text that is not used, and none twice', () => {
    const used = new Set(wanted.map(placeOf))
    assert.deepEqual(
      entries.map(placeOf).filter((place) => !used.has(place)),
      [],
      hint,
    )
    const texts = entries.map(({ text }) => text)
    assert.deepEqual(
      texts.filter((text, at) => texts.indexOf(text) !== at),
      [],
      hint,
    )
  })

  it('fill in the same values as the English text, in every plural form', () => {
    for (const { text, translation, ...entry } of entries) {
      if (!text.includes('{') || translation === '') continue
      const { names, faults } = readMessage(translation)
      const place = placeOf({ ...entry, text })
      assert.deepEqual(names, readMessage(text).names, place)
      assert.deepEqual(faults, [], place)
    }
  })

  it('leave nothing to say beside them', () => {
    const found = readSources().flatMap(({ path, code }) => plainTexts(code).map((text) => `${path}: ${text}`))
    assert.deepEqual(found, [], 'put it into t() or msg()')
  })
})

/** The values of a new item that a page proposes are data. */
const withoutExamples = (code: string): string => code.replaceAll(/\bexample:\s*\{[^}]*\}/g, '')

/** What is typed in just this way in every language, as in a filter. */
const isSyntax = (text: string): boolean => /[=<>{}]/.test(text)

/** English words between tags, in attributes that are shown or read out, and in the fields that declare texts. */
function plainTexts(code: string): string[] {
  const text = withoutExamples(withoutComments(code))
  const between = [...text.matchAll(/(?<![=\w\s])>\s*([A-Z][a-z]+(?:[ ,.'-]+[A-Za-z]+)*[.?:]?)\s*<\//g)]
  const attributes = [
    ...text.matchAll(/\b(?:label|title|placeholder|alt|aria-label|hint|why|action)="([A-Za-z][^"]*)"/g),
  ]
  const declared = [
    ...text.matchAll(
      /\b(?:label|title|text|hint|lead|itemName|section|button|empty|why):\s*'([A-Z][a-z]+[ a-z]*[^']*)'/g,
    ),
  ]
  return [...between, ...attributes, ...declared].map((match) => match[1] ?? '').filter((words) => !isSyntax(words))
}
