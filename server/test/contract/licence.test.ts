// The licence: without an operator's key any token registers; with one only what it signed, with every claim in place. The
// token itself never comes back.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { timedModules } from '../../src/areas/licence/contract.ts'
import { version } from '../../src/shared/version.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const unregistered = { registered: false, has_connection: false, license_server: '' }
const start = Date.UTC(2026, 0, 1) / 1000
const day = 86_400

const claims = {
  license_id: 'UTM-1234567890',
  license_type: 'commercial',
  company_id: 'c-1',
  start_date: start - day,
  expiration_date: start + 30 * day,
  not_upgrade_after: start + 20 * day,
  tech_support_end: start + 10 * day,
  modules: { suricata: start + 5 * day, cluster: start - 1, application_control: start + 30 * day },
  max_users_count: 22,
}

const operator = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const publicPem = operator.publicKey.export({ type: 'spki', format: 'pem' }) as string

const sign = (licence: unknown, key: KeyObject = operator.privateKey, payload: JWTPayload = {}): Promise<string> =>
  new SignJWT({ licence, ...payload }).setProtectedHeader({ alg: 'EdDSA' }).sign(key)

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

async function withGateway(
  key: string | null,
  test: (gateway: TestGateway, admin: Client) => Promise<void>,
): Promise<void> {
  const gateway = await createTestGateway(key === null ? {} : { licenceKey: key })
  try {
    await test(gateway, await gateway.client('predefined_admin_write'))
  } finally {
    await gateway.close()
  }
}

const register = (admin: Client, token: string) => admin('POST', '/license/register', { token })
const info = async (admin: Client) => (await admin('GET', '/license/info')).body

describe('an operator’s key that cannot be read', () => {
  it('is not a fault of the licence, and says so', () =>
    withGateway('no key', async (_gateway, admin) => {
      const { status, body } = await register(admin, await sign({}))
      assert.equal(status, 503)
      assert.match(body.message, /licence key on this machine cannot be read/)
    }))
})

describe('a licence without an operator’s key', () => {
  it('is short before the registration and full after it, with every module', () =>
    withGateway(null, async (_gateway, admin) => {
      assert.deepEqual(await info(admin), unregistered)
      const token = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'
      assert.equal((await register(admin, token)).status, 200)
      const shown = await info(admin)
      const far = Date.UTC(2100, 0, 1) / 1000
      const { server_id, ...rest } = shown
      assert.equal(server_id.length, 44)
      assert.deepEqual(rest, {
        modules: {
          ...Object.fromEntries(timedModules.map((name) => [name, { available: true, expiration_date: far }])),
          icsd: { available: true, max_users_count: 10_000 },
        },
        general: {
          available: true,
          reason: '',
          not_upgrade_after: far,
          tech_support_end: far,
          start_date: start,
          expiration_date: far,
        },
        license_type: 'free',
        license_id: 'UTM-0000000000',
        server_name: 'gateway-host',
        last_update_time: start,
        company_id: '',
        registered: true,
        unreliable: false,
        has_connection: false,
        license_server: '',
      })
    }))

  it('stays registered across a restart', async () => {
    let gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    await register(admin, 'x')
    const shown = await info(admin)
    gateway = await gateway.restart()
    assert.deepEqual(await info(await gateway.client('predefined_admin_write')), shown)
    await gateway.close()
  })

  it('takes any token of letters and digits, and refuses what is not one', () =>
    withGateway(null, async (_gateway, admin) => {
      for (const token of ['x', 'a.b.c', await sign(claims), 'A'.repeat(16_384)]) {
        assert.equal((await register(admin, token)).status, 200)
      }
      for (const token of ['', ' ', 'a b', 'a\nb', 'é', '<x>', 'a'.repeat(16_385)]) {
        const answer = await register(admin, token)
        assert.equal(answer.status, 422, JSON.stringify(token.slice(0, 20)))
        assert.equal(answer.body.problems[0].field, 'token')
      }
    }))
})

describe('a licence with an operator’s key', () => {
  it('says what the token says', () =>
    withGateway(publicPem, async (gateway, admin) => {
      assert.equal((await register(admin, await sign(claims))).status, 200)
      const shown = await info(admin)
      assert.deepEqual(shown.modules.suricata, { available: true, expiration_date: start + 5 * day })
      assert.deepEqual(shown.modules.cluster, { available: false, expiration_date: 0 })
      assert.deepEqual(shown.modules.active_directory, { available: false, expiration_date: 0 })
      assert.deepEqual(shown.modules.icsd, { available: true, max_users_count: 22 })
      assert.deepEqual(
        [shown.license_id, shown.license_type, shown.company_id],
        ['UTM-1234567890', 'commercial', 'c-1'],
      )
      assert.equal(shown.general.tech_support_end, start + 10 * day)
      gateway.clock.advance(6 * day)
      const later = await info(await gateway.client('predefined_admin_write'))
      assert.equal(later.modules.suricata.available, false)
      assert.equal(later.modules.application_control.available, true)
      gateway.clock.advance(30 * day)
      const expired = await info(await gateway.client('predefined_admin_write'))
      assert.equal(expired.general.available, false)
      assert.equal(expired.general.reason, 'The licence has expired.')
      assert.ok(Object.values(expired.modules).every((module) => !(module as { available: boolean }).available))
    }))

  it('that has not started is not usable yet', () =>
    withGateway(publicPem, async (_gateway, admin) => {
      await register(admin, await sign({ ...claims, start_date: start + day }))
      assert.deepEqual((await info(admin)).general.reason, 'The licence has not started yet.')
    }))

  it('is refused when another signed it, no one did, or the signature is played with', () =>
    withGateway(publicPem, async (gateway, admin) => {
      const good = await sign(claims)
      const [header = '', payload = '', signature = ''] = good.split('.')
      const hmac = (key: string): string => {
        const text = `${part({ alg: 'HS256' })}.${payload}`
        return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
      }
      const forged = [
        await sign(claims, stranger.privateKey),
        `${part({ alg: 'none' })}.${payload}.`,
        `${part({ alg: 'None' })}.${payload}.`,
        `${part({ alg: 'none' })}.${payload}.${signature}`,
        `${part({ alg: 'EdDSA', crit: ['x'], x: 1 })}.${payload}.${signature}`,
        `${part({ alg: 'EdDSA', jwk: stranger.publicKey.export({ format: 'jwk' }) })}.${payload}.${signature}`,
        hmac(publicPem),
        hmac(''),
        `${header}.${part({ licence: { ...claims, max_users_count: 9_999 } })}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}.${payload}.${signature.slice(0, -2)}`,
        `${good}.x`,
        'x'.repeat(32),
        'a.b.c',
        await sign(claims, operator.privateKey, { exp: 1 }),
        await sign(claims, operator.privateKey, { nbf: 4_102_444_800 }),
      ]
      const { revision } = gateway.engine
      for (const token of forged) {
        const answer = await register(admin, token)
        assert.equal(answer.status, 422, token.slice(0, 60))
        assert.deepEqual(answer.body.problems, [
          { field: 'token', message: 'The token is not signed with the operator’s licence key.' },
        ])
      }
      assert.equal(gateway.engine.revision, revision)
      assert.deepEqual(await info(admin), unregistered)
    }))

  it('is refused when a claim is missing or wrong, although the signature fits', () =>
    withGateway(publicPem, async (gateway, admin) => {
      const { license_id: _id, ...withoutId } = claims
      const wrong: unknown[] = [
        undefined,
        null,
        'text',
        [],
        {},
        withoutId,
        { ...claims, license_id: 5 },
        { ...claims, license_id: 'x'.repeat(81) },
        { ...claims, expiration_date: '2030' },
        { ...claims, modules: { suricata: true } },
        { ...claims, modules: [] },
        { ...claims, max_users_count: -1 },
        { ...claims, max_users_count: 1.5 },
      ]
      const { revision } = gateway.engine
      for (const licence of wrong) {
        const answer = await register(admin, await sign(licence))
        assert.equal(answer.status, 422, JSON.stringify(licence))
        assert.equal(answer.body.problems[0].field, 'token')
      }
      assert.equal(gateway.engine.revision, revision)
    }))

  it('replaces the one before, and a refused one leaves it as it is', () =>
    withGateway(publicPem, async (_gateway, admin) => {
      await register(admin, await sign(claims))
      await register(admin, await sign({ ...claims, license_id: 'UTM-2' }))
      assert.equal((await info(admin)).license_id, 'UTM-2')
      await register(admin, 'nonsense')
      assert.equal((await info(admin)).license_id, 'UTM-2')
    }))

  it('never gives the token back', () =>
    withGateway(publicPem, async (gateway, admin) => {
      const token = await sign(claims)
      const answers = [
        await register(admin, token),
        await admin('POST', '/license/register?dry_run=true', { token: await sign(claims) }),
      ]
      for (const url of [
        '/license/info',
        '/config/revisions',
        `/config/revisions/${gateway.engine.revision}`,
        '/journal/records',
      ]) {
        answers.push(await admin('GET', url))
      }
      const signature = token.split('.')[2] ?? ''
      for (const { text } of answers) assert.ok(!text.includes(signature) && !text.includes('sealed'))
    }))
})

describe('a licence file', () => {
  const upload = (admin: Client, file: string | Buffer, query = '') =>
    admin('PUT', `/license/license-upload${query}`, file)

  it('registers as its token would, with or without a line end', () =>
    withGateway(publicPem, async (gateway, admin) => {
      const token = await sign(claims)
      assert.equal((await upload(admin, token, '?dry_run=true')).status, 200)
      assert.deepEqual(await info(admin), unregistered)
      assert.equal((await upload(admin, `${token}\r\n`)).status, 200)
      const shown = await info(admin)
      assert.equal(shown.license_id, claims.license_id)
      assert.equal((await upload(admin, await sign({ ...claims, license_id: 'UTM-2' }))).status, 200)
      assert.equal((await info(admin)).license_id, 'UTM-2')
      const signature = token.split('.')[2] ?? ''
      for (const url of [`/config/revisions/${gateway.engine.revision}`, '/journal/records']) {
        assert.ok(!(await admin('GET', url)).text.includes(signature))
      }
    }))

  it('is refused when another signed it, a claim is missing, or it is not a token', () =>
    withGateway(publicPem, async (gateway, admin) => {
      const good = await sign(claims)
      const { revision } = gateway.engine
      for (const file of [
        await sign(claims, stranger.privateKey),
        await sign({}),
        `${good}\n${good}`,
        `"${good}"`,
        JSON.stringify({ token: good }),
        'A1b2C3d4E5f6G7h8',
        ' ',
        `${'a'.repeat(16_380)}.b.c`,
        Buffer.from([0xff, 0xfe, 0]),
      ]) {
        const answer = await upload(admin, file)
        assert.equal(answer.status, 422, String(file).slice(0, 40))
        assert.equal(answer.body.problems[0].field, 'body')
      }
      assert.equal((await upload(admin, '')).status, 400)
      assert.equal(gateway.engine.revision, revision)
      assert.deepEqual(await info(admin), unregistered)
    }))

  it('without an operator’s key needs only the form of a token', () =>
    withGateway(null, async (_gateway, admin) => {
      assert.equal((await upload(admin, 'A1b2C3d4')).status, 422)
      assert.equal((await upload(admin, 'a.b.c')).status, 200)
      assert.equal((await info(admin)).registered, true)
    }))
})

describe('the renewal of a licence', () => {
  it('is by hand at first, changes, and stays so across a restart', async () => {
    let gateway = await createTestGateway()
    let admin = await gateway.client('predefined_admin_write')
    const shown = async () => (await admin('GET', '/license/update-type')).body
    assert.deepEqual(await shown(), { update_type: 'manual' })
    assert.equal((await admin('PATCH', '/license/update-type', { update_type: 'auto' })).status, 200)
    const answer = await admin('PATCH', '/license/update-type', { update_type: 'sometimes' })
    assert.deepEqual([answer.status, answer.body.problems[0].field], [422, 'update_type'])
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await shown(), { update_type: 'auto' })
    await gateway.close()
  })

  it('gives the address for a registration only while it is by hand', () =>
    withGateway(null, async (_gateway, admin) => {
      const path = '/license/license-get-offline-registration-url'
      await register(admin, 'x')
      const { server_id } = await info(admin)
      const url = new URL((await admin('GET', path)).body.registration_url)
      assert.deepEqual(Object.fromEntries(url.searchParams), { server_name: 'gateway-host', hwid: server_id, version })
      assert.equal(url.hostname, 'licence.invalid')
      await admin('PATCH', '/license/update-type', { update_type: 'auto' })
      assert.equal((await admin('GET', path)).status, 409)
      await admin('PATCH', '/license/update-type', { update_type: 'manual' })
      assert.equal((await admin('GET', path)).status, 200)
    }))
})
