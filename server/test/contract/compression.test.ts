// Every reply in every coding is the same reply: decoded, it has the bytes of the plain one. What carries a secret is never
// compressed (decision 53).

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { ipAddresses } from '../../src/areas/objects/config.ts'
import { eventStreamType } from '../../src/core/contract/endpoint.ts'
import { write } from '../../src/core/model/slots.ts'
import { type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'
import { endpoints, fillPath } from './contract.ts'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const
type Coding = keyof typeof decoders
const codings = Object.keys(decoders) as Coding[]

/** Also short replies are compressed for one who refuses the plain bytes. */
const only = (coding: Coding): string => `${coding}, identity;q=0`

const addressCount = 3_000
const addresses = '/aliases/ip_addresses'

describe('a compressed reply', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const items = Array.from({ length: addressCount }, (_, index) => ({
      id: `ip.id.${index + 1}`,
      title: `Host "${index}" \u00fc\u{1f600}`,
      comment: '',
      value: `10.1.${index >> 8}.${index & 255}`,
    }))
    await gateway.engine.change({
      edit: (config) => [write(config, ipAddresses, items), null],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
  })
  after(() => gateway.close())

  const get = async (url: string, headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const answer = await gateway.http.inject({
      method,
      url,
      headers: { host: 'gateway.test', cookie: admin.cookie, ...headers },
    })
    return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload }
  }

  it('of every endpoint that reads has the bytes of the plain one, and a tag of its own', async () => {
    let compressed = 0
    for (const { path } of endpoints.filter(({ method }) => method === 'GET').filter(isStill)) {
      const url = fillPath(path)
      const plain = await get(url)
      for (const coding of codings) {
        const answer = await get(url, { 'accept-encoding': only(coding) })
        assert.equal(answer.status, plain.status, url)
        assert.equal(answer.headers.vary, 'accept-encoding', url)
        if (answer.status !== 200) {
          assert.equal(answer.headers['content-encoding'], undefined, url)
          continue
        }
        if (answer.headers['content-encoding'] === undefined) {
          assert.ok(plain.bytes.length === 0 || isBinary(plain.headers['content-type']), url)
          continue
        }
        compressed++
        assert.equal(answer.headers['content-encoding'], coding, url)
        assert.ok(decoders[coding](answer.bytes).equals(plain.bytes), `${url} ${coding}`)
        const { etag } = plain.headers
        assert.equal(answer.headers.etag, etag && String(etag).replace(/"$/, `-${coding}"`), url)
        const length = answer.headers['content-length']
        if (length !== undefined) assert.equal(Number(length), answer.bytes.length, url)
      }
    }
    assert.ok(compressed > 300, `${compressed}`)
  })

  const isStill = ({ path }: { readonly path: string }): boolean => !path.startsWith('/journal')
  /** A file is compressed already, and an event must not wait for others. */
  const isBinary = (type: unknown): boolean =>
    ['application/octet-stream', eventStreamType].some((one) => String(type).startsWith(one))

  it('has the headers of its GET also for HEAD', async () => {
    for (const url of [addresses, '/firewall/settings', '/openapi.json', '/docs']) {
      for (const coding of codings) {
        const headers = { 'accept-encoding': only(coding) }
        const [full, head] = [await get(url, headers), await get(url, headers, 'HEAD')]
        for (const name of ['content-encoding', 'etag', 'vary', 'content-type']) {
          assert.equal(head.headers[name], full.headers[name], `${url} ${coding} ${name}`)
        }
        assert.equal(head.bytes.length, 0)
      }
    }
  })

  it('is sent from what is kept, also right after a change', async () => {
    for (let round = 0; round < 4; round++) {
      const path = `${addresses}/ip.id.${1 + round * 700}`
      const body = { title: `Changed ${round}`, comment: '', value: `10.2.0.${round}` }
      assert.equal((await admin('PATCH', path, body)).status, 200)
      const first = await get(addresses, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      assert.equal(first.headers['content-encoding'], 'gzip')
      const plain = await get(addresses)
      assert.ok(gunzipSync(first.bytes).equals(plain.bytes))
      assert.match(plain.bytes.toString(), new RegExp(`Changed ${round}`))
      assert.ok(first.bytes.length * 3 < plain.bytes.length)
    }
  })

  it('of a table as CSV has the lines of the plain one', async () => {
    const url = '/web/admins/local?format_type=CSV'
    const plain = await get(url)
    for (const coding of codings) {
      const answer = await get(url, { 'accept-encoding': only(coding) })
      assert.ok(decoders[coding](answer.bytes).equals(plain.bytes), coding)
    }
  })

  it('is known by its tag: to a read that has it already, and to a change that relies on it', async () => {
    for (const coding of codings) {
      const headers = { 'accept-encoding': only(coding) }
      const etag = String((await get('/firewall/settings', headers)).headers.etag)
      for (const known of [etag, `W/${etag}`, `"other-1", ${etag}`]) {
        const again = await get('/firewall/settings', { ...headers, 'if-none-match': known })
        assert.equal(again.status, 304, known)
        assert.equal(again.headers.etag, etag)
        assert.equal(again.headers['content-encoding'], undefined)
      }
      const other = etag.replace(/\d+-/, (revision) => `9${revision}`)
      assert.equal((await get('/firewall/settings', { ...headers, 'if-none-match': other })).status, 200)
      const change = (tag: string) =>
        admin('PATCH', '/firewall/settings', { log_mode: coding === 'br' ? 'all' : 'nothing' }, { 'if-match': tag })
      assert.equal((await change(other)).status, 412)
      assert.equal((await change(etag)).status, 200)
    }
  })

  it('is not made of a short one, unless plain bytes are refused', async () => {
    assert.equal(
      (await get('/firewall/settings', { 'accept-encoding': 'gzip' })).headers['content-encoding'],
      undefined,
    )
    assert.equal((await get(addresses, { 'accept-encoding': 'deflate' })).headers['content-encoding'], undefined)
  })

  it('is made of a long reply to a change, too, and leaves the tag of the change as it is', async () => {
    const url = '/firewall/settings?dry_run=true'
    const headers = { 'accept-encoding': only('gzip') }
    const answer = await gateway.http.inject({
      method: 'PATCH',
      url,
      payload: JSON.stringify({ automatic_snat_enabled: false }),
      headers: { host: 'gateway.test', cookie: admin.cookie, ...headers },
    })
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.equal(JSON.parse(gunzipSync(answer.rawPayload).toString()).dry_run, true)
  })

  it('is never one that sets cookies, shows a secret or is a refusal', async () => {
    const headers = { 'accept-encoding': only('gzip') }
    await gateway.addAdministrator('secretive', 'predefined_admin_write')
    const credentials = { login: 'secretive', password: testPassword, rest_path: '/' }
    const signIn = await (await gateway.client(null))('POST', '/web/auth/login', credentials, headers)
    assert.equal(signIn.status, 200)
    assert.ok(signIn.headers['set-cookie'])
    assert.equal(signIn.headers['content-encoding'], undefined)

    const ddns = { domain: 'a.example.org', service_login: 'me', service_password: 'hidden in plain sight' }
    const stored = await admin('PATCH', '/dns/ddns', ddns)
    assert.equal(stored.status, 200, stored.text)
    const shown = await get('/dns/ddns', headers)
    assert.match(shown.bytes.toString(), /hidden in plain sight/)
    assert.equal(shown.headers['content-encoding'], undefined)

    const refused = await admin('PATCH', '/firewall/settings', { x: 1 }, headers)
    assert.equal(refused.status, 422)
    assert.equal(refused.headers['content-encoding'], undefined)
  })
})
