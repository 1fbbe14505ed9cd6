// The templates of the pages: complete, self-contained, in two languages, and only with codes that Squid escapes.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorPages, errorPagesText } from './block-page.ts'

const pages = [...errorPages].filter(([name]) => name.startsWith('ERR_'))
const own = '/usr/share/squid/errors/templates'

test('a page has only codes whose values Squid escapes, and notes that the decision process escaped', () => {
  for (const [name, text] of pages) {
    const rest = text.replaceAll(/@Squid\{%'\{(?:names|rule_name|who)\}note\}/g, '').replaceAll('%%', '')
    const codes = [...rest.matchAll(/%(.)/g)].map(([, code]) => code)
    assert.deepEqual(
      codes.filter((code) => !'UHiTDE'.includes(code ?? '')),
      [],
      name,
    )
    assert.doesNotMatch(rest, /@Squid/, name)
  }
})

test('a page loads nothing, runs nothing and does not name the program', () => {
  for (const [name, text] of pages) {
    assert.match(text, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'/, name)
    assert.doesNotMatch(text, /<script|<img|<link|https?:|url\(|squid[^{]/i, name)
    assert.match(text, /prefers-color-scheme:dark/, name)
    assert.match(text, /[а-я]{4}/i.test(text) ? /lang="ru"/ : /lang="en"/, name)
  }
})

test('applyd has the pages as they are here', () => {
  const file = join(import.meta.dirname, '..', '..', 'engines', 'web-filter', 'error-pages.json')
  const stored = readFileSync(file, 'utf8')
  assert.deepEqual(JSON.parse(stored), JSON.parse(errorPagesText()), 'npm run golden writes them again')
})

test('every page of Squid has one of ours', { skip: !existsSync(own) }, () => {
  const missing = readdirSync(own).filter((name) => name !== 'generic' && !errorPages.has(name))
  assert.deepEqual(missing, [])
})
