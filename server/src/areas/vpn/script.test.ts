// Requirements 30 and 41.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { literal, sstpScript } from './script.ts'

const isQuote = (character: string | undefined): boolean =>
  character !== undefined && /['\u2018-\u201b]/.test(character)

/**
 * What PowerShell makes of a single-quoted literal at the beginning of a text (language specification, 2.3.5.2): the value,
 * and what is left as syntax.
 */
function readLiteral(text: string): { value: string; rest: string } {
  assert.ok(isQuote(text[0]))
  let value = ''
  let at = 1
  while (at < text.length) {
    if (!isQuote(text[at])) value += text[at++]
    else if (isQuote(text[at + 1])) {
      value += text[at]
      at += 2
    } else return { value, rest: text.slice(at + 1) }
  }
  throw new Error('the literal does not end')
}

const hostile = [
  '',
  "'",
  "''",
  "'; Remove-Item C:\\ -Recurse #",
  '\u2018\u2019\u201a\u201b',
  "\u2019; calc; \u2019'",
  '$(calc)',
  '`" $env:PATH',
  '\r\n}\r\ncalc\r\n',
  "'@\r\n",
  '\u201c"\u201d',
  '\0',
  '😀',
]

const alphabet = [
  "'",
  '\u2018',
  '\u2019',
  '\u201a',
  '\u201b',
  '$',
  '(',
  ')',
  '`',
  '"',
  ';',
  '\n',
  '#',
  'a',
  ' ',
  '@',
  '{',
]

/** Texts that repeat from run to run. */
function* randomTexts(count: number): Generator<string> {
  let state = 42
  for (let made = 0; made < count; made++) {
    let text = ''
    do {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      text += alphabet[(state >> 8) % alphabet.length]
    } while ((state >> 16) % 12 !== 0)
    yield text
  }
}

const values = { domain: 'vpn.example.com', port: 1443, dnsSuffix: 'office.example', mode: 'utm' } as const

describe('a literal of PowerShell', () => {
  it('gives back any text, and leaves nothing of it as syntax', () => {
    for (const text of [...hostile, ...randomTexts(100_000)]) {
      assert.deepEqual(readLiteral(`${literal(text)}\r\n}`), { value: text, rest: '\r\n}' })
    }
  })
})

describe('the SSTP script', () => {
  /** The script with every literal taken out: what is left is syntax. */
  const syntaxOf = (script: string): string => {
    let rest = script
    let syntax = ''
    for (;;) {
      const at = rest.search(/['\u2018-\u201b]/)
      if (at < 0) return syntax + rest
      syntax += rest.slice(0, at)
      rest = readLiteral(rest.slice(at)).rest
    }
  }

  it('has the same syntax whatever text is in it', () => {
    const harmless = syntaxOf(sstpScript(values))
    for (const text of [...hostile, ...randomTexts(2_000)]) {
      if (text === '') continue
      assert.equal(syntaxOf(sstpScript({ ...values, domain: text, dnsSuffix: text })), harmless, JSON.stringify(text))
    }
  })

  it('begins with the mark of UTF-8 and ends its lines as Windows does', () => {
    const script = sstpScript(values)
    assert.equal(script[0], '\ufeff')
    assert.doesNotMatch(script, /[^\r]\n/)
  })

  it('sends everything through the tunnel only when all routes are pushed', () => {
    assert.match(sstpScript(values), /SplitTunneling {7}= \$true\r/)
    assert.match(sstpScript({ ...values, mode: 'all' }), /SplitTunneling {7}= \$false\r/)
  })

  it('names a suffix only when there is one', () => {
    assert.match(sstpScript(values), /DnsSuffix {12}= 'office.example'\r/)
    assert.doesNotMatch(sstpScript({ ...values, dnsSuffix: '' }), /DnsSuffix/)
  })
})
