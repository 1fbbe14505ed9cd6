// The OpenAPI document: the copy in the repository is what is served, it holds every endpoint, and nothing that is not one.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { accessTable } from '../../src/contract/access.ts'
import { nameOf } from '../../src/contract/endpoint.ts'
import { operationId } from '../../src/contract/openapi.ts'
import { exceptions } from '../support/exceptions.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { ask, endpoints } from './contract.ts'
import { openApiText } from './openapi-text.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly unknown[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>
  readonly 'x-access': string
  readonly 'x-roles': readonly string[]
}

interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const golden = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(openApiText()) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

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

  it('is served to everybody, as it lies in docs/', async () => {
    const gateway = await createTestGateway()
    const answer = await ask(gateway, { method: 'GET', url: '/openapi.json' })
    await gateway.close()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(answer.text, golden)
  })

  it('is the same each time it is made', () => assert.equal(openApiText(), openApiText()))

  it('holds every endpoint, and every path in it is one', () => {
    const documented = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`,
    )
    assert.deepEqual(documented.sort(), endpoints.map(nameOf).sort())
  })

  it('gives each operation a name of its own, a summary and an error', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(names).size, names.length)
    for (const { path, method, operation } of operations) {
      const title = `${method} ${path}`
      assert.match(operation.operationId, /^[a-z0-9_]+$/, title)
      assert.ok(operation.summary.length > 5, title)
      assert.deepEqual(operation.responses.default?.content, {
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
      })
    }
  })

  it('says of each operation who may call it and what it takes', () => {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const { operation } = operations.find(({ operation: one }) => one.operationId === operationId(endpoint)) ?? {}
      assert.ok(operation, name)
      const isPublic = endpoint.access === 'public'
      assert.equal(operation.security.length, isPublic ? 0 : 1, name)
      assert.deepEqual(operation['x-roles'], isPublic ? [] : accessTable[endpoint.access], name)
      assert.equal(operation.requestBody !== undefined, endpoint.body !== null || endpoint.rawBodyType !== null, name)
      assert.equal(operation.responses[200]?.content !== undefined, endpoint.reply !== null, name)
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name: one }) => one)
      assert.deepEqual(inPath, endpoint.params, name)
      const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name: one }) => one)
      const own = Object.keys(endpoint.query.properties)
      assert.deepEqual(inQuery, endpoint.effect === 'configuration' ? [...own, 'dry_run'] : own, name)
    }
  })

  it('has only references that lead somewhere, and no secret is described as returned', () => {
    for (const [, name] of golden.matchAll(/"\$ref": "#\/components\/schemas\/([^"]+)"/g)) {
      assert.ok(document.components.schemas[name ?? ''], `${name} is missing`)
    }
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
