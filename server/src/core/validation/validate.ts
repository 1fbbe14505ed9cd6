// Strict checks against the schemas of an endpoint: nothing is coerced, stripped or filled in, and every fault is named
// with its field. Schemas are compiled when first needed, because compiling all of them would dominate the start.

import { _, Ajv, type ErrorObject, type KeywordCxt, Name, type ValidateFunction } from 'ajv'
import { Type as DataPropType } from 'ajv/dist/compile/util.js'
import type { TObject, TSchema } from 'typebox'
import { say } from '../../shared/said.ts'
import { GatewayError, maxProblems, type Problem, refuse } from '../contract/error.ts'
import { problemsOf, type SchemaFault } from '../contract/faults.ts'
import { sizeFaults } from './bounds.ts'
import { parseJson } from './strict-json.ts'

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, unicodeRegExp: true, validateFormats: false })
stopAfterManyFaults()
skipPatternOfLongTexts()
countCharactersLate(
  'maxLength',
  (text, limit) => text.length > 2 * limit || (text.length > limit && [...text].length > limit),
)
countCharactersLate(
  'minLength',
  (text, limit) => text.length < limit || (text.length < 2 * limit && [...text].length < limit),
)
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** How Ajv calls the number of faults found so far in the code that it makes. */
const faultCount = new Name('errors')

/** A list of a million wrong entries is as wrong as one of a hundred. Counted for each list: one branch of a union may fail alone. */
function stopAfterManyFaults(): void {
  ajv.removeKeyword('items')
  ajv.addKeyword({
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    code: (cxt: KeywordCxt) => {
      const { gen, data, keyword, schema } = cxt
      // Only in the schema of schemas: anything may be an entry.
      if (schema === true) return
      const isValid = gen.let('valid', true)
      const isItemValid = gen.name('valid')
      const faultsBefore = gen.const('before', faultCount)
      gen.forRange('i', 0, _`${data}.length`, (i) => {
        cxt.subschema({ keyword, dataProp: i, dataPropType: DataPropType.Num }, isItemValid)
        gen.if(_`!${isItemValid}`, () => gen.assign(isValid, false))
        gen.if(_`${faultCount} - ${faultsBefore} >= ${maxProblems}`, () => gen.break())
      })
      cxt.ok(isValid)
    },
  })
}

/** Of a text that is far too long no more is said than that, whatever it consists of. */
function skipPatternOfLongTexts(): void {
  ajv.removeKeyword('pattern')
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    error: { message: 'pattern', params: ({ schemaCode }) => _`{pattern: ${schemaCode}}` },
    code: (cxt: KeywordCxt) => {
      const { gen, data, schema, parentSchema } = cxt
      const form = gen.scopeValue('pattern', { key: schema, ref: new RegExp(schema, 'u') })
      const longest = parentSchema?.maxLength === undefined ? Number.MAX_SAFE_INTEGER : 2 * parentSchema.maxLength
      cxt.fail(_`${data}.length <= ${longest} && !${form}.test(${data})`)
    },
  })
}

/**
 * Length is that of characters, which a text cannot have more of than units and not fewer than half as many. Counting them
 * in each of twenty thousand texts would take longer than everything else that is asked of them.
 */
function countCharactersLate(
  keyword: 'minLength' | 'maxLength',
  isWrong: (text: string, limit: number) => boolean,
): void {
  ajv.removeKeyword(keyword)
  ajv.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'number',
    error: { message: keyword, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code: (cxt: KeywordCxt) => {
      const wrong = cxt.gen.scopeValue('func', { ref: isWrong })
      cxt.fail(_`${wrong}(${cxt.data}, ${cxt.schemaCode})`)
    },
  })
}

function validatorOf(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}

export function faultsOf(schema: TSchema, value: unknown): readonly Problem[] {
  const tooLarge = sizeFaults(schema, value)
  if (tooLarge.length > 0) return tooLarge
  const validate = validatorOf(schema)
  return validate(value) ? [] : problemsOf((validate.errors ?? []).map(faultOf))
}

export function checkBody(schema: TSchema, body: unknown): void {
  if (body === undefined) {
    throw new GatewayError('malformed', say`This call needs a JSON body.`)
  }
  refuse(faultsOf(schema, body))
}

const faultOf = ({ keyword, instancePath, parentSchema, params }: ErrorObject): SchemaFault => {
  const property: unknown = params.missingProperty ?? params.additionalProperty
  const fault = { place: instancePath, keyword, schema: parentSchema ?? {} }
  return property === undefined ? fault : { ...fault, property: String(property) }
}

/** Query parameters are text: each is read as its schema says, then checked as strictly as a body. */
export function readQuery(schema: TObject, raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // Without a prototype: a parameter called __proto__ is an unknown one like any other.
  const query = Object.create(null) as Record<string, unknown>
  for (const name in raw) {
    const value = raw[name]
    const property = schema.properties[name] as QuerySchema | undefined
    query[name] = property && typeof value === 'string' ? readQueryText(name, property, value) : value
  }
  refuse(faultsOf(schema, query))
  return query
}

type QuerySchema = TSchema & { readonly type?: string; readonly 'x-json-text'?: boolean }

function readQueryText(name: string, schema: QuerySchema, text: string): unknown {
  if (schema['x-json-text']) {
    try {
      return parseJson(text)
    } catch (cause) {
      throw new GatewayError('malformed', say`The parameter ${name} is not valid JSON.`, {
        problems: [{ field: name, message: say`Not valid JSON.` }],
        cause,
      })
    }
  }
  if (schema.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
