// One reading of JSON: sixty documents that other readers take differently, and the property that what is printed is read
// back the same.
// Requirement 23.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertGrowsWithSize } from '../../../test/support/work.ts'
import { GatewayError } from '../contract/error.ts'
import { parseJson, parseJsonBytes } from './strict-json.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

const refusedTexts: readonly string[] = [
  '',
  ' ',
  '{',
  '}',
  '[',
  '{"a":1',
  '{"a":}',
  '{"a"}',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '[1,]',
  '[,]',
  '{"a":1}}',
  '{"a":1} {"b":2}',
  '{"a":1}\n{"b":2}',
  '{"a":1}x',
  '//c\n{}',
  '/*c*/{}',
  '{"a":undefined}',
  'NaN',
  '{"a":Infinity}',
  '{"a":-Infinity}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":0x10}',
  '{"a":1e}',
  '{"a":"\n"}',
  '{"a":"\t"}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"b}',
  'True',
  'nul',
  '\ufeff{}',
  '{}\ufeff',
  '\u00a0{}',
  // Valid JSON that two readers would not read alike.
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"x":{"a":1,"a":1}}',
  '[{"a":1,"b":2,"a":3}]',
  '{"":1,"":2}',
  '{"__proto__":{}}',
  '{"x":{"__proto__":1}}',
  '{"\\u005f_proto__":1}',
  '{"constructor":1}',
  '{"prototype":1}',
  '{"a":9007199254740992}',
  '{"a":-9007199254740993}',
  '{"a":1e400}',
  '{"a":-1e400}',
  '{"a":123456789012345678901234567890}',
  '{"a":1e16}',
  '{"a":"\\ud800"}',
  '{"a":"\\udc00\\ud800"}',
  '{"\\ud800":1}',
  '{"a":["\\udfff"]}',
  nested(21),
  `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`,
  nested(5_000),
  `${'[{"a":'.repeat(11)}1${'}]'.repeat(11)}`,
]

const refusedBytes: readonly [title: string, content: Buffer][] = [
  ['UTF-8 with a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}')],
  ['UTF-16 LE', Buffer.from('{"a":1}', 'utf16le')],
  ['UTF-16 with a byte order mark', bytes([0xff, 0xfe], [...Buffer.from('{}', 'utf16le')])],
  ['UTF-32', bytes([0x7b, 0, 0, 0, 0x7d, 0, 0, 0])],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ['an overlong slash', bytes('{"a":"', [0xc0, 0xaf], '"}')],
  ['half of a pair as UTF-8', bytes('{"a":"', [0xed, 0xa0, 0x80], '"}')],
  ['a character that is cut off', bytes('{"a":"', [0xf0, 0x9f, 0x98], '"}')],
  ['beyond Unicode', bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
  ['a NUL after it', bytes('{}', [0])],
  ['a NUL before it', bytes([0], '{}')],
  ['a form', Buffer.from('a=1&b=2')],
  ['gzip', bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
]

const isMalformed = (error: unknown): boolean => error instanceof GatewayError && error.code === 'malformed'

describe('a JSON document', () => {
  it('is refused when it is not one, or can be read in two ways', () => {
    assert.ok(refusedTexts.length >= 60)
    for (const text of refusedTexts) assert.throws(() => parseJson(text), isMalformed, text.slice(0, 80))
  })

  for (const [title, content] of refusedBytes) {
    it(`is refused as ${title}`, () => assert.throws(() => parseJsonBytes(content), isMalformed))
  }

  it('may be twenty levels deep', () => {
    assert.doesNotThrow(() => parseJson(nested(20)))
    assert.throws(() => parseJson(nested(21)), /nested deeper than 20/)
    assert.doesNotThrow(() => parseJson(`{"a":"${'['.repeat(100)}","b":"\\"${'{'.repeat(100)}"}`), 'brackets in text')
  })

  it('may hold every number that is kept exactly', () => {
    const numbers = [0, -0, 1, -1, 9_007_199_254_740_991, -9_007_199_254_740_991, 0.5, 1e-7, 1.5e10, 5e-324]
    for (const number of numbers) assert.deepEqual(parseJson(`{"a":${number}}`), JSON.parse(`{"a":${number}}`))
    assert.deepEqual(parseJson('{"a":1.0,"b":1e3,"c":-0}'), { a: 1, b: 1000, c: -0 })
  })

  it('may use the same name in different objects, and names of inherited things', () => {
    assert.deepEqual(parseJson('[{"a":1},{"a":{"a":2}}]'), [{ a: 1 }, { a: { a: 2 } }])
    const read = parseJson('{"toString":1,"hasOwnProperty":2,"valueOf":3}') as Record<string, unknown>
    assert.deepEqual(Object.keys(read), ['toString', 'hasOwnProperty', 'valueOf'])
  })

  it('leaves no trace on objects that are made later', () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}']) {
      assert.throws(() => parseJson(text), isMalformed)
      assert.equal(({} as { x?: unknown }).x, undefined)
    }
  })

  it('is read back as it was printed', () => {
    const value = fc.jsonValue({ maxDepth: 8, stringUnit: 'grapheme' })
    const forbidden = /"(?:__proto__|constructor|prototype)":/
    fc.assert(
      fc.property(value, (before) => {
        const text = JSON.stringify(before)
        fc.pre(!forbidden.test(text) && hasExactNumbers(before))
        assert.deepEqual(parseJson(text), JSON.parse(text))
        assert.equal(JSON.stringify(parseJsonBytes(Buffer.from(text))), text)
      }),
      { seed, numRuns: process.env.PORTCULLIS_NIGHTLY ? 20_000 : 1_000 },
    )
  })

  it('is never read when JSON.parse would not read it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u1e.- \nta'), maxLength: 30 }), (text) => {
        let plain: unknown
        try {
          plain = JSON.parse(text)
        } catch {
          assert.throws(() => parseJson(text), isMalformed)
          return
        }
        try {
          assert.deepEqual(parseJson(text), plain)
        } catch (error) {
          if (!isMalformed(error)) throw error
        }
      }),
      { seed, numRuns: process.env.PORTCULLIS_NIGHTLY ? 200_000 : 5_000 },
    )
  })

  it('is work that grows with its length, whatever it holds', () => {
    const worst: readonly ((size: number) => string)[] = [
      (size) => `[${'1,'.repeat(size / 2)}1]`,
      (size) => `{${Array.from({ length: size / 9 }, (_, index) => `"${index}":1`).join()}}`,
      (size) => `"${'\\\\'.repeat(size / 2)}"`,
      (size) => `["${'\\"'.repeat(size / 4)}"${' '.repeat(size / 2)}]`,
      (size) => '['.repeat(size),
      (size) => `{"a"${' '.repeat(size)}:1}`,
    ]
    for (const textOf of worst)
      assertGrowsWithSize(
        512 * 1024,
        (size) => {
          const text = textOf(size)
          return () => {
            try {
              parseJson(text)
            } catch (error) {
              assert.ok(isMalformed(error))
            }
          }
        },
        `Reading ${textOf(40)}`,
      )
  })
})

function hasExactNumbers(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasExactNumbers)
}
