// The second factor at the portal: enrolment, replayed and parallel codes, clocks that jump, codes sent over real HTTPS, and a
// sign-in without its second factor that has no rights.
// Requirement 11.

import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { factorOf, secondFactors } from '../../src/areas/portal/lists-second-factors.ts'
import { createProviderCall } from '../../src/areas/portal/runs/provider-call.ts'
import { codeAt } from '../../src/areas/portal/runs/totp.ts'
import { portalService } from '../../src/areas/portal/service.ts'
import { users } from '../../src/areas/users/config.ts'
import { read } from '../../src/core/model/slots.ts'
import { ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { createPortalBench, localHost, type PortalBench, userPassword } from '../support/portal-calls.ts'

type Result = Awaited<ReturnType<PortalBench['signIn']>>
const within = { 'portcullis-confirm-within': '60' }
const wrong = { status: 'refused', reason: 'wrong' }

function waiting(result: Result) {
  assert.ok(result.status === 'second_factor', JSON.stringify(result))
  return result
}

const isIn = (result: Result): boolean => result.status === 'signed_in'

describe('an authenticator app', () => {
  let bench: PortalBench
  const codeOf = (secret: string, offset = 0): string =>
    codeAt(secret, Math.floor(bench.gateway.clock.wall / 30_000) + offset)
  const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const confirm = (ticket: string, code: string, address = localHost) =>
    bench.actions.confirm({ address, ticket, code })
  const later = (): void => bench.gateway.clock.advance(120)
  /** A user with an app. */
  async function enrolled(login: string, address = localHost): Promise<string> {
    await bench.addUser(login)
    const { ticket, enrolment } = waiting(await bench.signIn(login, userPassword, address))
    assert.ok(enrolment)
    assert.ok(isIn(await confirm(ticket, codeOf(enrolment.secret), address)))
    later()
    return enrolment.secret
  }

  before(async () => {
    bench = await createPortalBench()
    await bench.set({ two_factor: 'totp' })
  })
  after(() => bench.gateway.close())

  it('is taken over at the first sign-in, and not stored before the first right code', async () => {
    const { gateway, actions, network, admin } = bench
    const id = await bench.addUser('anna')
    const { ticket, factor, enrolment } = waiting(await bench.signIn('anna'))
    assert.equal(factor, 'totp')
    assert.ok(enrolment)
    assert.match(enrolment.uri, /^otpauth:\/\/totp\/portcullis:anna\?secret=[A-Z2-7]{32}&/)
    assert.deepEqual(network.calls, [])
    assert.equal(await actions.personal({ address: localHost, token: ticket }), null, 'a ticket is not a token')
    const [listed] = (await admin('GET', '/user_cabinet_backend/sessions')).body
    assert.deepEqual([listed.login, listed.status], ['anna', 'generating_totp'])
    assert.deepEqual(await confirm(ticket, otherThan(codeOf(enrolment.secret))), wrong)
    assert.deepEqual(read(gateway.engine.config, secondFactors), [])
    assert.ok(isIn(await confirm(ticket, codeOf(enrolment.secret))))
    assert.deepEqual(network.calls, ['open user.id.1 10.10.0.7'])
    const stored = factorOf(gateway.engine.config, id)
    assert.ok(stored)
    assert.equal(JSON.stringify(stored).includes(enrolment.secret), false)
    const { text } = await admin('GET', '/config/revisions')
    assert.match(text, /Authenticator app of a user/)
    assert.match(text, /"user anna"/)
    later()
    const second = waiting(await bench.signIn('anna'))
    assert.equal(second.enrolment, null)
    assert.ok(isIn(await confirm(second.ticket, codeOf(enrolment.secret))))
    assert.deepEqual(await confirm(second.ticket, codeOf(enrolment.secret, 1)), {
      status: 'refused',
      reason: 'expired',
    })
  })

  it('gives codes that work once, also for another sign-in and for many at the same moment', async () => {
    const secret = await enrolled('boris')
    const tickets = await Promise.all(
      Array.from({ length: 5 }, async () => waiting(await bench.signIn('boris', userPassword, '10.10.0.20')).ticket),
    )
    const results = await Promise.all(tickets.map((ticket) => confirm(ticket, codeOf(secret), '10.10.0.20')))
    assert.equal(results.filter(isIn).length, 1)
    later()
    const one = waiting(await bench.signIn('boris', userPassword, '10.10.0.21')).ticket
    const same = await Promise.all(Array.from({ length: 5 }, () => confirm(one, codeOf(secret), '10.10.0.21')))
    assert.equal(same.filter(isIn).length, 1)
    assert.equal(same.filter((result) => result.status === 'refused' && result.reason === 'expired').length, 4)
  })

  it('may be one step off, and follows a clock that jumps', async () => {
    const secret = await enrolled('carl')
    for (const [offset, isRight] of [
      [-2, false],
      [2, false],
      [-1, true],
      [1, true],
    ] as const) {
      const { ticket } = waiting(await bench.signIn('carl', userPassword, '10.10.0.30'))
      assert.equal(isIn(await confirm(ticket, codeOf(secret, offset), '10.10.0.30')), isRight, `${offset}`)
      later()
    }
    const used = codeOf(secret)
    assert.ok(isIn(await confirm(waiting(await bench.signIn('carl')).ticket, used)))
    bench.gateway.clock.wall += 3_600_000
    assert.ok(isIn(await confirm(waiting(await bench.signIn('carl')).ticket, codeOf(secret))))
    bench.gateway.clock.wall -= 3_600_000
    assert.deepEqual(await confirm(waiting(await bench.signIn('carl')).ticket, used), wrong, 'used before the jumps')
  })

  it('is not guessed: five tries of a ticket, and wrong codes count like wrong passwords', async () => {
    const secret = await enrolled('dora')
    const address = '10.10.0.40'
    const { ticket } = waiting(await bench.signIn('dora', userPassword, address))
    for (let turn = 0; turn < 5; turn++)
      assert.deepEqual(await confirm(ticket, otherThan(codeOf(secret)), address), wrong)
    assert.deepEqual(await confirm(ticket, codeOf(secret), address), { status: 'refused', reason: 'expired' })
    const again = waiting(await bench.signIn('dora', userPassword, address)).ticket
    assert.deepEqual(await confirm(again, 'no code', address), wrong, 'the right password in between clears nothing')
    assert.deepEqual(await confirm(again, codeOf(secret), address), {
      status: 'refused',
      reason: 'blocked',
      retrySeconds: 2_700,
    })
    const search = encodeURIComponent(JSON.stringify([{ text: 'utm-two-factor-codes', columns: ['message'] }]))
    const { body } = await bench.admin('GET', `/logs_backend/logs?search=${search}`)
    assert.equal(body.data[0].message, `NOTICE [utm-two-factor-codes] Ban ${address}`)
  })

  it('is stored once for two enrolments at the same time, and refused while nothing can change', async () => {
    const { gateway, admin } = bench
    await bench.addUser('erik')
    const [one, two] = [waiting(await bench.signIn('erik')), waiting(await bench.signIn('erik'))]
    assert.ok(one.enrolment && two.enrolment && one.enrolment.secret !== two.enrolment.secret)
    const results = await Promise.all([
      confirm(one.ticket, codeOf(one.enrolment.secret)),
      confirm(two.ticket, codeOf(two.enrolment.secret, 1)),
    ])
    assert.equal(results.filter(isIn).length, 1)
    await bench.addUser('frida')
    const probation = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false }, within)
    assert.equal(probation.status, 200, probation.text)
    const { ticket, enrolment } = waiting(await bench.signIn('frida'))
    assert.ok(enrolment)
    assert.deepEqual(await confirm(ticket, codeOf(enrolment.secret)), { status: 'refused', reason: 'no_second_factor' })
    gateway.engine.confirm()
    assert.ok(isIn(await confirm(ticket, codeOf(enrolment.secret, 1))), 'the same ticket, with the next code')
  })

  it('is reset by administrators of accounts, ends with the user, and survives a backup key', async () => {
    const { admin, gateway } = bench
    const secret = await enrolled('greta')
    const id = gateway.services.of(portalService).sessions.list().at(-1)?.userId ?? ''
    assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
    assert.ok(isIn(await confirm(waiting(await bench.signIn('greta')).ticket, codeOf(secret))))
    const { ticket } = waiting(await bench.signIn('greta'))
    const viewer = await gateway.client('predefined_admin_readonly')
    const path = `/user_backend/users/${id.replace('user.id.', '')}/second_factor`
    assert.equal((await viewer('DELETE', path)).status, 403)
    const accounts = await gateway.client('predefined_access_settings_admin')
    assert.equal((await accounts('DELETE', path)).status, 200)
    assert.equal((await accounts('DELETE', path)).status, 404)
    assert.deepEqual(await confirm(ticket, codeOf(secret, 1)), { status: 'refused', reason: 'expired' })
    const next = waiting(await bench.signIn('greta'))
    assert.ok(next.enrolment && next.enrolment.secret !== secret)
    assert.ok(isIn(await confirm(next.ticket, codeOf(next.enrolment.secret, -1))))
    assert.equal((await admin('DELETE', `/user_backend/users/${id}`)).status, 200)
    assert.equal(factorOf(gateway.engine.config, id), undefined)
  })

  it('waits no longer than its password: a new one, a denial and an administrator end what waits', async () => {
    const { admin, gateway } = bench
    const secret = await enrolled('hans')
    const id = gateway.services.of(portalService).sessions.list().at(-1)?.userId ?? ''
    const first = waiting(await bench.signIn('hans')).ticket
    assert.equal((await admin('PUT', `/user_backend/change_password/${id}`, { password: userPassword })).status, 200)
    assert.deepEqual(await confirm(first, codeOf(secret)), { status: 'refused', reason: 'expired' })
    later()
    const second = waiting(await bench.signIn('hans')).ticket
    const { body } = await admin('GET', '/user_cabinet_backend/sessions')
    const listed = body.find(
      ({ login, status }: Record<string, string>) => login === 'hans' && status === 'waiting_2fa',
    )
    assert.equal((await admin('DELETE', `/user_cabinet_backend/sessions/${listed.id}`)).status, 200)
    assert.deepEqual(await confirm(second, codeOf(secret)), { status: 'refused', reason: 'expired' })
  })

  it('stays used up over a restart', async () => {
    const secret = await enrolled('ivan')
    const code = codeOf(secret)
    assert.ok(isIn(await confirm(waiting(await bench.signIn('ivan')).ticket, code)))
    const gateway = await bench.gateway.restart()
    bench = { ...bench, gateway }
    const id = read(gateway.engine.config, users).find(({ login }) => login === 'ivan')?.id ?? ''
    assert.equal(gateway.services.of(portalService).codes.use(id, secret, code), false)
    assert.equal(gateway.services.of(portalService).codes.use(id, secret, codeOf(secret, 1)), true)
  })
})

describe('a code that is sent', () => {
  let bench: PortalBench
  let answer = '{"status":"accepted"}'
  const messages: Record<string, string>[] = []
  let server: ReturnType<typeof createServer>
  let chain = ''
  let port = 0
  const confirm = (ticket: string, code: string, address = localHost) =>
    bench.actions.confirm({ address, ticket, code })
  const codeIn = (text = ''): string => /\d{6}/.exec(text)?.[0] ?? ''

  before(async () => {
    let call: ReturnType<typeof createProviderCall> | null = null
    bench = await createPortalBench({
      parts: {
        codeProvider: {
          lookUp: async (name) => (name === 'provider.test' ? { address: '127.0.0.1' } : { fault: 'No such name.' }),
          call: (request) => call?.(request) ?? Promise.resolve('not ready'),
        },
      },
    })
    const made = await ensureCertificate(join(bench.gateway.folder, 'provider'), ['provider.test'], new Date())
    chain = made.chain
    call = createProviderCall('portcullis/1', chain)
    server = createServer({ key: made.key, cert: made.chain }, (request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => {
        body += part.toString('utf8')
      })
      request.on('end', () => {
        messages.push({ ...JSON.parse(body), authorization: String(request.headers.authorization) })
        response.setHeader('content-type', 'application/json')
        response.end(answer)
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    port = (server.address() as AddressInfo).port
    await bench.set({ two_factor: 'smssvc' })
    await bench.addUser('anna', { phone_number: '+1 (202) 555-0123' })
    await bench.addUser('boris')
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await bench.gateway.close()
  })
  const none = { status: 'refused', reason: 'no_second_factor' }

  it('is not sent while the provider is off, and then no one gets in', async () => {
    assert.deepEqual(await bench.signIn('anna'), none)
    const { status, body } = await bench.admin('PATCH', '/user_cabinet_backend/second_factor_providers', {
      smssvc: { enabled: true },
    })
    assert.equal(status, 422)
    assert.deepEqual(
      body.problems.map(({ field }: { field: string }) => field),
      ['smssvc.url', 'smssvc.key'],
    )
  })

  it('comes as the text of the settings, with the key that no reply shows', async () => {
    const url = `https://provider.test:${port}/sms`
    const sms = { enabled: true, url, key: 'canary-key-1', timeout_seconds: 20, text: 'Код {code} / {code}' }
    const path = '/user_cabinet_backend/second_factor_providers'
    assert.equal((await bench.admin('PATCH', path, { smssvc: sms })).status, 200)
    const shown = await bench.admin('GET', path)
    assert.deepEqual(shown.body.keys, ['smssvc'])
    assert.equal(shown.text.includes('canary-key-1'), false)
    const { ticket, factor, enrolment } = waiting(await bench.signIn('anna'))
    assert.deepEqual([factor, enrolment], ['smssvc', null])
    const [message = {}] = messages
    const code = codeIn(message.text)
    assert.deepEqual(message, {
      to: '+12025550123',
      text: `Код ${code} / ${code}`,
      authorization: 'Bearer canary-key-1',
    })
    assert.deepEqual(await confirm(ticket, code === '000000' ? '000001' : '000000'), wrong)
    const results = await Promise.all([confirm(ticket, code), confirm(ticket, code), confirm(ticket, code)])
    assert.equal(results.filter(isIn).length, 1)
    assert.deepEqual(await confirm(ticket, code), { status: 'refused', reason: 'expired' })
  })

  it('needs a phone number, is valid for 5 minutes, and belongs to one sign-in', async () => {
    const count = messages.length
    assert.deepEqual(await bench.signIn('boris'), none)
    assert.equal(messages.length, count)
    const one = waiting(await bench.signIn('anna')).ticket
    const two = waiting(await bench.signIn('anna')).ticket
    const [first, second] = messages.slice(-2).map(({ text }) => codeIn(text))
    if (first !== second) assert.deepEqual(await confirm(two, first ?? ''), wrong)
    bench.gateway.clock.advance(300)
    assert.deepEqual(await confirm(one, first ?? ''), { status: 'refused', reason: 'expired' })
  })

  it('is sent to a user five times in 15 minutes at most', async () => {
    bench.gateway.clock.advance(3_600)
    const count = messages.length
    const results: Result[] = []
    for (let turn = 0; turn < 7; turn++) results.push(await bench.signIn('anna'))
    assert.equal(messages.length - count, 5)
    assert.deepEqual(results.slice(5), [none, none])
  })

  it('that the provider did not accept lets no one in', async () => {
    bench.gateway.clock.advance(3_600)
    answer = '{"status":"queued"}'
    assert.deepEqual(await bench.signIn('anna'), none)
    answer = '{"status":"accepted"}'
    assert.deepEqual((await bench.admin('GET', '/user_cabinet_backend/sessions')).body, [])
  })

  it('goes through the multifactor provider by login', async () => {
    const url = `https://provider.test:${port}/push`
    const multifactor = { enabled: true, url, key: 'other-key', timeout_seconds: 20 }
    const path = '/user_cabinet_backend/second_factor_providers'
    assert.equal((await bench.admin('PATCH', path, { multifactor })).status, 200)
    await bench.set({ two_factor: 'multifactor' })
    const { ticket, factor } = waiting(await bench.signIn('boris'))
    assert.equal(factor, 'multifactor')
    const { login, code = '', authorization } = messages.at(-1) ?? {}
    assert.deepEqual([login, authorization], ['boris', 'Bearer other-key'])
    assert.ok(isIn(await confirm(ticket, code)))
    assert.equal((await bench.admin('PATCH', path, { multifactor: { url: 'https://elsewhere.test/' } })).status, 200)
    assert.deepEqual(await bench.signIn('boris'), none)
    for (const address of [
      'http://provider.test/',
      'https://a:b@provider.test/',
      'https://',
      'https://x:99999/',
      'ftp://x/',
    ])
      assert.equal((await bench.admin('PATCH', path, { multifactor: { url: address } })).status, 422, address)
    for (const text of ['no code', 'a\n{code}', ''])
      assert.equal((await bench.admin('PATCH', path, { smssvc: { text } })).status, 422)
  })
})
