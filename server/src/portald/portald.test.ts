// The portal as a process, with gatewayd replaced by a socket that answers what a test says.
// Requirement 72.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'
import {
  anna,
  connectedHost,
  FakePortalGateway,
  newcomer,
  usualAnswers,
} from '../../test/support/fake-portal-gateway.ts'
import { PortalBrowser } from '../../test/support/portal-browser.ts'
import { ourRuntime } from '../../test/support/started.ts'
import { until } from '../../test/support/until.ts'
import { type PortalFile, printPortalFile } from '../engines/portal/settings-file.ts'

const file: PortalFile = {
  language: 'en',
  words: { en: { title: 'Guest <b>network</b>', text: 'First & last.\nSecond line.' }, ru: { title: '', text: '' } },
  accent: '#0a7f5a',
  host: '',
  addresses: [],
  timeZone: 'Europe/Berlin',
}

const folder = mkdtempSync(join(tmpdir(), 'portald-'))
const gateway = new FakePortalGateway(join(folder, 'gateway.sock'))
const [plainPort, securePort] = await Promise.all([freePort(), freePort()])
let portald: ChildProcess
let words = ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const browsers: PortalBrowser[] = []
function browserAt(source = '127.0.0.1'): PortalBrowser {
  const browser = new PortalBrowser(securePort, source)
  browsers.push(browser)
  return browser
}

/** Each test is another host, so that no budget is shared. */
let hosts = 0
const nextHost = (): string => `127.0.1.${++hosts}`

before(async () => {
  writeFileSync(join(folder, 'portal.json'), printPortalFile(file))
  await gateway.start()
  const args = [join(folder, 'portal.json'), join(folder, 'tls'), join(folder, 'gateway.sock'), plainPort, securePort]
  const [runtime, plain] = ourRuntime
  portald = spawn(runtime, [plain, join(import.meta.dirname, 'main.ts'), ...args.map(String)])
  portald.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  const isThere = (): Promise<boolean> =>
    browserAt()
      .get('/')
      .then(({ status }) => status === 200)
      .catch(() => false)
  await until('the portal answers', isThere)
})
after(async () => {
  for (const browser of browsers) browser.close()
  portald.kill()
  await once(portald, 'exit')
  await gateway.stop()
  rmSync(folder, { recursive: true })
  assert.equal(words, '', 'it logs nothing but faults')
})
afterEach(() => {
  gateway.answers = usualAnswers()
  gateway.raw = null
  gateway.calls.length = 0
})

/** A connection of a host. */
const connectFrom = (localAddress: string): Socket =>
  connect({ port: securePort, host: '127.0.0.1', localAddress }).on('error', () => {})
const secureFrom = (source: string): TLSSocket =>
  connectSecurely({ socket: connectFrom(source), rejectUnauthorized: false }).on('error', () => {})

function plain(path: string, host: string, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const source = nextHost()
    const options = { host: '127.0.0.1', port: plainPort, localAddress: source, path, method, headers: { Host: host } }
    const call = request({ ...options, agent: false }, (response) => resolve(response.resume()))
    call.once('error', reject)
    call.end()
  })
}

async function signedIn(source = nextHost()): Promise<PortalBrowser> {
  const browser = browserAt(source)
  await browser.get('/')
  await browser.post('/sign-in', { login: 'anna', password: 'secret' })
  assert.equal(browser.last.status, 303)
  return browser
}

describe('plain HTTP', () => {
  const home = `https://127.0.0.1:${securePort}/`

  it('leads every page to the sign-in page, with the address that was wanted', async () => {
    const { statusCode, headers } = await plain('/a?b=<c>&d="e"', 'example.com:8080')
    assert.equal(statusCode, 302)
    const wanted = 'http://example.com:8080/a?b=%3Cc%3E&d=%22e%22'
    assert.equal(headers.location, `${home}?wanted=${encodeURIComponent(wanted)}`)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers.connection, 'close', 'the browser takes the connection for one to the site')
    assert.equal((await plain('/', 'example.com', 'HEAD')).statusCode, 302)
  })

  it('leads the checks of systems there too, without an address', async () => {
    for (const path of ['/generate_204', '/hotspot-detect.html', '/connecttest.txt', '/ncsi.txt', '/success.txt?x'])
      assert.equal((await plain(path, 'check.example')).headers.location, home, path)
  })

  it('takes no address from a hostile request', async () => {
    for (const host of ['a@b', 'evil.example/x', '[::1]', 'a b', '"><script>', 'x:99999', '127.0.0.1:80'])
      assert.equal((await plain('/', host)).headers.location, home, host)
    assert.equal((await plain(`/${'x'.repeat(2000)}`, 'example.com')).headers.location, home)
  })

  it('refuses what is not a page', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      assert.equal((await plain('/', 'example.com', method)).statusCode, 403, method)
  })
})

describe('signing in', () => {
  it('asks for login and password, and leads to the personal page with a link to what was wanted', async () => {
    const browser = browserAt(nextHost())
    const { headers, text } = await browser.get(`/?wanted=${encodeURIComponent('http://example.com/a?b="c"')}`)
    assert.match(text, /<title>Sign in · Guest &lt;b&gt;network&lt;\/b&gt;<\/title>/)
    assert.match(text, /<p>First &amp; last\.<\/p><p>Second line\.<\/p>/)
    assert.match(String(headers['content-security-policy']), /default-src 'none'; style-src 'self';/)
    assert.doesNotMatch(text, /<script|<style|style=| on[a-z]+=/)
    for (const id of ['login', 'password'])
      assert.match(text, new RegExp(`<label for="${id}">[^<]+</label>\n<input id="${id}"`))
    const wanted = 'http://example.com/a?b=%22c%22'
    const done = await browser.post('/sign-in', { login: 'anna', password: 'secret', wanted })
    assert.deepEqual([done.status, done.headers.location], [303, `/me?wanted=${encodeURIComponent(wanted)}`])
    assert.equal(browser.cookies.get('__Host-portal'), 'token-of-anna')
    const page = await browser.get(done.headers.location ?? '')
    assert.match(page.text, /href="http:\/\/example\.com\/a\?b=%22c%22" rel="noreferrer">Open</)
    assert.match(page.text, /Anna Petrova<\/bdi> \(<bdi>anna<\/bdi>\)/)
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.deepEqual(gateway.calls[1], {
      verb: 'signIn',
      args: { address: browser.source, login: 'anna', password: 'secret' },
    })
    assert.equal((await browser.get('/')).headers.location, '/me', 'who is signed in sees the personal page')
  })

  it('says why it was refused, with the status, in each language', async () => {
    const cases = {
      wrong: 403,
      denied: 403,
      blocked: 429,
      closed: 403,
      busy: 503,
      over_limit: 403,
      taken: 409,
      no_second_factor: 503,
      expired: 403,
    } as const
    for (const [reason, status] of Object.entries(cases) as [keyof typeof cases, number][])
      for (const language of ['en', 'ru']) {
        const more = reason === 'blocked' ? { retrySeconds: 2700 } : {}
        gateway.answers.signIn = () => ({ status: 'refused', reason, ...more })
        const browser = browserAt(nextHost())
        await browser.get('/', { 'Accept-Language': language })
        const answer = await browser.post('/sign-in', { login: 'x"y', password: 'z' }, { 'Accept-Language': language })
        assert.equal(answer.status, status, reason)
        assert.match(answer.text, /<div class="notice bad" role="alert"><h1>[^<]+<\/h1>/)
        assert.match(answer.text, /value="x&quot;y"/)
        assert.doesNotMatch(answer.text, /value="z"/, 'a password is never shown again')
        if (reason === 'blocked') {
          assert.equal(answer.headers['retry-after'], '2700')
          assert.match(answer.text, language === 'en' ? /in 45 minutes\./ : /через 45 мин\./)
        }
      }
  })

  it('says why a host has no access before anyone asks', async () => {
    for (const reason of ['denied', 'over_limit', 'closed'] as const) {
      gateway.answers.host = () => ({ ...newcomer, refusal: reason })
      const { status, text } = await browserAt(nextHost()).get('/')
      assert.equal(status, 200)
      assert.match(text, /role="alert"/, reason)
      assert.match(text, /Sign in as another user/)
    }
  })

  it('offers to sign out where another browser of the host has signed in', async () => {
    gateway.answers.host = () => connectedHost
    const browser = browserAt(nextHost())
    const { text } = await browser.get('/')
    assert.match(text, /You are connected[\s\S]*Anna Petrova[\s\S]*action="\/sign-out"/)
    assert.equal((await browser.post('/sign-out', {})).headers.location, '/')
    assert.deepEqual(gateway.calls.at(-1), { verb: 'signOut', args: { address: browser.source, token: null } })
  })

  it('needs every field, and none that is too long', async () => {
    for (const fields of [
      {},
      { login: 'a' },
      { login: '', password: 'b' },
      { login: 'a'.repeat(257), password: 'b' },
    ]) {
      const browser = browserAt(nextHost())
      await browser.get('/')
      assert.equal((await browser.post('/sign-in', fields)).status, 422)
    }
    assert.ok(gateway.calls.every(({ verb }) => verb === 'host'))
  })
})

describe('the second step', () => {
  const enrolment = {
    uri: 'otpauth://totp/Gateway:anna?secret=JBSWY3DPEHPK3PXP&issuer=Gateway',
    secret: 'JBSWY3DPEHPK3PXP',
  }

  it('shows the key for an application as a picture and as text, and again after a wrong code', async () => {
    gateway.answers.signIn = () => ({ status: 'second_factor', ticket: 'ticket-1', factor: 'totp', enrolment })
    gateway.answers.confirm = ({ code }) =>
      code === '123456' ? { status: 'signed_in', token: 'token-of-anna' } : { status: 'refused', reason: 'wrong' }
    const browser = browserAt(nextHost())
    await browser.get('/')
    const wanted = 'http://example.com/'
    const asked = await browser.post('/sign-in', { login: 'anna', password: 'secret', wanted })
    assert.equal(asked.status, 200)
    assert.equal(browser.cookies.has('__Host-portal'), false, 'a password alone opens nothing')
    const fields = { ticket: 'ticket-1', factor: 'totp', ...enrolment, wanted }
    const wrong = await browser.post('/confirm', { ...fields, code: '000000' })
    assert.equal(wrong.status, 403)
    for (const { text } of [asked, wrong]) {
      assert.match(text, /<svg class="qr" role="img" aria-label="[^"]+" viewBox/)
      assert.match(text, /JBSW Y3DP EHPK 3PXP/)
      assert.match(text, /autocomplete="one-time-code"/)
    }
    const done = await browser.post('/confirm', { ...fields, code: '123 456' })
    assert.equal(done.headers.location, `/me?wanted=${encodeURIComponent(wanted)}`)
    assert.equal(browser.cookies.get('__Host-portal'), 'token-of-anna')
  })

  it('asks for the code of a message without a picture, and begins again when it took too long', async () => {
    gateway.answers.signIn = () => ({ status: 'second_factor', ticket: 't', factor: 'smssvc', enrolment: null })
    const browser = browserAt(nextHost())
    await browser.get('/')
    const { text } = await browser.post('/sign-in', { login: 'anna', password: 'secret' })
    assert.match(text, /text message/)
    assert.doesNotMatch(text, /<svg/)
    const late = await browser.post('/confirm', { ticket: 't', factor: 'smssvc', code: '1' })
    assert.equal(late.status, 403)
    assert.match(late.text, /action="\/sign-in"/)
  })

  it('shows no key that is not one', async () => {
    gateway.answers.confirm = () => ({ status: 'refused', reason: 'wrong' })
    const browser = browserAt(nextHost())
    await browser.get('/')
    const wrong = { ticket: 't', factor: 'totp', code: '1', uri: 'http://evil.example', secret: '<b>' }
    assert.doesNotMatch((await browser.post('/confirm', wrong)).text, /<svg|evil/)
    await browser.get('/')
    assert.equal((await browser.post('/confirm', { ...wrong, factor: 'none' })).status, 422)
  })
})

describe('the personal page', () => {
  it('lists sessions in the time of the gateway and ends one', async () => {
    const browser = await signedIn()
    const { text } = await browser.get('/me')
    assert.match(text, /<bdi>10\.10\.0\.23<\/bdi> <span class="soft">\(this device\)<\/span>/)
    assert.match(text, /Waits: too many sessions/)
    const shown = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Europe/Berlin',
    }).format(1_794_700_000_000)
    assert.ok(text.includes(`>${shown}</time>`))
    assert.equal((await browser.post('/end', { id: 's2' })).headers.location, '/me')
    const args = { address: browser.source, token: 'token-of-anna', id: 's2' }
    assert.deepEqual(gateway.calls.at(-1), { verb: 'endSession', args })
  })

  it('is for those who are signed in', async () => {
    const browser = browserAt(nextHost())
    browser.cookies.set('__Host-portal', 'of-nobody')
    for (const path of ['/me', '/password']) {
      browser.cookies.set('__Host-portal', 'of-nobody')
      assert.equal((await browser.get(path)).headers.location, '/', path)
      assert.equal(browser.cookies.has('__Host-portal'), false, 'a token that opens nothing is forgotten')
    }
    gateway.answers.endSession = () => ({ status: 'refused', reason: 'expired' })
    const other = await signedIn()
    await other.get('/me')
    assert.equal((await other.post('/end', { id: 's1' })).headers.location, '/')
  })

  it('says when the host has lost its access', async () => {
    const browser = await signedIn()
    gateway.answers.host = () => newcomer
    assert.match((await browser.get('/me')).text, /This device is not connected[\s\S]*<a href="\/">Sign in<\/a>/)
    assert.equal((await browser.get('/')).status, 200, 'the sign-in page can be reached')
  })

  it('is where a user with too many sessions ends one', async () => {
    const browser = await signedIn()
    gateway.answers.host = () => ({ ...newcomer, refusal: 'over_limit' })
    assert.equal((await browser.get('/')).headers.location, '/me')
    const { text } = await browser.get('/me')
    assert.match(text, /Too many sessions[\s\S]*action="\/end"/)
    assert.doesNotMatch(text, /<a href="\/">/, 'another sign-in would not help')
  })

  it('offers no sign-out where a rule lets the host through', async () => {
    const browser = browserAt(nextHost())
    gateway.answers.host = () => ({ ...connectedHost, isSignedIn: false })
    const { text } = await browser.get('/')
    assert.match(text, /You are connected/)
    assert.doesNotMatch(text, /sign-out/)
  })

  it('changes the password, and says why not', async () => {
    const browser = await signedIn()
    const fields = { current: 'secret', next: 'new one', repeat: 'new one' }
    await browser.get('/password')
    assert.equal((await browser.post('/password', { ...fields, repeat: 'other' })).status, 422)
    assert.match(browser.last.text, /The passwords differ/)
    gateway.answers.changePassword = () => ({ status: 'refused', reason: 'weak', weakness: 'short' })
    assert.equal((await browser.post('/password', fields)).status, 422)
    assert.match(browser.last.text, /It must have at least 10 characters\./)
    const russian = await browser.post('/password?lang=ru', fields)
    assert.match(russian.text, /Нужно не менее 10 символов\./)
    gateway.answers.changePassword = () => ({ status: 'done' })
    const done = await browser.post('/password?lang=en', fields)
    assert.match((await browser.get(done.headers.location ?? '')).text, /role="status"><h1>Your password was changed\./)
    gateway.answers.personal = () => ({ ...anna, canChangePassword: false })
    assert.equal((await browser.get('/password')).status, 404)
  })

  it('signs out', async () => {
    const browser = await signedIn()
    await browser.get('/me')
    assert.equal((await browser.post('/sign-out', {})).headers.location, '/')
    assert.equal(browser.cookies.has('__Host-portal'), false)
    assert.equal((await browser.get('/me')).headers.location, '/')
  })
})

describe('the state for devices (RFC 8908)', () => {
  it('says whether the host is captive and where the portal is', async () => {
    const browser = browserAt(nextHost())
    const state = async () => JSON.parse((await browser.get('/captive-portal/api')).text)
    const portalUrl = `https://127.0.0.1:${securePort}/`
    assert.deepEqual(await state(), { captive: true, 'user-portal-url': portalUrl, 'can-extend-session': false })
    assert.equal(browser.last.headers['content-type'], 'application/captive+json')
    assert.match(browser.last.headers['cache-control'] ?? '', /private/)
    gateway.answers.host = () => connectedHost
    assert.equal((await state()).captive, false)
    gateway.answers.host = () => ({ ...newcomer, isEnforced: false })
    assert.equal((await state()).captive, false)
  })
})

describe('a form', () => {
  it('counts only with the token of this browser and from a page of ours', async () => {
    const browser = browserAt(nextHost())
    await browser.get('/')
    const fields = { login: 'anna', password: 'secret' }
    const { text } = browser.last
    const token = /name="form" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const attempts: [Record<string, string>, Record<string, string>][] = [
      [{ ...fields, form: '' }, {}],
      [{ ...fields, form: `${token}x` }, {}],
      [fields, { Origin: 'https://evil.example' }],
      [fields, { Origin: 'null' }],
      [fields, { 'Sec-Fetch-Site': 'cross-site' }],
      [fields, { 'Sec-Fetch-Site': 'same-site' }],
      [fields, { Cookie: '' }],
      [fields, { Cookie: `__Host-portal-form=${token}; __Host-portal-form=${token}` }],
      [fields, { Cookie: '__Host-portal-form=another-browser' }],
    ]
    for (const [body, headers] of attempts) {
      const { status } = await browser.post('/sign-in', { form: token, ...body }, headers)
      assert.equal(status, 403, JSON.stringify([body, headers]))
    }
    assert.deepEqual(
      gateway.calls.map(({ verb }) => verb),
      ['host'],
    )
    assert.equal((await browser.post('/sign-in', { ...fields, form: token })).status, 303)
  })

  it('is short, of one type, with each field once', async () => {
    const browser = browserAt(nextHost())
    const post = async (body: string, type = 'application/x-www-form-urlencoded') =>
      (await browser.send({ method: 'POST', path: '/sign-in', headers: { 'Content-Type': type }, body })).status
    assert.equal(await post(`login=${'x'.repeat(8 * 1024)}`).catch(() => 413), 413)
    assert.equal(await post('{}', 'application/json'), 415)
    assert.equal(await post('login=a&login=b'), 400)
    assert.equal(await post(Array.from({ length: 40 }, (_, at) => `f${at}=1`).join('&')), 400)
    assert.equal(gateway.calls.length, 0)
  })
})

describe('hostile input', () => {
  const nasty = `"><script>alert(1)</script><img src=x onerror='alert(1)'>\u202e\0\`\${x}`

  it('is shown as text on every page', async () => {
    gateway.answers.personal = () => ({
      login: nasty,
      name: nasty,
      canChangePassword: true,
      sessions: [{ id: nasty, type: nasty, address: nasty, state: nasty, startedAt: 1, isThis: true }],
    })
    gateway.answers.host = () => ({ ...connectedHost, user: { login: nasty, name: nasty } })
    gateway.answers.endSession = () => ({ status: 'refused', reason: 'wrong' })
    const browser = browserAt(nextHost())
    const pages = [await browser.get(`/?wanted=${encodeURIComponent(nasty)}&lang=${encodeURIComponent(nasty)}`)]
    pages.push(await browser.post('/sign-in', { login: nasty, password: '', wanted: nasty }))
    browser.cookies.set('__Host-portal', 'token-of-anna')
    pages.push(await browser.get(`/me?wanted=${encodeURIComponent('javascript:alert(1)')}`))
    pages.push(await browser.post('/end', { id: nasty, wanted: nasty }))
    pages.push(await browser.get(`/${encodeURIComponent(nasty)}`))
    for (const { text } of pages) {
      assert.match(text, /<!DOCTYPE html>/)
      assert.doesNotMatch(text, /<script|<img|onerror='|javascript:|\0/)
    }
    assert.match(pages[2]?.text ?? '', /<bdi>&quot;&gt;&lt;script&gt;alert\(1\)/)
  })

  it('gets an answer of the portal whatever is asked for', async () => {
    const browser = browserAt(nextHost())
    const statusOf = async (path: string, method = 'GET', headers = {}) =>
      (await browser.send({ path, method, headers })).status
    assert.equal(await statusOf('/nothing'), 404)
    assert.equal(await statusOf('//evil.example/'), 404)
    assert.equal(await statusOf('/../../etc/passwd'), 404)
    assert.equal(await statusOf('/%00'), 404)
    assert.equal(await statusOf('/__proto__'), 404)
    assert.equal(await statusOf('/', 'PUT'), 405)
    assert.equal(await statusOf('/sign-in'), 405)
    assert.equal(browser.last.headers.allow, 'POST')
    assert.equal(await statusOf('/', 'HEAD'), 200)
    assert.equal(browser.last.text, '')
    assert.equal(await statusOf('/', 'GET', { Host: '127.evil.example' }), 302)
    assert.equal(await statusOf('/', 'GET', { Host: 'evil.example' }), 302)
    assert.equal(browser.last.headers.location, `https://127.0.0.1:${securePort}/`)
    assert.equal(await statusOf('/sign-out', 'POST', { Host: 'evil.example' }), 421)
    assert.equal(await statusOf('/', 'GET', { Cookie: 'x'.repeat(9000) }).catch(() => 431), 431)
    assert.deepEqual(
      gateway.calls.filter(({ verb }) => verb !== 'host'),
      [],
    )
  })

  it('that is not HTTP ends the connection', async () => {
    for (const text of [
      '\x16\x03\x01\x02\x00\x01\x00',
      'GET / HTTP/9.9\r\n\r\n',
      'x'.repeat(20_000),
      '\0\0\0\0\r\n\r\n',
    ]) {
      const socket = connect({ port: plainPort, host: '127.0.0.1', localAddress: nextHost() })
      socket.on('error', () => {}).resume()
      socket.write(text)
      await once(socket, 'close')
    }
    assert.equal((await browserAt(nextHost()).get('/')).status, 200)
  })
})

describe('without gatewayd', () => {
  it('the portal says so, lets the browser ask again, and goes on when it is back', async () => {
    await gateway.stop()
    const browser = browserAt(nextHost())
    const { status, headers, text } = await browser.get('/?wanted=http%3A%2F%2Fexample.com%2F')
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
    assert.match(text, /<meta http-equiv="refresh" content="5">[\s\S]*The gateway is not available/)
    await gateway.start()
    assert.equal((await browser.get('/')).status, 200)
    await gateway.stop()
    const sent = await browser.post('/sign-in', { login: 'anna', password: 'secret' })
    assert.equal(sent.status, 503)
    assert.doesNotMatch(sent.text, /http-equiv/, 'a form is not sent again by itself')
    await gateway.start()
  })

  it('or with one that answers nonsense, a page is a message', async () => {
    const browser = browserAt(nextHost())
    const frame = (text: string): Buffer => {
      const size = Buffer.alloc(4)
      size.writeUInt32BE(Buffer.byteLength(text))
      return Buffer.concat([size, Buffer.from(text)])
    }
    for (const raw of [Buffer.from('ffffffff00', 'hex'), frame('no JSON'), frame('null')]) {
      gateway.raw = raw
      assert.equal((await browser.get('/')).status, 503)
    }
    gateway.raw = null
    assert.equal((await browser.get('/')).status, 200)
  })

  it('or with one that is busy, questions of one host do not fill the way of others', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const greedy = nextHost()
    gateway.answers.host = async ({ address }) => {
      if (address === greedy) await held
      return newcomer
    }
    const many = Array.from({ length: 20 }, () => browserAt(greedy))
    const answers = many.map((browser) => browser.get('/'))
    await until('it holds as many as it may', () => gateway.calls.length === 8)
    assert.equal((await browserAt(nextHost()).get('/')).status, 200)
    release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual(
      [statuses.filter((one) => one === 200).length, statuses.filter((one) => one === 503).length],
      [8, 12],
    )
  })
})

describe('a change of the settings', () => {
  it('is used at once, and connections stay', async () => {
    const source = nextHost()
    const socket = secureFrom(source)
    await once(socket, 'secureConnect')
    const ask = async (): Promise<string> => {
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Language: ru\r\n\r\n')
      let text = ''
      while (!text.includes('</html>')) text += String((await once(socket, 'data'))[0])
      return text
    }
    assert.match(await ask(), /Доступ в интернет/)
    const changed = { ...file, host: 'portal.example', words: { ...file.words, ru: { title: 'Новая сеть', text: '' } } }
    writeFileSync(join(folder, 'portal.json'), printPortalFile(changed))
    portald.kill('SIGHUP')
    await until('the new title is shown', async () => (await ask()).includes('Новая сеть'))
    socket.destroy()
    const nameOf = async (): Promise<string> => {
      const other = connectSecurely({ port: securePort, host: '127.0.0.1', rejectUnauthorized: false })
      await once(other, 'secureConnect')
      const { subjectaltname = '' } = other.getPeerCertificate()
      other.destroy()
      return subjectaltname
    }
    await until('the certificate has the new name', async () => (await nameOf()).includes('DNS:portal.example'))
    const ca = readFileSync(join(folder, 'tls', 'root.crt'), 'utf8')
    const trusted = connectSecurely({ port: securePort, host: '127.0.0.1', servername: 'portal.example', ca })
    await once(trusted, 'secureConnect')
    assert.equal(trusted.authorized, true)
    trusted.destroy()
    assert.match((await plain('/', 'example.com')).headers.location ?? '', /^https:\/\/portal\.example:/)
    writeFileSync(join(folder, 'portal.json'), '{}')
    portald.kill('SIGHUP')
    await until('it says that they cannot be used', () => words.includes('the earlier ones stay'))
    words = ''
    writeFileSync(join(folder, 'portal.json'), printPortalFile(file))
    portald.kill('SIGHUP')
    await until('the first settings are back', async () => {
      const { location } = (await plain('/', 'example.com')).headers
      return location?.startsWith('https://127.0.0.1') === true
    })
  })
})

describe('many clients', () => {
  const clients: TLSSocket[] = []
  const silent: Socket[] = []
  after(() => {
    for (const socket of [...clients, ...silent]) socket.destroy()
  })

  const read = async (socket: TLSSocket): Promise<string> => {
    socket.write('GET /captive-portal/api HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    const [chunk] = await once(socket, 'data')
    return String(chunk).slice(0, 15)
  }

  it('2,000 at once keep their connections and are answered', async () => {
    const inTurn = async (sockets: readonly TLSSocket[]): Promise<void> => {
      for (let at = 0; at < sockets.length; at += 25) {
        const answers = await Promise.all(sockets.slice(at, at + 25).map(read))
        assert.deepEqual([...new Set(answers)], ['HTTP/1.1 200 OK'])
      }
    }
    for (let at = 0; at < 2_000; at += 25) {
      const numbers = Array.from({ length: 25 }, (_, more) => at + more)
      const some = numbers.map((number) => secureFrom(`127.1.${number >> 8}.${number & 0xff}`))
      await Promise.all(some.map((socket) => once(socket, 'secureConnect')))
      await inTurn(some)
      clients.push(...some)
    }
    await inTurn(clients)
    assert.ok(clients.every(({ destroyed }) => !destroyed))
    const browser = await signedIn()
    assert.equal((await browser.get('/me')).status, 200)
  })

  it('greedy and silent ones lose their own connections, not those of others', async () => {
    for (let host = 1; host <= 120; host++)
      for (let count = 0; count < 24; count++) silent.push(connectFrom(`127.2.0.${host}`))
    for (let count = 0; count < 40; count++) silent.push(connectFrom('127.2.1.1'))
    for (const socket of silent) socket.resume()
    await until('some had to go', () => silent.filter(({ closed }) => closed).length >= 16)
    assert.ok(clients.every(({ destroyed }) => !destroyed))
    assert.equal(await read(clients[0] ?? assert.fail()), 'HTTP/1.1 200 OK')
    const browser = browserAt(nextHost())
    assert.equal((await browser.get('/')).status, 200)
    await until('those that said nothing are gone', () => silent.every(({ closed }) => closed))
  })

  it('and slow ones are cut, in the headers and in the body', async () => {
    const slow = await Promise.all(
      [
        'GET / HTTP/1.1\r\nHost: x',
        'POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nlogin=',
      ].map(async (text) => {
        const socket = secureFrom(nextHost())
        socket.on('error', () => {}).resume()
        await once(socket, 'secureConnect')
        socket.write(text)
        const timer = setInterval(() => socket.write('x'), 500)
        socket.once('close', () => clearInterval(timer))
        return socket
      }),
    )
    await until('they are cut', () => slow.every(({ closed }) => closed))
    assert.equal(gateway.calls.filter(({ verb }) => verb === 'signIn').length, 0)
  })

  it('one that asks too often is told to wait, and others are not', async () => {
    const browser = browserAt(nextHost())
    const statuses: number[] = []
    for (let count = 0; count < 2_000 && !statuses.includes(429); count++)
      statuses.push((await browser.get('/x')).status)
    assert.equal(browser.last.status, 429)
    assert.equal(browser.last.headers['retry-after'], '5')
    assert.ok(statuses.filter((status) => status === 404).length >= 60)
    assert.equal((await browserAt(nextHost()).get('/x')).status, 404)
  })
})
