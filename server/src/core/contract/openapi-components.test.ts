import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { type Endpoint, endpoint } from './endpoint.ts'
import type { JsonSchema } from './examples.ts'
import { named, patchOf, strictObject } from './fields.ts'
import { Schemas, SharedObjects } from './openapi-components.ts'
import { commonNoun, nounOf } from './openapi-names.ts'
import { Type } from './schema.ts'

const long = Type.String({ description: 'Long enough that a reference to it is shorter than the schema is, by far.' })
const Item = strictObject({ id: Type.String(), note: long })

const get = (path: string, reply: TSchema): Endpoint =>
  endpoint({ method: 'GET', path, access: 'view', summary: 'Show it', reply })
const post = (path: string, body: TSchema): Endpoint =>
  endpoint({ method: 'POST', path, access: 'configure', summary: 'Add it', body, reply: strictObject({ id: long }) })

const schemasOf = (...endpoints: readonly Endpoint[]): Schemas =>
  new Schemas(endpoints.map((one) => ({ area: one.path.split('/')[1] ?? '', endpoint: one })))

const refer = (schemas: Schemas, schema: TSchema): unknown => schemas.refer(schema as unknown as JsonSchema)
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('names of schemas', () => {
  it('come from the path and the method', () => {
    const list = get('/gate/rules', Type.Array(Item))
    const body = strictObject({ note: long })
    const schemas = schemasOf(post('/gate/rules', body), list)
    assert.deepEqual(refer(schemas, Type.Array(Item)), { type: 'array', items: ref('GateRule') })
    assert.deepEqual(refer(schemas, body), ref('NewGateRule'))
    assert.deepEqual(Object.keys(schemas.all()).sort(), ['GateRule', 'GateRuleNote', 'NewGateRule'])
  })

  it('come from what several paths have in common', () => {
    const schemas = schemasOf(get('/gate/rules/in', Type.Array(Item)), get('/gate/rules/out', Type.Array(Item)))
    assert.deepEqual(refer(schemas, Item), ref('GateRule'))
  })

  it('are titles where there are any, and patches follow them', () => {
    const titled = named('NewThing', strictObject({ note: long }))
    const patch = endpoint({
      method: 'PATCH',
      path: '/a/b',
      access: 'view',
      summary: 'Change it',
      body: patchOf(titled),
    })
    const schemas = schemasOf(post('/a/b', titled), patch)
    assert.deepEqual(refer(schemas, titled), ref('NewThing'))
    assert.deepEqual(refer(schemas, patchOf(titled)), ref('ThingPatch'))
    assert.equal(JSON.stringify(schemas.all()).includes('title'), false)
  })

  it('of a field that several areas have are those of the field', () => {
    const other = strictObject({ id: Type.Integer(), note: long })
    const schemas = schemasOf(get('/gate/rules', Item), get('/door/rules', other))
    assert.deepEqual(refer(schemas, long), ref('Note'))
  })

  it('are given only to what is a body, a reply or repeated and long', () => {
    const inner = strictObject({ once: Type.Boolean() })
    const whole = strictObject({ inner, short: Type.Boolean(), again: Type.Boolean() })
    const schemas = schemasOf(get('/gate', whole))
    assert.deepEqual(refer(schemas, whole), ref('Gate'))
    assert.deepEqual(schemas.all(), { Gate: { ...whole } })
  })

  it('are never given twice', () => {
    const one = named('Thing', strictObject({ a: Type.Boolean() }))
    const other = named('Thing', strictObject({ b: Type.Boolean() }))
    assert.throws(
      () => schemasOf(get('/a', one), get('/b', other)),
      /two schemas would be called Thing; give one a title/,
    )
  })

  it('do not depend on the wording, and are the same each time', () => {
    const endpoints = [get('/gate/rules', Type.Array(Item)), post('/gate/rules', strictObject({ note: long }))]
    const namesOf = (all: readonly Endpoint[]): string[] => {
      const schemas = schemasOf(...all)
      for (const { body, reply } of all) for (const schema of [body, reply]) if (schema) refer(schemas, schema)
      return Object.keys(schemas.all()).sort()
    }
    const reworded = endpoints.map((one) => ({ ...one, summary: 'Something else', description: 'Other words.' }))
    assert.deepEqual(namesOf(reworded), namesOf(endpoints))
  })
})

it('a path becomes a noun', () => {
  assert.equal(nounOf('/firewall/rules/forward/:rule_id'), 'FirewallRuleForward')
  assert.equal(nounOf('/aliases/ip_addresses'), 'AliasIpAddress')
  assert.equal(nounOf('/monitor_backend/snmp/settings'), 'MonitorSnmpSettings')
  assert.equal(nounOf('/mail/mail_queue'), 'MailQueue')
  assert.equal(nounOf('/content-filter/users_categories'), 'ContentFilterUsersCategory')
})

it('paths have a noun in common when at least two words are', () => {
  assert.equal(commonNoun(['/a/rules/in', '/a/rules/out/:id']), 'ARule')
  assert.equal(commonNoun(['/waf/categories', '/waf/profiles/:id/categories']), 'WafCategory')
  assert.equal(commonNoun(['/a/state', '/b/settings']), null)
})

it('what several operations have equally becomes a component under the first free name', () => {
  const use = (value: number) => ({ names: ['Limit', `Other${value}`], value: { maximum: value } })
  const shared = new SharedObjects('parameters', [use(1), use(2), use(2), use(1), use(3)])
  assert.deepEqual(shared.all(), { Limit: { maximum: 2 }, Other1: { maximum: 1 } })
  assert.deepEqual(shared.refer(use(1)), { $ref: '#/components/parameters/Other1' })
  assert.deepEqual(shared.refer(use(3)), { maximum: 3 })
})
