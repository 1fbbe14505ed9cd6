// Hostile text stays text: nothing in the console makes markup, code or style of strings, keeps anything but preferences in the
// browser, or names another origin. The policy would refuse most of it; here it is found before anyone runs it.
// Requirement 38.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listSources, readSource, withoutComments } from './sources.ts'

const sinks: readonly (readonly [name: string, form: RegExp])[] = [
  ['markup of strings', /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|setHTMLUnsafe|\bsetHTML\(/],
  ['parser of markup', /DOMParser|createContextualFragment|document\.write|\bsrcdoc\b|srcDoc/],
  ['element of style or script', /<(?:style|script|iframe|object|embed)\b|createElement\(\s*'(?:style|script|iframe)'/],
  ['attribute of style', /setAttribute\(\s*['"`]style|\bcssText\b|insertRule\(|adoptedStyleSheets/],
  ['code of strings', /\beval\(|\bnew Function\b|javascript:|setTimeout\(\s*['"`]/],
  ['cookie', /document\.cookie|cookieStore/],
  ['other window', /window\.open(?:er)?\b|postMessage\(/],
]

const files = listSources('**/*.{ts,tsx}')

describe('the sources of the console', () => {
  for (const [name, form] of sinks) {
    it(`have no ${name}`, () => {
      assert.deepEqual(
        files.filter((file) => form.test(withoutComments(readSource(file)))),
        [],
      )
    })
  }

  it('name no other origin', () => {
    // Names of RFC 2606 are examples that a person reads.
    const origins = /['"`(](?:https?:)?\/\/(?![a-z0-9.-]*\bexample\b)[a-z0-9.-]+\.[a-z]/i
    const all = [...files, ...listSources('**/*.css')]
    assert.deepEqual(
      all.filter((file) => origins.test(withoutComments(readSource(file)))),
      [],
    )
  })

  it('keep something in the browser only where that is meant', () => {
    const storage = /\b(?:local|session)Storage\b|indexedDB|caches\.open/
    assert.deepEqual(
      files.filter((file) => storage.test(withoutComments(readSource(file))) && !keptIn.includes(file)),
      [],
    )
  })
})

/** Language, looks and columns that a person chose; api/session.ts removes all else at a sign-out. */
const keptIn: readonly string[] = [
  'api/session.ts',
  'app/appearance.ts',
  'contract/render/use-chosen-columns.ts',
  'words.ts',
]
