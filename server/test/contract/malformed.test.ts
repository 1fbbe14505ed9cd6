// Everything wrong that can be sent to an endpoint, made from its schemas: the answer names the fault, nothing changes,
// and it is never a fault of ours.
// Requirements 21 and 24.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TObject, TSchema } from 'typebox'
import { defaultBodyLimitBytes, type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { querySchemaOf } from '../../src/gatewayd/http/server.ts'
import { exceptions } from '../support/exceptions.ts'
import { sampleArea } from '../support/sample-area.ts'
import { type Answer, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type Ask, ask, endpoints, fillPath } from './contract.ts'
import { edgeBodies, faultyBodies, type JsonSchema, sample, schemaOf } from './samples.ts'

/** Fields whose form is checked by the handler, because it goes into a header. */
const checkedByHandler = new Set(
  exceptions('fields whose form a handler checks', [
    'POST /web/auth/login rest_path',
    'POST /aliases/port_ranges start',
    'POST /firewall/rules/dnat action',
    'POST /firewall/explain revision',
    'POST /ips/custom rule',
    'POST /dns/zones/root type',
    'POST /content-filter/rules access',
    'POST /content-filter/rules/before access',
    'POST /content-filter/rules/before redirect_url',
    'POST /content-filter/rules/after access',
    'POST /content-filter/rules/after redirect_url',
  ]),
)

/** Which fields go together depends on the type or on other objects; their own tests have the edges. */
const isEntwined = new Set(
  exceptions('endpoints whose fields depend on each other', [
    'POST /network/connections',
    'PUT /network/setup',
    'POST /network/tunnels',
    'POST /dns/zones/master',
    'POST /dhcp_server/settings',
    'POST /auth/rules',
    'POST /ad_backend/group_settings',
    'POST /ald_backend/group_settings',
    'PATCH /vpn_servers/settings',
    'POST /vpn_servers/lease_rules',
    'PATCH /agent_backend/agent-server/setting',
    'POST /mail/settings/general/ext_hdd',
    'PATCH /api/netflow-export/settings',
    'PATCH /netflow-export/settings',
    'PATCH /monitor_backend/zabbix_agent',
    'PUT /proxy_backend/certificate',
    'POST /content-filter/explain',
  ]),
)

/** This gateway was not installed as a package: it says so without reading the package. */
const refusedUnread = new Set(['PUT /sysupdate/iso-upload'])

/** By length: most endpoints have the same limit, and some of the texts are megabytes. */
const texts = new Map<number, Buffer>()

/** A text in JSON, with its quotes so many bytes long. */
function textOf(bytes: number): Buffer {
  const known = texts.get(bytes)
  if (known) return known
  const text = Buffer.alloc(bytes, 'x')
  text[0] = 0x22
  text[bytes - 1] = 0x22
  texts.set(bytes, text)
  return text
}

const all: readonly Endpoint[] = [...endpoints, ...sampleArea.routes.map((route) => route.endpoint)]
const withBody = all.filter((endpoint) => endpoint.body)

describe('a malformed request', () => {
  let gateway: TestGateway
  let cookie = ''
  let adminId = ''
  let source = 0
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [sampleArea] })
    cookie = (await gateway.client('predefined_admin_write')).cookie
    adminId = await gateway.addAdministrator('somebody', 'predefined_reports_view')
  })
  after(() => gateway.close())

  /** Each from its own address, so that no block or share of an address answers instead. */
  const send = (endpoint: Endpoint, rest: Partial<Ask>): Promise<Answer> => {
    source++
    const id = endpoint.path.includes('admin_id') ? adminId : undefined
    const url = fillPath(endpoint.path, id) + (rest.url ?? '')
    const from = `10.${source >> 16}.${(source >> 8) & 255}.${source & 255}`
    return ask(gateway, { method: endpoint.method, from, cookie, ...rest, url })
  }

  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const { revision } = gateway.engine
    await work()
    assert.equal(gateway.engine.revision, revision, 'a revision was made')
  }

  const assertNames = (answer: Answer, field: string, title: string): void => {
    assert.equal(answer.status, 422, `${title}: ${answer.text}`)
    const fields = answer.body.problems.map((problem: { field: string }) => problem.field)
    assert.ok(fields.includes(field), `${title}: ${field} is not among ${fields}`)
  }

  for (const endpoint of withBody) {
    const name = nameOf(endpoint)
    const schema = schemaOf(endpoint.body ?? ({} as never))

    it(`to ${name}: every wrong field is named`, () =>
      unchanged(async () => {
        for (const { title, body, field } of faultyBodies(schema)) {
          const answer = await send(endpoint, { body: JSON.stringify(body) })
          assertNames(answer, field, `${name} ${field} ${title}`)
        }
      }))

    it(`to ${name}: two faults are both named`, () =>
      unchanged(async () => {
        const body = { first_unknown: 1, second_unknown: 2 }
        const answer = await send(endpoint, { body })
        assertNames(answer, 'first_unknown', name)
        assertNames(answer, 'second_unknown', name)
      }))

    it(`to ${name}: what no JSON reader accepts is refused`, () =>
      unchanged(async () => {
        for (const body of ['{', '{"a":1', 'enabled=true', '{"enabled":true}}', '\u0000', "{'enabled':true}"]) {
          const answer = await send(endpoint, { body })
          assert.equal(answer.status, 400, `${name} ${body}`)
          assert.equal(answer.body.code, 'malformed')
        }
        const without = endpoint.isBodyOptional ? 404 : 400
        assert.equal((await send(endpoint, {})).status, without, `${name} without a body`)
      }))

    if (isEntwined.has(name)) continue
    it(`to ${name}: values at the edge of what fits are taken`, () =>
      unchanged(async () => {
        for (const { title, body, field } of edgeBodies(schema)) {
          if (checkedByHandler.has(`${name} ${field}`)) continue
          const dryRun = endpoint.effect === 'configuration' ? '?dry_run=true' : ''
          const answer = await send(endpoint, { body, url: dryRun })
          const expected = name === 'POST /web/auth/login' ? [401] : [200, 404]
          assert.ok(expected.includes(answer.status), `${name} ${field} ${title}: ${answer.status} ${answer.text}`)
        }
      }))
  }

  for (const endpoint of all.filter(({ method }) => method !== 'GET')) {
    const name = nameOf(endpoint)
    it(`to ${name}: a body beyond the limit is cut off`, () =>
      unchanged(async () => {
        assert.ok(endpoint.bodyLimitBytes >= defaultBodyLimitBytes)
        const answer = await send(endpoint, { body: textOf(endpoint.bodyLimitBytes + 1) })
        if (refusedUnread.has(name)) return assert.equal(answer.status, 409, name)
        assert.equal(answer.status, 413, name)
        assert.equal(answer.body.code, 'too_large')
        const justFits = await send(endpoint, { body: textOf(endpoint.bodyLimitBytes) })
        assert.equal(justFits.status, 422, name)
      }))
  }

  for (const endpoint of all) {
    const name = nameOf(endpoint)
    it(`to ${name}: every wrong parameter is named`, () =>
      unchanged(async () => {
        const body = endpoint.body ? sample(schemaOf(endpoint.body)) : undefined
        for (const { query, field, status } of faultyQueries(querySchemaOf(endpoint))) {
          const answer = await send(endpoint, { url: query, ...(body === undefined ? {} : { body }) })
          if (status === 400) assert.equal(answer.status, 400, `${name}${query}: ${answer.text}`)
          else assertNames(answer, field, `${name}${query}`)
          assert.equal(answer.body.problems[0].field, field, `${name}${query}`)
        }
      }))
  }

  for (const endpoint of all.filter(
    (candidate) => candidate.method !== 'GET' && !candidate.body && candidate.rawBodyType === null,
  )) {
    it(`to ${nameOf(endpoint)}: a body where none belongs is refused`, () =>
      unchanged(async () => {
        for (const body of [{ a: 1 }, [1], 'x', 1, true]) {
          assertNames(await send(endpoint, { body: JSON.stringify(body) }), 'body', nameOf(endpoint))
        }
      }))
  }
})

interface FaultyQuery {
  readonly query: string
  readonly field: string
  readonly status: 400 | 422
}

function faultyQueries(schema: TObject): FaultyQuery[] {
  const properties = Object.entries(schema.properties as unknown as Record<string, QueryField>)
  const faulty = [
    ...['not_a_parameter', '__proto__', 'constructor', 'toString'].map((field) => ({
      name: field,
      ...wrong(field, 'x'),
    })),
    ...properties.flatMap(([name, field]) => wrongQuery(name, field).map((one) => ({ name, ...one }))),
  ]
  // What must be there is there, so that only one parameter is wrong.
  const needed = properties.filter(([name]) => schema.required?.includes(name))
  return faulty.map(({ name, ...one }) => ({
    ...one,
    query: [one.query, ...needed.filter(([other]) => other !== name).map(goodQuery)].join('&'),
  }))
}

function goodQuery([name, field]: readonly [string, QueryField]): string {
  const value = sample(field)
  return `${name}=${encodeURIComponent(field['x-json-text'] ? JSON.stringify(value) : String(value))}`
}

type QueryField = JsonSchema & { readonly 'x-json-text'?: boolean }

const wrong = (field: string, value: string, status: 400 | 422 = 422, named = field): FaultyQuery => ({
  query: `?${field}=${encodeURIComponent(value)}`,
  field: named,
  status,
})

function wrongQuery(name: string, field: QueryField): FaultyQuery[] {
  if (field['x-json-text']) {
    return [
      ...['', 'id', '[', '["id"', '{"a":1,"a":2}', "['id']"].map((text) => wrong(name, text, 400)),
      ...['{}', '"id"', 'null', '1'].map((text) => wrong(name, text)),
      ...['["nope"]', '[1]', '[null]', '["password"]', '["password_hash"]'].map((t) =>
        wrong(name, t, 422, `${name}[0]`),
      ),
    ]
  }
  const twice: FaultyQuery = { query: `?${name}=1&${name}=2`, field: name, status: 422 }
  const outside = [
    ...(field.minimum === undefined ? [] : [String(field.minimum - 1)]),
    ...(field.maximum === undefined ? [] : [String(field.maximum + 1)]),
  ]
  const texts = ['', 'x', '1.5', '1e3', '0x10', ' 1', 'TRUE', '9'.repeat(40), '\u0000', '[]', 'null', ...outside]
  // A text may be any of these; then only those that its form refuses are wrong.
  const isWrong = (text: string) => field.type !== 'string' || faultsOf(field as unknown as TSchema, text).length > 0
  return [twice, ...texts.filter(isWrong).map((text) => wrong(name, text))]
}
