// The OpenAPI document: the copy in the repository is what is served, it holds every endpoint, and nothing that is not one.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { accessTable } from '../../src/core/contract/access.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { operationId } from '../../src/core/contract/openapi.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { statusOf } from '../../src/gatewayd/http/errors.ts'
import { exceptions } from '../support/exceptions.ts'
import { createTestGateway, testPassword } from '../support/test-gateway.ts'
import { ask, endpoints } from './contract.ts'
import { openApiText } from './openapi-text.ts'

interface Media {
  readonly schema: unknown
  readonly example?: unknown
}

interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: TSchema
  readonly example?: unknown
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security?: readonly unknown[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-access': string
}

type Path = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] }

interface Scheme {
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
  readonly description: string
}

interface Server {
  readonly url: string
  readonly variables?: Readonly<Record<string, { readonly default: string }>>
}

/** The same with and without the flag for Unicode, which readers of the document set or not. */
function isPlainPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== null && !/\\[pP]\{|\\u\{/.test(pattern)
  } catch {
    return false
  }
}

interface Document {
  readonly openapi: string
  readonly servers: readonly Server[]
  readonly security: readonly unknown[]
  readonly 'x-access-roles': unknown
  readonly paths: Readonly<Record<string, Path>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const golden = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
const plainDocument = JSON.parse(openApiText()) as Document
/** Without the kinds of components that are not referred to by `$ref`. */
const { securitySchemes: _schemes, ...componentsByKind } = plainDocument.components

/** The value with what its references lead to in their place. */
function resolved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(resolved)
  if ('$ref' in value) {
    const [kind = '', name = ''] = String(value.$ref).split('/').slice(2)
    const component = componentsByKind[kind]?.[name]
    assert.ok(component, `${value.$ref} leads nowhere`)
    return resolved(component)
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner)]))
}

const document = resolved(plainDocument) as Document
const operations = Object.entries(document.paths).flatMap(([path, { parameters: common = [], ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: { ...operation, parameters: [...common, ...(operation.parameters ?? [])] },
  })),
)

function operationOf(endpoint: Endpoint): Operation {
  const found = operations.find(({ operation }) => operation.operationId === operationId(endpoint))
  assert.ok(found, nameOf(endpoint))
  return found.operation
}

/** A schema as it is published: names are in the references. */
function withoutTitles(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(withoutTitles)
  const { properties, ...rest } = schema as Record<string, unknown>
  const { title: _name, ...others } = Object.fromEntries(
    Object.entries(rest).map(([name, inner]) => [name, withoutTitles(inner)]),
  )
  if (properties === undefined) return others
  const fields = Object.entries(properties as object).map(([name, inner]) => [name, withoutTitles(inner)])
  return { ...others, properties: Object.fromEntries(fields) }
}

const json = 'application/json'

/** Passwords of providers are shown to full administrators and masked for others; RADIUS secrets are always masked. */
const shownOrMasked = new Set(
  exceptions('paths that show or mask a secret', [
    '/backup/settings',
    '/network/connections',
    '/admins-radius-auth/settings',
    '/monitor_backend/snmp/settings',
  ]),
)

describe('the OpenAPI document', () => {
  it('in docs/ is the one of this source; npm run golden rewrites it', () => assert.equal(golden, openApiText()))

  it('is served to everyone, as it is in docs/', async () => {
    const gateway = await createTestGateway()
    const answer = await ask(gateway, { method: 'GET', url: '/openapi.json' })
    await gateway.close()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(answer.text, golden)
  })

  it('is served with the cookies of the brand, which are those of the sign-in', async () => {
    for (const brand of ['portcullis', 'other-Brand7']) {
      const gateway = await createTestGateway({ parts: { brand } })
      await gateway.addAdministrator('root', 'predefined_admin_write')
      const { text } = await ask(gateway, { method: 'GET', url: '/openapi.json' })
      const payload = JSON.stringify({ login: 'root', password: testPassword, rest_path: '/' })
      const signedIn = await gateway.http.inject({ method: 'POST', url: '/web/auth/login', payload })
      await gateway.close()
      const set = [signedIn.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split('=')[0] ?? '')
      const { session, cookies } = (JSON.parse(text) as Document).components.securitySchemes as Record<string, Scheme>
      assert.equal(session?.in, 'cookie')
      assert.ok(set.includes(session.name ?? ''), `${session.name} is none of ${set.join(', ')}`)
      assert.deepEqual([cookies?.in, cookies?.name], ['header', 'Cookie'])
      for (const name of set) assert.ok(cookies?.description.includes(name.replace(/[0-9a-f-]{36}$/, 'UUID')), name)
      if (brand !== 'portcullis') assert.doesNotMatch(text, /(?:insecure|__Secure)-portcullis/)
    }
  })

  it('has what generators and linters need: servers, real names, items of arrays and plain patterns', () => {
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['https://{address}', '/'],
    )
    assert.equal(document.servers[0]?.variables?.address?.default, '127.0.0.1:8443')
    const schemes = plainDocument.components.securitySchemes as Record<string, Scheme>
    assert.deepEqual(document.security, [{ session: [], cookies: [] }])
    // Every scheme is used, and every one that is used is described.
    const asked = [document.security, ...operations.map(({ operation }) => operation.security ?? [])]
    const named = asked.flat().flatMap((one) => Object.keys(one as object))
    assert.deepEqual([...new Set(named)].sort(), Object.keys(schemes).sort())
    // A token of RFC 9110, as names of headers and cookies are.
    for (const { name, scheme } of Object.values(schemes))
      assert.match(name ?? scheme ?? '', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
    const faults: string[] = []
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, items, pattern } = value as Readonly<Record<string, unknown>>
      if (type === 'array' && (typeof items !== 'object' || items === null)) faults.push(`${at}: no items`)
      if (typeof pattern === 'string' && !isPlainPattern(pattern)) faults.push(`${at}: ${pattern}`)
      for (const [name, inner] of Object.entries(value))
        if (name !== 'example' && name !== 'examples' && name !== 'enum') look(inner, `${at}/${name}`)
    }
    look(plainDocument, '')
    assert.deepEqual(faults, [])
  })

  it('is the same each time it is made', () => assert.equal(openApiText(), openApiText()))

  it('holds every endpoint, and every path in it is one', () => {
    const documented = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`,
    )
    assert.deepEqual(documented.sort(), endpoints.map(nameOf).sort())
  })

  it('gives each operation its own name and a summary', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(names).size, names.length)
    for (const { path, method, operation } of operations) {
      const title = `${method} ${path}`
      assert.match(operation.operationId, /^[a-z0-9_]+$/, title)
      assert.ok(operation.summary.length > 5, title)
    }
  })

  // It grows with the endpoints; more bytes for each of them would mean that schemas are repeated in place.
  it('takes less than 1,750 bytes for each operation', () => {
    const each = golden.length / operations.length
    assert.ok(each < 1_750, String(each))
  })

  it('says of each operation who may call it and what it takes', () => {
    assert.deepEqual(document['x-access-roles'], accessTable)
    assert.equal(document.security.length, 1)
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const operation = operationOf(endpoint)
      assert.equal(operation['x-access'], endpoint.access, name)
      const asked = endpoint.access !== 'public' ? undefined : endpoint.takesToken ? [{ token: [] }] : []
      assert.deepEqual(operation.security, asked, name)
      assert.equal(operation.requestBody !== undefined, endpoint.body !== null || endpoint.rawBodyType !== null, name)
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name: one }) => one)
      assert.deepEqual(inPath, endpoint.params, name)
      const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name: one }) => one)
      const own = Object.keys(endpoint.query.properties)
      const changing = endpoint.effect === 'configuration' ? ['dry_run', 'cut_connections'] : []
      assert.deepEqual(inQuery.sort(), [...own, ...changing].sort(), name)
    }
  })

  it('describes bodies and replies as the endpoints do', () => {
    const dryRun = document.components.schemas?.DryRun
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const { requestBody, responses } = operationOf(endpoint)
      if (endpoint.body) assert.deepEqual(requestBody?.content[json]?.schema, withoutTitles(endpoint.body), name)
      const own = endpoint.reply && withoutTitles(endpoint.reply)
      const shown = responses[200]?.content?.[json]?.schema
      if (endpoint.effect !== 'configuration') assert.deepEqual(shown ?? null, own, name)
      else assert.deepEqual(shown, own ? { anyOf: [own, dryRun] } : dryRun, name)
    }
  })

  it('has an example that fits for every parameter, JSON body and reply', () => {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const { parameters, requestBody, responses } = operationOf(endpoint)
      if (endpoint.body) assert.deepEqual(faultsOf(endpoint.body, requestBody?.content[json]?.example), [], name)
      if (endpoint.reply) assert.deepEqual(faultsOf(endpoint.reply, responses[200]?.content?.[json]?.example), [], name)
      for (const parameter of parameters) {
        const { schema, example } = parameter.content?.[json] ?? parameter
        assert.notEqual(example, undefined, `${name} ${parameter.name}`)
        assert.deepEqual(faultsOf(schema as TSchema, example), [], `${name} ${parameter.name}`)
      }
    }
  })

  it('describes every error with its status, and its examples fit', () => {
    const { Error: body } = document.components.schemas as Readonly<Record<string, TSchema>>
    assert.ok(body)
    const { code } = (body as unknown as { properties: Record<string, { enum: string[]; description: string }> })
      .properties
    assert.deepEqual(code?.enum.toSorted(), Object.keys(statusOf).sort())
    for (const [name, status] of Object.entries(statusOf))
      assert.ok(code?.description.includes(`${status} \`${name}\``))
    for (const { path, method, operation } of operations) {
      const { 200: _success, ...errors } = operation.responses
      assert.ok(errors.default, `${method} ${path}`)
      for (const [status, { description, content }] of Object.entries(errors)) {
        const { schema, example } = content?.[json] ?? {}
        assert.deepEqual(schema, body)
        assert.deepEqual(faultsOf(body, example), [])
        const codes = [...description.matchAll(/`([a-z_]+)`:/g)].map((match) => match[1])
        assert.ok(codes.length > 0, description)
        if (status === 'default') continue
        assert.deepEqual(new Set(codes.map((one) => statusOf[one as keyof typeof statusOf])), new Set([Number(status)]))
      }
    }
  })

  it('has no component that nothing refers to', () => {
    for (const [kind, components] of Object.entries(componentsByKind)) {
      const unused = Object.keys(components).filter((name) => !golden.includes(`"#/components/${kind}/${name}"`))
      assert.deepEqual(unused, [])
    }
  })

  it('names components so that generated clients can use the names', () => {
    for (const [kind, components] of Object.entries(componentsByKind)) {
      const shape = kind === 'headers' ? /^[A-Za-z-]+$/ : /^[A-Z][A-Za-z0-9]*$/
      for (const name of Object.keys(components)) assert.match(name, shape)
    }
  })

  it('does not describe a secret as returned', () => {
    for (const { path, operation } of operations) {
      if (shownOrMasked.has(path)) continue
      assert.doesNotMatch(
        JSON.stringify(operation.responses),
        /"(?:password|password_hash|token|sealed|psw|secret)":/,
        path,
      )
    }
  })
})
