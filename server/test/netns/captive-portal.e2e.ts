// The captive portal as a person meets it: a browser in the client's place, real packets, and what the gateway then knows.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { browserSkip, LabBrowser, type LabPage, type PageOptions } from '../support/browser.ts'
import { client, gatewayInside } from '../support/firewall-lab.ts'
import { codeOf } from '../support/totp.ts'
import { until } from '../support/until.ts'
import { passed, refused, server, UserLab, userPassword } from '../support/user-lab.ts'

const uplink = '203.0.113.2'
const wanted = 'http://www.example.test/wanted?x=1&y=%3Cb%3E'
const portal = `https://${gatewayInside}:8446`
const settingsPath = '/user_cabinet_backend/settings'

describe('the captive portal', { skip: browserSkip }, () => {
  let lab: UserLab
  let browser: LabBrowser
  const pages: LabPage[] = []

  before(async () => {
    lab = await UserLab.start()
    await lab.enforce(true, { web_authorization: true })
    browser = await LabBrowser.start(lab.gateway)
    await until('the portal answers', async () => (await curl(`${portal}/`)).code === 0)
  })
  after(async () => {
    await browser.close()
    await lab.stop()
  })
  afterEach(async () => {
    for (const page of pages.splice(0)) {
      // A refused form is an answer with an error status, which the browser notes.
      assert.deepEqual(
        page.errors.filter((text) => !/status of (?:4\d\d|503)/.test(text)),
        [],
      )
      await page.close()
    }
    for (const { id } of await lab.sessions()) await lab.endSession(id)
  })

  const open = async (options: PageOptions = {}): Promise<LabPage> => {
    const page = await browser.open(options)
    pages.push(page)
    return page
  }
  const curl = (...args: readonly string[]) =>
    lab.gateway.exec('client', ['/usr/bin/curl', '-s', '-k', '-m', '30', ...args])
  const fillIn = async (page: LabPage, login: string, password: string): Promise<void> => {
    await page.fill('Login', login)
    await page.fill('Password', password)
    await page.click('button', 'Sign in')
  }
  /** From a page of the internet to the sign-in page and through. */
  const signIn = async (login: string, password = userPassword): Promise<LabPage> => {
    const page = await open()
    await page.visit(wanted)
    await fillIn(page, login, password)
    return page
  }

  it('sends a browser to the sign-in page, and after the sign-in through to the page it wanted', async () => {
    const user = await lab.addUser({ name: 'Anna' })
    const page = await open()
    const { status, url } = await page.visit(wanted)
    assert.equal(status, 200)
    assert.ok(url.startsWith(`${portal}/`), url)
    assert.ok((await page.hasField('Login')) && (await page.hasField('Password')))
    assert.deepEqual(await lab.sessions(), [])

    await fillIn(page, user.login, userPassword)
    await page.shows('You are connected')
    assert.match(await page.text(), /Anna/)
    const session = await lab.sessionOf(client)
    assert.deepEqual([session.type, session.user_id, session.state], ['web', user.id, 'connected'])
    await page.click('link', 'Open')
    await page.waitForUrl(wanted)
    const seen = JSON.parse(await page.text())
    assert.deepEqual([seen.client, seen.path], [uplink, '/wanted?x=1&y=%3Cb%3E'])
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
  })

  it('refuses a wrong password, and says so', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login, 'wrong')
    await page.shows('Sign-in failed')
    assert.deepEqual([await lab.sessions(), await lab.wire.ends({ port: 8001 })], [[], refused])
    await fillIn(page, user.login, userPassword)
    await page.shows('You are connected')
  })

  it('ends the access with the sign-out', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login)
    await page.shows('You are connected')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
    await page.click('button', 'Sign out')
    await page.shows('Sign in')
    assert.deepEqual([await lab.sessions(), await lab.wire.ends({ port: 8001 })], [[], refused])
    const { url } = await page.visit(wanted)
    assert.ok(url.startsWith(`${portal}/`), url)
    // Nothing of the sign-in is left in the browser.
    await page.visit(`${portal}/me`)
    assert.ok(await page.hasField('Password'))
  })

  it('says why a user who is denied access gets none', async () => {
    const user = await lab.addUser()
    await lab.deny(user.id, true)
    const page = await signIn(user.login)
    await page.shows('Access is denied')
    assert.deepEqual([await lab.sessions(), await lab.wire.ends({ port: 8001 })], [[], refused])
  })

  it('refuses HTTPS cleanly, and other plain ports', async () => {
    const page = await open()
    for (const url of [`https://${webAddress}/`, `https://${server}:8001/`, `http://${server}:8001/`])
      assert.equal((await page.visit(url)).failure, 'ERR_CONNECTION_REFUSED', url)
  })

  it('speaks Russian to a browser that asks for it', async () => {
    const user = await lab.addUser()
    const page = await open({ language: 'ru-RU' })
    await page.visit(wanted)
    assert.equal(await page.language(), 'ru')
    await page.fill('Логин', user.login)
    await page.fill('Пароль', userPassword)
    await page.click('button', 'Войти')
    await page.shows('Вы подключены')
  })

  it('tells devices whether they are captive (RFC 8908)', async () => {
    const user = await lab.addUser()
    const ask = async () => {
      const { stdout } = await curl('-w', '\n%{http_code} %{content_type}', `${portal}/captive-portal/api`)
      const [body = '', ...rest] = stdout.trim().split('\n')
      return { kind: rest.join('').trim(), ...JSON.parse(body) }
    }
    const before = await ask()
    assert.match(before.kind, /^200 application\/captive\+json/)
    assert.deepEqual([before.captive, before['user-portal-url']], [true, `${portal}/`])
    await lab.signIn(client, user.login)
    assert.equal((await ask()).captive, false)
  })

  it('shows hostile names and requests as text', async () => {
    const name = `<script>document.title='owned'</script>"'&amp;`
    const user = await lab.addUser({ name })
    const page = await open()
    await page.visit(`http://www.example.test/"><script>document.title='owned'</script>`)
    await fillIn(page, `"><script>document.title='owned'</script>`, '\'"><b>')
    await page.shows('Sign-in failed')
    assert.notEqual(await page.title(), 'owned')
    await fillIn(page, user.login, userPassword)
    await page.shows('You are connected')
    assert.ok((await page.text()).includes(name))
    assert.notEqual(await page.title(), 'owned')
  })

  it('asks for a code of an authenticator application, which the user sets up at the first sign-in', async () => {
    await lab.api.ok('PATCH', settingsPath, { two_factor: 'totp' })
    const user = await lab.addUser()
    const first = await signIn(user.login)
    await first.shows('Set up your authenticator application')
    assert.ok(await first.has('img', /QR code/))
    const secret = await first.textOf('.key')
    assert.deepEqual([await lab.sessions(), await lab.wire.ends({ port: 8001 })], [[], refused])
    await first.fill('Code', codeOf(secret))
    await first.click('button', 'Confirm')
    await first.shows('You are connected')
    await first.click('button', 'Sign out')

    const second = await signIn(user.login)
    await second.shows('Second step')
    assert.ok(!(await second.text()).includes(secret), 'the key is shown once')
    const next = codeOf(secret, 1)
    await second.fill('Code', next === '000000' ? '000001' : '000000')
    await second.click('button', 'Confirm')
    await second.shows('Sign-in failed')
    assert.deepEqual(await lab.sessions(), [])
    // The present code may have been used a moment ago, and each is good once.
    await second.fill('Code', next)
    await second.click('button', 'Confirm')
    await second.shows('You are connected')
    await lab.api.ok('PATCH', settingsPath, { two_factor: 'not_required' })
  })

  it('lets users end another session of theirs on the personal page', async () => {
    const user = await lab.addUser()
    const host = await lab.beside(11)
    await lab.signIn(host.address, user.login)
    assert.deepEqual(await lab.ends(host), passed)
    const page = await signIn(user.login)
    await page.shows('You are connected')
    assert.match(await page.text(), /10\.10\.0\.11/)
    await page.click('button', /End.*10\.10\.0\.11/)
    await until('it is over', async () => (await lab.sessionAt(host.address)) === undefined)
    assert.deepEqual([await lab.ends(host), await lab.wire.ends({ port: 8001 })], [refused, passed])
    await host.remove()
  })

  it('lets users change their password', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login)
    await page.click('link', 'Change password')
    const change = async (current: string) => {
      await page.fill('Current password', current)
      await page.fill('New password', 'Other-Harbour-8')
      await page.fill('New password again', 'Other-Harbour-8')
      await page.click('button', 'Change password')
    }
    await change('wrong')
    await page.shows('Sign-in failed')
    await change(userPassword)
    await page.shows('Your password was changed.')
    const other = await open()
    await other.visit(`${portal}/`)
    await fillIn(other, user.login, userPassword)
    await other.shows('Sign-in failed')
    await fillIn(other, user.login, 'Other-Harbour-8')
    await other.shows('You are connected')
  })

  it('blocks an address after six failed sign-ins, and no other one', async () => {
    const user = await lab.addUser()
    const connection = await lab.portal()
    const guess = async (password: string) => {
      const result = await connection.signIn('10.10.0.66', user.login, password)
      return result.status === 'refused' ? result.reason : result.status
    }
    for (let count = 0; count < 6; count++) assert.equal(await guess(`wrong ${count}`), 'wrong')
    assert.equal(await guess(userPassword), 'blocked')
    const page = await open()
    await page.visit(`${portal}/`)
    // Failures of the tests before count as well.
    for (let count = 0; count < 6 && !(await page.text()).includes('Sign-in is blocked'); count++) {
      await fillIn(page, user.login, `wrong ${count}`)
      await page.shows(/Sign-in (?:failed|is blocked)/)
      await page.visit(`${portal}/`)
    }
    await page.shows('Sign-in is blocked')
    await fillIn(page, user.login, userPassword)
    await page.shows(/Try again in 4[45] minutes/)
    assert.deepEqual(await lab.sessions(), [])
    await lab.api.ok('DELETE', '/web/auth/blocks')
    await fillIn(page, user.login, userPassword)
    await page.shows('You are connected')
  })

  it('says that a device waits because of too many others, and lets it in when one of them ends', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login)
    await page.shows('You are connected')
    for (const last of [21, 22, 23, 24, 25]) await lab.signIn(`10.10.0.${last}`, user.login)
    const { url } = await page.visit(wanted)
    assert.ok(url.startsWith(`${portal}/me`), url)
    await page.shows('Too many sessions')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), refused)
    await page.click('button', /End.*10\.10\.0\.21/)
    await page.shows('You are connected')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
  })

  it('takes the access of a user who is deleted at once', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login)
    await page.shows('You are connected')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
    await lab.api.ok('DELETE', `/user_backend/users/${user.id}`)
    assert.deepEqual([await lab.sessions(), await lab.wire.ends({ port: 8001 })], [[], refused])
    await page.visit(`${portal}/me`)
    assert.ok(await page.hasField('Password'))
    const { url } = await page.visit(wanted)
    assert.ok(url.startsWith(`${portal}/?wanted=`), url)
  })

  it('says that the gateway is away, and works again when it is back, without another sign-in', async () => {
    const user = await lab.addUser()
    const page = await signIn(user.login)
    await page.shows('You are connected')
    const { gatewayd } = lab.gateway.pids()
    process.kill(gatewayd, 'SIGSTOP')
    // What a person sees who asks just then; the page asks again by itself.
    const asked = page.visit(`${portal}/me`)
    process.kill(gatewayd, 'SIGKILL')
    assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)
    assert.equal((await asked).status, 503)
    await until('gatewayd serves again', async () => {
      const now = lab.gateway.record().processes.gatewayd
      return now?.ready === true && now.pid !== gatewayd
    })
    lab.forgetPortal()
    await page.shows('You are connected')
    assert.equal((await lab.sessionOf(client)).user_id, user.id)
  })

  it('fits on a phone in either language and either colours', async () => {
    const user = await lab.addUser({ name: 'A name that is rather long for a small screen' })
    for (const language of ['en-US', 'ru-RU'])
      for (const colours of ['light', 'dark'] as const) {
        const page = await open({ language, colours, viewport: { width: 320, height: 640 } })
        await page.visit(wanted)
        assert.ok(!(await page.scrollsSideways()), `sign-in ${language}`)
        const texts = { 'en-US': ['Login', 'Password', 'Sign in'], 'ru-RU': ['Логин', 'Пароль', 'Войти'] }[language]
        const [login = '', password = '', button = ''] = texts ?? []
        await page.fill(login, user.login)
        await page.fill(password, userPassword)
        await page.click('button', button)
        await page.waitForUrl(/\/me/)
        assert.ok(!(await page.scrollsSideways()), `personal page ${language}`)
        for (const { id } of await lab.sessions()) await lab.endSession(id)
      }
  })
})
