// No secret reaches a log: every field of the contract that takes one is filled with a text of its own, in calls that succeed and
// in calls that are refused for every reason. Then records, lines, the audit trail and the files of the log are searched.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { logsService, refreshLogsService } from '../../src/areas/logs/service.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { createLog } from '../../src/core/log.ts'
import type { KeptRecord } from '../../src/domain/logs/record.ts'
import { ask, changingEndpoints, fillPath } from '../contract/contract.ts'
import { type JsonSchema, sample, schemaOf } from '../contract/samples.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

/** Names of fields that take a secret. */
const secretName = /password|passphrase|secret|psk|private_key|token|recovery_key|^key$/i

/** Paths of the secret fields of a body. */
function secretsIn(schema: JsonSchema, path: readonly string[] = []): string[][] {
  const branch = schema.anyOf?.find(({ properties }) => properties) ?? schema
  return Object.entries(branch.properties ?? {}).flatMap(([name, field]) => {
    const at = [...path, name]
    const isText = [field, ...(field.anyOf ?? [])].some(({ type }) => type === 'string')
    return [...(secretName.test(name) && isText ? [at] : []), ...secretsIn(field, at)]
  })
}

const takers = changingEndpoints.flatMap((endpoint) =>
  endpoint.body === null ? [] : secretsIn(schemaOf(endpoint.body)).map((path) => ({ endpoint, path })),
)

function withSecret(body: unknown, [name = '', ...rest]: readonly string[], secret: string): unknown {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  return { ...fields, [name]: rest.length === 0 ? secret : withSecret(fields[name], rest, secret) }
}

describe('a secret that a client sends', () => {
  let folder: string
  let gateway: TestGateway
  let admin: Client
  let reader: Client
  const lines: string[] = []
  const secrets: string[] = []
  const statuses = new Map<string, number[]>()
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-log-secrets-'))
    const log = createLog((line) => lines.push(line))
    gateway = await createTestGateway({
      folder,
      parts: { log, logs: createStoredLogs(folder), logsRequests: true, checkReplies: false },
    })
    admin = await gateway.client('predefined_admin_write')
    reader = await gateway.client('predefined_admin_readonly')
    for (const { endpoint, path } of takers) await send(endpoint, path)
  })
  after(() => gateway.close())

  /** In a call that may succeed, a dry run, refused ones of each kind, and as text in other places of the request. */
  async function send(endpoint: Endpoint, path: readonly string[]): Promise<void> {
    const secret = `Canary${secrets.length}x7f3a9c51be2`
    secrets.push(secret)
    const body = withSecret(sample(schemaOf(endpoint.body as NonNullable<Endpoint['body']>)), path, secret)
    const url = fillPath(endpoint.path)
    const call = async (client: Client, sent: unknown, query = ''): Promise<void> => {
      const { status } = await client(endpoint.method, url + query, sent)
      statuses.set(nameOf(endpoint), [...(statuses.get(nameOf(endpoint)) ?? []), status])
    }
    await call(admin, body)
    if (endpoint.effect === 'configuration') await call(admin, body, '?dry_run=true')
    await call(admin, { ...(body as object), unknown_field: secret })
    await call(admin, withSecret(body, path, `${secret}${'y'.repeat(5_000)}`))
    await call(admin, JSON.stringify(body).slice(0, -1))
    await call(reader, body)
    await ask(gateway, { method: endpoint.method, url, body })
    // A sign-in by one of these calls, or a new password, must not end what follows.
    admin = await gateway.client('predefined_admin_write')
    reader = await gateway.client('predefined_admin_readonly')
  }

  const assertAbsent = (title: string, text: string | Buffer): void => {
    for (const secret of secrets) {
      assert.equal(text.indexOf(secret), -1, `${secret} in ${title}`)
      assert.equal(text.indexOf(secret.toLowerCase()), -1, `${secret} in lower case in ${title}`)
      assert.equal(text.indexOf(Buffer.from(secret).toString('base64').slice(0, 16)), -1, `as base64 in ${title}`)
    }
  }

  it('goes through every endpoint that takes one', () => {
    assert.ok(
      takers.length >= 15,
      takers.map(({ endpoint, path }) => `${nameOf(endpoint)} ${path.join('.')}`).join('\n'),
    )
    const taken = [...statuses.values()].filter((all) => all.some((status) => status < 300))
    assert.ok(taken.length >= 3, 'some calls succeed')
    for (const [name, all] of statuses)
      assert.ok(
        all.some((status) => status >= 400),
        `${name} is refused too`,
      )
  })

  it('is in no record of the log and in none of its files', async () => {
    gateway.services.audit.flush()
    await gateway.services.of(refreshLogsService)()
    const records: KeptRecord[] = []
    for (let place = 0; ; ) {
      const found = await gateway.services.of(logsService).after(place, 1_000)
      records.push(...found.records)
      if (found.place === place) break
      place = found.place
    }
    assert.ok(records.filter(({ kind }) => kind === 'administration').length > takers.length)
    for (const record of records) assertAbsent('a record', JSON.stringify(record))
    const files = readdirSync(folder).filter((name) => name.startsWith('log'))
    assert.ok(files.includes('logs.db'))
    for (const name of files) assertAbsent(name, readFileSync(join(folder, name)))
  })

  it('is in no line that the gateway writes, and not in the audit trail', async () => {
    assert.ok(lines.length > takers.length)
    for (const line of lines) assertAbsent('a line', line)
    assertAbsent('the audit trail', (await admin('GET', '/journal/records?limit=10000')).text)
  })
})
