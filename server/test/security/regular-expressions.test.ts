// Every regular expression of the product, in its source and in its schemas: simple in form, and no more work than the
// length of the most awkward texts asks for.
// Requirement 32.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { endpoints } from '../contract/contract.ts'
import { assertGrowsWithSize } from '../support/work.ts'
import { lineOf, pieces, sourceFiles } from './source.ts'

interface Expression {
  readonly place: string
  readonly regex: RegExp
}

const length = 100_000

function fromSource(): Expression[] {
  return sourceFiles.flatMap(({ path, text }) =>
    pieces(text)
      .filter((piece) => piece.kind === 'regex')
      .map((piece) => {
        const end = piece.text.lastIndexOf('/')
        const regex = new RegExp(piece.text.slice(1, end), piece.text.slice(end + 1))
        return { place: `${path}:${lineOf(text, piece.at)} ${piece.text}`, regex }
      }),
  )
}

function fromSchemas(): Expression[] {
  const patterns = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'pattern' && typeof inner === 'string') patterns.add(inner)
      else walk(inner)
    }
  }
  for (const endpoint of endpoints) walk([endpoint.query, endpoint.body, endpoint.reply])
  for (const slot of areas.flatMap((area) => area.slots)) walk(slot.schema)
  return [...patterns].map((pattern) => ({ place: `schema ${pattern}`, regex: new RegExp(pattern, 'u') }))
}

/**
 * Repetition without an upper limit inside of repetition without one: the form behind nearly every expression that takes
 * for ever. `(a{1,9}){0,4}` is fine, `(a+)*` is not.
 */
export function hasNestedRepetition(source: string): boolean {
  const plain = source.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  const open: boolean[] = []
  let isRepeated = false
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at]
    if (character === '(') {
      open.push(isRepeated)
      isRepeated = false
    } else if (character === ')') {
      const inner: boolean = isRepeated
      const isEndless = /^(?:[*+]|\{\d+,\})/.test(plain.slice(at + 1))
      if (inner && isEndless) return true
      isRepeated = (open.pop() ?? false) || inner || isEndless
    } else if (character === '*' || character === '+' || /^\{\d+,\}/.test(plain.slice(at))) {
      isRepeated = true
    }
  }
  return false
}

/** What the expression itself is made of, and what usually hurts, over and over, with an end that does not fit. */
function worstTexts(source: string): ((size: number) => string)[] {
  const own = new Set([...source.replaceAll(/[\\^$*+?()|{}[\]]/g, '')])
  const pumps = [
    ...own,
    'a',
    '0',
    ' ',
    '\t',
    '\n',
    '.',
    '-',
    '/',
    '"',
    ',',
    ':',
    '=',
    'ab',
    'a.',
    '1.',
    'a=',
    '/a',
    '::',
    '\\"',
  ]
  return [...new Set(pumps)].flatMap((pump) => {
    const textOf = (size: number): string => pump.repeat(Math.ceil(size / pump.length))
    return [textOf, (size: number) => `${textOf(size)}\u0000`, (size: number) => `/${textOf(size)}!`]
  })
}

describe('regular expressions', () => {
  const all = [...fromSource(), ...fromSchemas()]

  it('are found, and their check knows bad ones', () => {
    assert.ok(all.length > 30)
    for (const bad of ['(a+)+', '(a*)*$', '^(\\d+)*x', '((ab)+)*', '(?:x{2,})+', '(a|b+)*', '([a-z]+)*']) {
      assert.equal(hasNestedRepetition(bad), true, bad)
    }
    for (const good of ['a+b+', '(a{1,9}){0,4}', '(?:ab)*c', '[(+)]+', '\\(a+\\)+', '(a+)?']) {
      assert.equal(hasNestedRepetition(good), false, good)
    }
  })

  for (const { place, regex } of all) {
    it(`${place} is simple, and its work grows with the text`, () => {
      assert.equal(hasNestedRepetition(regex.source), false, 'repetition inside of repetition')
      for (const textOf of worstTexts(regex.source))
        assertGrowsWithSize(
          length,
          (size) => {
            const text = textOf(size)
            return () => {
              regex.lastIndex = 0
              if (regex.global) text.replaceAll(regex, '')
              else regex.test(text)
            }
          },
          `${regex} over ${JSON.stringify(textOf(8))}`,
        )
    })
  }

  it('are never built from what comes in', () => {
    const built = sourceFiles.flatMap(({ path, text }) =>
      [...text.matchAll(/new RegExp\(([^)]*)\)/g)].map((match) => `${path}: ${match[1]}`),
    )
    assert.deepEqual(
      [...new Set(built.map((one) => one.split(': ')[1]))].sort(),
      // `pattern` and `schema` are patterns of schemas of ours: one to find an example for, one to check. `ownPattern` is made of
      // constants in the same file.
      ["ownPattern, 'gu'", "ownPattern, 'u'", "pattern, 'u'", "plainText, 'u'", "schema, 'u'"],
      built.join('\n'),
    )
  })
})
