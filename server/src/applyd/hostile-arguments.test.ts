// No value of a request becomes an option of a program. Every text of a valid request of every verb is replaced by hostile
// ones: it must be refused, or be listed here as content that is never an argument of its own.
// Requirements 27 and 51.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePiece } from '../core/plan/nft-piece.ts'
import type { Verb } from '../core/plan/verbs.ts'
import { findUnit } from '../engines/kit/tables.ts'
import { Refusal } from '../engines/kit/values.ts'
import { chain, makeParsers, plan, requests, tables } from './stand-ins/valid-requests.ts'

const parsers = makeParsers()

/** Written to a file or a pipe, only shown, or behind the name of an option in the same argument (`--user=...`). */
const contents = /\.(text|head|origin|lines\.\d+)$|^ask\.args\.(share|folder|login|password)$/

const hostile = [
  '-s',
  '--config=/etc/passwd',
  '-',
  '-lan0',
  '\u2010s',
  '@x',
  ' -s',
  'a -s',
  'a\n-s',
  'a\0',
  '../a',
  '/etc/passwd',
  '$(id)',
  '`id`',
]

/** Every text in the value, with a function that makes the value with another text in its place. */
function* textsIn(value: unknown, path: string): Generator<[path: string, replaced: (text: string) => unknown]> {
  if (typeof value === 'string') yield [path, (text) => text]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const [place, replaced] of textsIn(inner, `${path}.${key}`))
      yield [
        place,
        (text) =>
          Array.isArray(value)
            ? value.map((one, index) => (String(index) === key ? replaced(text) : one))
            : { ...value, [key]: replaced(text) },
      ]
}

for (const [verb, request] of Object.entries(requests) as [Verb, unknown][])
  test(`L8: no text of ${verb} can be an option, a path or a command`, () => {
    parsers[verb](request)
    for (const [place, replaced] of textsIn(request, verb)) {
      if (contents.test(place)) continue
      for (const text of hostile)
        assert.throws(() => parsers[verb](replaced(text)), Refusal, `${place} = ${JSON.stringify(text)}`)
    }
  })

test('L8: no text of a change of a plan can be an option, a path or a command', () => {
  parsers.check({ number: 1, plan })
  const list = makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines: ['192.0.2.1'], origin: 'o' })
  const { parts, ...rest } = makePiece(chain())
  const changes = [[0, 1], list, { ...rest, name: 'd', base: 0, parts }]
  const change = {
    revision: 2,
    changed: [{ kind: 'nft', name: 'inet portcullis', changes }],
    removed: ['nft inet portcullis'],
  }
  for (const [place, replaced] of textsIn({ number: 2, base: 1, change }, 'check'))
    if (!contents.test(place))
      for (const text of hostile)
        assert.throws(() => parsers.check(replaced(text)), Refusal, `${place} = ${JSON.stringify(text)}`)
})

test('L8: no instance of a unit or of a file begins with a hyphen', () => {
  for (const template of tables.templates.keys())
    for (const instance of hostile) assert.equal(findUnit(tables, `${template}.${instance}`), undefined)
})
