import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nullable, oneOf, patchOf, strictObject } from '../../../core/contract/fields.ts'
import { Type } from '../../../core/contract/schema.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { asSchema } from './schema.ts'
import { buildObject, parseAssignment, readText } from './values.ts'

test('a text is read by the type of its field', () => {
  const cases: [object, string, unknown][] = [
    [Type.Boolean(), 'true', true],
    [Type.Boolean(), 'false', false],
    [Type.Integer(), '-17', -17],
    [Type.Number(), '1.5', 1.5],
    [Type.String(), '17', '17'],
    [Type.String(), 'null', 'null'],
    [Type.String(), '', ''],
    [oneOf(['all', 'nothing']), 'all', 'all'],
    [Type.Array(Type.String()), 'a,b,c', ['a', 'b', 'c']],
    [Type.Array(Type.Integer()), '1, 2', [1, 2]],
    [Type.Array(Type.String()), '', []],
    [nullable(Type.Integer()), 'null', null],
    [nullable(Type.Integer()), '5', 5],
    [nullable(Type.String()), 'null', null],
    [nullable(Type.String()), 'text', 'text'],
    [Type.Union([Type.Integer(), Type.String()]), '5', 5],
    [Type.Union([Type.Integer(), Type.String()]), 'five', 'five'],
    [strictObject({ a: Type.Integer() }), '{"a":1}', { a: 1 }],
  ]
  for (const [schema, text, value] of cases) {
    assert.deepEqual(readText(asSchema(schema), text), value, `${JSON.stringify(schema)} ${text}`)
  }
})

test('a text that fits no type stays text, so that the check can name the fault', () => {
  assert.equal(readText(asSchema(Type.Boolean()), 'yes'), 'yes')
  assert.equal(readText(asSchema(Type.Integer()), '0x10'), '0x10')
  assert.equal(readText(asSchema(oneOf(['a'])), 'b'), 'b')
})

test('field=value and field:=json are distinguished by the first equals sign', () => {
  assert.deepEqual(parseAssignment('comment=a=b'), { name: 'comment', text: 'a=b', isJson: false })
  assert.deepEqual(parseAssignment('comment=a:=b'), { name: 'comment', text: 'a:=b', isJson: false })
  assert.deepEqual(parseAssignment('ports:=[1,2]'), { name: 'ports', text: '[1,2]', isJson: true })
  assert.deepEqual(parseAssignment('comment='), { name: 'comment', text: '', isJson: false })
})

test('what is not an assignment is refused as wrong usage', () => {
  for (const argument of ['enabled', '=x', ':=1', '']) {
    assert.throws(
      () => parseAssignment(argument),
      (error: unknown) => error instanceof CommandFailure && error.exitCode === exitCodes.usage,
    )
  }
})

const move = asSchema(strictObject({ params: strictObject({ id: Type.Integer(), insert_after: Type.Boolean() }) }))
const patch = asSchema(patchOf(strictObject({ enabled: Type.Boolean(), log_mode: oneOf(['all', 'nothing']) })))

const build = (schema: object, words: readonly string[], base = {}) =>
  buildObject(asSchema(schema), words.map(parseAssignment), base)

test('dots name fields inside fields', () => {
  assert.deepEqual(build(move, ['params.id=7', 'params.insert_after=false']).value, {
    params: { id: 7, insert_after: false },
  })
})

test('fields lie over the given data, and the later of two wins', () => {
  const base = { enabled: false, log_mode: 'all' }
  assert.deepEqual(build(patch, ['enabled=true', 'enabled:=false', 'enabled=true'], base).value, {
    enabled: true,
    log_mode: 'all',
  })
  assert.deepEqual(base, { enabled: false, log_mode: 'all' })
})

test('an unknown field is reported with the one that was meant and all there are', () => {
  assert.deepEqual(build(patch, ['enabld=true', 'zzzzzz=1']).problems, [
    { field: 'enabld', message: 'Unknown field. Did you mean enabled? Known fields: enabled, log_mode.' },
    { field: 'zzzzzz', message: 'Unknown field. Known fields: enabled, log_mode.' },
  ])
})

test('names every object has are no fields', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'params.__proto__']) {
    assert.equal(build(move, [`${name}=1`]).problems.length, 1, name)
  }
})

test('JSON that cannot be read is reported with its field', () => {
  assert.throws(() => build(patch, ['enabled:={']), /enabled is not valid JSON/)
})
