import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html, type Part } from './html.ts'

const escaped = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;&#96;'
const print = (...values: readonly Part[]): string => html`<p title="${values[0]}">${values}</p>`.toString()

test('text is escaped, in attributes too, and markup is not', () => {
  assert.equal(print(`<b a="1" b='2'>&\``), `<p title="${escaped}">${escaped}</p>`)
  assert.equal(
    html`<ul>${['a<', 'b'].map((one) => html`<li>${one}</li>`)}</ul>`.toString(),
    '<ul><li>a&lt;</li><li>b</li></ul>',
  )
})

test('nothing is printed for what is not there', () => {
  assert.equal(html`[${null}${undefined}${false}${''}${0}]`.toString(), '[0]')
})

test('characters that are not allowed are shown as such', () => {
  assert.equal(html`${'a\0b\x1bc\ud800d\te\nf'}`.toString(), 'a\ufffdb\ufffdc\ufffdd\te\nf')
})

test('no object passes for markup, whatever it looks like', () => {
  const forged = JSON.parse('{"text":"<b>","#text":"<b>"}') as unknown as Part
  assert.equal(html`${forged}`.toString(), '[object Object]')
})

test('no text ends an attribute or an element, or begins one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const [, attribute = '', content = ''] = /^<p title="([\s\S]*)">([\s\S]*)<\/p>$/.exec(print(text)) ?? []
      assert.doesNotMatch(attribute, /["<>'`]/)
      assert.doesNotMatch(content, /["<>'`]/)
    }),
  )
})
