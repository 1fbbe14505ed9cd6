// @ts-check
// The reference runs under a strict policy and without a build, so what a bundler or a framework would notice is looked
// for here: markup made of strings, other origins, and ids nobody has.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (/** @type {string} */ name) => readFileSync(new URL(`../src/reference/${name}`, import.meta.url), 'utf8')
const html = read('index.html')
const script = read('reference.js')
const style = read('reference.css')

/** @param {string} text @param {RegExp} pattern */
const found = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

const sinks = [
  ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'createContextualFragment', 'DOMParser'],
  ...['srcdoc', 'document.write', 'eval(', 'Function(', 'javascript:'],
]

for (const [name, text] of Object.entries({ 'index.html': html, 'reference.js': script, 'reference.css': style })) {
  test(`${name} makes neither markup nor code of strings`, () => {
    assert.deepEqual(
      sinks.filter((sink) => text.includes(sink)),
      [],
    )
  })

  test(`${name} names no other origin`, () => {
    // GATEWAY is the word to replace in the example.
    assert.deepEqual(found(text, /(?:https?:|wss?:|["'`(])\/\/(?!GATEWAY\/)[^\s"'`)]*/g), [])
  })
}

test('the page has no inline script, style or handler', () => {
  assert.deepEqual(found(html, /\son[a-z]+\s*=|\sstyle\s*=|<style\b|<script\b(?![^>]*\ssrc=)/gi), [])
  assert.deepEqual(found(script, /\.on[a-z]+\s*=[^=>]|['"]on[a-z]+['"]\s*[,:]|\.style\b/g), [])
})

test('everything is loaded from the gateway itself', () => {
  const loaded = [...found(html, /\s(?:src|href)="([^"#]+)"/g), ...found(script, /fetch\('([^']+)'/g)]
  const expected = ['/docs/reference.css', '/docs/reference.js', '/openapi.json']
  assert.deepEqual([...new Set(loaded)].sort(), expected)
  assert.deepEqual(found(style, /url\(|@import/g), [])
})

test('every id referred to is in the page, once', () => {
  const ids = found(html, /\sid="([^"]+)"/g)
  const asked = found(script, /byId\('([^']+)'\)/g)
  const referred = found(html, /\s(?:href="#|for="|aria-controls="|aria-describedby="|aria-labelledby=")([^"]+)"/g)
  assert.equal(asked.length, found(script, /byId\(/g).length, 'byId is given something else than a plain text')
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    [...asked, ...referred].filter((id) => !ids.includes(id)),
    [],
  )
})

test('the script fills every part of an operation, and no other', () => {
  const filled = script.slice(script.indexOf('articleOf({'), script.indexOf('article.id ='))
  assert.deepEqual(found(filled, /^ {4}(\w+):/gm).sort(), found(html, /\sdata-part="(\w+)"/g).sort())
})
