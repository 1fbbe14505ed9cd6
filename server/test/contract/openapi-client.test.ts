// A client that knows only the OpenAPI document, as one that was generated from it: it signs in as the document says, and makes a call of
// each kind of operation (method, form of the body, form of the reply). A reply has a form that the document names, and its schema.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { webCategoriesService } from '../../src/areas/content-filter/service.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { tarOf } from '../support/list-archive.ts'
import { type Answer, createTestGateway, testPassword } from '../support/test-gateway.ts'
import { multipart } from './backup-calls.ts'
import { openApiText } from './openapi-text.ts'

type Content = Readonly<Record<string, { readonly schema: unknown }>>
interface Operation {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: unknown
  readonly components: { readonly securitySchemes: { readonly session: { readonly name: string } } }
}

const plain = JSON.parse(openApiText()) as Document

/** The value with what its references lead to in their place. */
function resolved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(resolved)
  const { $ref } = value as { $ref?: string }
  if ($ref !== undefined) {
    const names = $ref.split('/').slice(1)
    return resolved(names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], plain))
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner)]))
}

const paths = resolved(plain.paths) as Record<string, Record<string, Operation>>
const methods = ['get', 'post', 'put', 'patch', 'delete']

const formsOf = (content: Content | undefined): string => Object.keys(content ?? {}).join(' or ') || 'nothing'
const kindOf = (method: string, { requestBody, responses }: Operation): string =>
  `${method}, sends ${formsOf(requestBody?.content)}, gets ${formsOf(responses['200']?.content)}`

const kinds = new Set(
  Object.values(paths).flatMap((item) =>
    methods.flatMap((method) => (item[method] ? [kindOf(method, item[method])] : [])),
  ),
)

interface Call {
  readonly path: string
  readonly method: string
  readonly at?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Where a new gateway has nothing to answer with, or does not take what a test can make. */
  readonly refusal?: 404 | 409 | 422
}

it('a client of the document alone makes a call of each kind', async (t) => {
  const gateway = await createTestGateway()
  t.after(() => gateway.close())
  await gateway.addAdministrator('root', 'predefined_admin_write')
  let cookie = ''
  const used = new Set<string>()

  async function call({ path, method, at = {}, query = '', body, headers = {}, refusal }: Call): Promise<Answer> {
    const operation = paths[path]?.[method]
    assert.ok(operation, `${method} ${path}`)
    const name = `${method} ${path}`
    const form = Object.keys(operation.requestBody?.content ?? {})[0]
    const isJson = form === 'application/json'
    const answer = await gateway.http.inject({
      method: method.toUpperCase() as 'GET',
      url: path.replaceAll(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(at[id] ?? '')) + query,
      headers: {
        host: 'gateway.test',
        ...(cookie === '' ? {} : { cookie }),
        ...(form === undefined || body === undefined ? {} : { 'content-type': form }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isJson ? JSON.stringify(body) : (body as Buffer) }),
    })
    assert.equal(answer.statusCode, refusal ?? 200, `${name}: ${answer.body}`)
    const response = operation.responses[String(answer.statusCode)] ?? operation.responses.default
    assert.ok(response, `${name} answers ${answer.statusCode}, which is not described`)
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? ''
    const isEmpty = answer.body === ''
    assert.ok(isEmpty ? true : response.content?.[type], `${name} answers with ${type}, which is not described`)
    const read = type === 'application/json' && !isEmpty ? JSON.parse(answer.body) : answer.body
    if (type === 'application/json' && !isEmpty)
      assert.deepEqual(faultsOf(response.content?.[type]?.schema as TSchema, read), [], name)
    used.add(kindOf(method, operation))
    return { status: answer.statusCode, text: answer.body, headers: answer.headers, body: read }
  }

  const { headers: set } = await call({
    path: '/web/auth/login',
    method: 'post',
    body: { login: 'root', password: testPassword, rest_path: '/' },
  })
  cookie = [(set['set-cookie'] ?? []) as string | string[]]
    .flat()
    .map((one) => one.split(';')[0])
    .join('; ')
  assert.ok(cookie.includes(`${plain.components.securitySchemes.session.name}=`))

  const { body: settings } = await call({ path: '/firewall/settings', method: 'get' })
  await call({ path: '/firewall/settings', method: 'patch', body: settings })
  const title = { title: 'one', comment: '' }
  const { body: made } = await call({
    path: '/aliases/ip_addresses',
    method: 'post',
    body: { ...title, value: '192.0.2.7' },
  })
  const one = { object_id: made.id }
  await call({ path: '/aliases/ip_addresses/{object_id}', method: 'delete', at: one, query: '?dry_run=true' })
  await call({ path: '/aliases/ip_addresses/{object_id}', method: 'delete', at: one })
  const { body: revisions } = await call({ path: '/config/revisions', method: 'get' })
  const revision_id = String(revisions[0].revision)
  await call({ path: '/config/revisions/{revision_id}/undo', method: 'post', at: { revision_id } })
  await call({
    path: '/content-filter/users_categories/{category_id}',
    method: 'put',
    at: { category_id: 'users.id.2' },
    body: { name: 'Forbidden', comment: '', urls: ['denied.example'] },
  })
  await call({ path: '/content-filter/rules/before/move', method: 'delete', body: {}, refusal: 422 })
  const { body: token } = await call({ path: '/health/metrics_token', method: 'post' })
  await call({ path: '/metrics', method: 'get', headers: { authorization: `Bearer ${token.bearer}` } })
  await call({ path: '/health/metrics_token', method: 'delete' })
  await call({ path: '/ips/custom_refusals', method: 'get' })
  await call({ path: '/ips/custom_refusals', method: 'get', query: '?format_type=CSV' })
  await call({ path: '/config/keys/rotate', method: 'post' })
  await call({ path: '/events', method: 'get' })
  const lists = gzipSync(tarOf([{ name: 'blacklists/gambling/domains', content: 'dice.test\n' }]))
  await call({ path: '/content-filter/update_archive_upload', method: 'put', body: lists })
  for (const path of ['/docs', '/docs/reference.js', '/docs/reference.css']) await call({ path, method: 'get' })
  await call({ path: '/vpn_servers/powershell/sstp', method: 'get', refusal: 409 })
  const rule = 'alert tcp any any -> any any (msg:"Own"; content:"abc"; sid:1001; rev:1;)\n'
  await call({ path: '/ips/custom_rules_file', method: 'post', body: Buffer.from(rule) })
  await call({ path: '/ips/rule_archives', method: 'post', body: Buffer.from('no archive'), refusal: 422 })
  const [form, formHeaders] = multipart(Buffer.from('no backup'))
  await call({ path: '/backup/upload', method: 'post', body: form, headers: formHeaders, refusal: 422 })
  await call({ path: '/central_console/root_ca', method: 'post', body: Buffer.from('no certificate'), refusal: 422 })
  await call({ path: '/license/license-upload', method: 'put', body: Buffer.from('no licence'), refusal: 422 })
  const event_id = '00000000-0000-4000-8000-000000000000'
  await call({
    path: '/security_events/journal/{event_id}/capture',
    method: 'get',
    at: { event_id },
    refusal: 404,
  })
  await gateway.services.of(webCategoriesService).build()

  assert.deepEqual(
    [...kinds].filter((kind) => !used.has(kind)),
    [],
    'no call of these kinds',
  )
})
