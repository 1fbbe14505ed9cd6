// The shell in a browser: signing in and out, the session, languages, themes, keys and the palette.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/support/until.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const minute = 60
const somewhere = 'network/dhcp/static'

describe('the shell of the console', { skip: browserSkip }, () => {
  let gateway: Console
  let browser: TestBrowser
  before(async () => {
    gateway = await startConsole()
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const pathOf = (page: Page): string => {
    const { pathname, search } = new URL(page.url())
    return decodeURIComponent(pathname.replace('/ui/', '') + search)
  }
  const goesTo = (page: Page, path: string): Promise<void> =>
    page.waitForURL(
      (url) => decodeURIComponent(url.pathname.replace('/ui/', '') + url.search.replaceAll('+', ' ')) === path,
    )
  const ask = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
  }
  const fill = async (page: Page, password: string, login = gateway.login): Promise<void> => {
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  const isIn = (page: Page): Promise<void> => page.getByRole('navigation', { name: 'Pages' }).waitFor()
  const openMenu = (page: Page): Promise<void> => page.getByRole('button', { name: /^Account|^Учётная/ }).click()

  describe('at the sign-in', () => {
    it('names the gateway, refuses a wrong password and opens the page that was asked for', async () => {
      const opened = await browser.open(gateway)
      const { page } = opened
      await opened.visit(somewhere)
      const { host_name, certificate_sha256 } = (await (await page.request.get('/web/console')).json()) as Record<
        string,
        string
      >
      await page.getByText(host_name ?? '', { exact: true }).waitFor()
      await page.getByRole('button', { name: `Certificate SHA-256 ${certificate_sha256}` }).waitFor()
      opened.log.allow(/refused: 401 POST \S*\/web\/auth\/login/)
      await fill(page, 'wrong password')
      await page.getByRole('alert').getByText('The login or the password is wrong.').waitFor()
      assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
      await fill(page, gateway.password)
      await isIn(page)
      assert.equal(pathOf(page), somewhere)
      await opened.close()
    })

    it('counts down for a blocked address and names the way on the machine', async () => {
      const opened = await browser.open(gateway, { language: 'ru-RU' })
      const { page } = opened
      await opened.visit()
      opened.log.allow(/refused: (401|429) POST \S*\/web\/auth\/login/)
      const alert = page.getByRole('alert')
      const button = page.getByRole('button', { name: /^(Войти|Вход)$/ })
      await until('the address is blocked', async () => {
        await page.getByLabel('Логин').fill('admin')
        await page.getByLabel('Пароль', { exact: true }).fill('wrong password')
        await button.click()
        await alert.getByText(/Неверный|Слишком много/).waitFor()
        return (await alert.innerText()).includes('Слишком много')
      })
      await alert.getByText('gw admin reset').waitFor()
      await alert.getByText(/через \d+ минут/).waitFor()
      assert.equal(await button.isDisabled(), true)
      gateway.gateway.services.accounts.guard.liftBlocks()
      await opened.close()
    })
  })

  describe('around a page', () => {
    const withPage = async (
      work: (opened: ConsolePage, page: Page) => Promise<void>,
      path = somewhere,
      options: Parameters<TestBrowser['openAs']>[3] = {},
    ): Promise<void> => {
      await using opened = await browser.openAs(gateway, 'predefined_admin_write', path, options)
      await opened.page.getByRole('navigation').first().waitFor()
      await work(opened, opened.page)
      await opened.close()
    }

    it('asks for the password over the page when the session ends, and keeps what was typed', async () => {
      await withPage(async (opened, page) => {
        // The gateway ends the stream of a session that is over.
        opened.log.allow(/refused: 401 /, /failed: \S+ GET \S*\/events/)
        const comment = page.getByLabel('Comment')
        await comment.fill('not applied yet')
        await opened.settle()
        gateway.clock.advance(20 * minute)
        const dialog = page.getByRole('dialog', { name: 'Sign in again' })
        await dialog.waitFor()
        assert.equal(await dialog.getByLabel('Login').inputValue(), gateway.login)
        await dialog.getByLabel('Password', { exact: true }).fill(gateway.password)
        await page.keyboard.press('Enter')
        await dialog.waitFor({ state: 'detached' })
        // The keys belong to the page when nothing covers it any more.
        await comment.click()
        assert.equal(await comment.inputValue(), 'not applied yet')
        // Leaving asks first.
        const leave = async (): Promise<void> => {
          await ask(page, 'dashboard')
          await page.getByRole('option', { name: /^Dashboard/, selected: true }).waitFor()
          await page.keyboard.press('Enter')
        }
        await leave()
        const guard = page.getByRole('dialog', { name: 'Leave without these changes?' })
        await guard.getByRole('button', { name: 'Cancel' }).click()
        assert.equal(await comment.inputValue(), 'not applied yet')
        await leave()
        await guard.getByRole('button', { name: 'Leave and lose them' }).click()
        await goesTo(page, 'overview/dashboard')
      }, `${somewhere}/new`)
    })

    it('warns before the session ends, and stays when told so', async () => {
      await withPage(async (opened, page) => {
        await page.getByTestId('time-left').filter({ hasText: '15 min left' }).waitFor()
        // What is loaded now would prolong the session once more.
        await opened.settle()
        gateway.clock.advance(13.5 * minute)
        const bar = page.locator('[data-bar="session"]')
        await bar.getByText(/The session ends in \d+ seconds/).waitFor()
        await bar.getByRole('button', { name: 'Stay' }).click()
        await bar.waitFor({ state: 'detached' })
      })
    })

    it('speaks the language of the browser and another one without loading the page', async () => {
      await withPage(
        async (_, page) => {
          await page.evaluate(() => Object.assign(window, { wasHere: true }))
          await page.getByRole('link', { name: 'Сеть' }).waitFor()
          assert.equal(await page.locator('html').getAttribute('lang'), 'ru')
          await openMenu(page)
          await page.getByRole('menuitem', { name: 'English' }).click()
          await page.getByRole('link', { name: 'Network' }).waitFor()
          assert.equal(await page.evaluate(() => 'wasHere' in window), true)
          await page.reload()
          await page.getByRole('link', { name: 'Network' }).waitFor()
        },
        somewhere,
        { language: 'ru-RU' },
      )
    })

    it('shows the theme of the system, or the chosen one in this browser', async () => {
      const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      await withPage(
        async (_, page) => {
          const dark = await background(page)
          await openMenu(page)
          await page.getByRole('menuitem', { name: 'Light theme' }).click()
          await until('the page is light', async () => (await background(page)) !== dark)
          const light = await background(page)
          await page.reload()
          await isIn(page)
          assert.equal(await background(page), light)
        },
        somewhere,
        { colours: 'dark' },
      )
    })

    it('answers the keys that work everywhere', async () => {
      await withPage(async (_, page) => {
        await page.locator('main').focus()
        for (const [keys, path] of [
          ['g h', 'system/history'],
          ['g o', 'objects'],
          ['g d', 'overview/dashboard'],
        ] as const) {
          for (const key of keys.split(' ')) await page.keyboard.press(key)
          await goesTo(page, path)
        }
        await page.keyboard.press('?')
        const help = page.getByRole('dialog', { name: 'Keys' })
        await help.waitFor()
        await help.getByText('Next region').waitFor()
        await help.getByRole('button', { name: 'Close' }).click()
        await help.waitFor({ state: 'detached' })
        const region = () =>
          page.evaluate(() => document.activeElement?.closest('[data-region]')?.getAttribute('data-region'))
        await page.locator('main').focus()
        await page.keyboard.press('F6')
        assert.equal(await region(), 'rail')
        await page.keyboard.press('F6')
        assert.equal(await region(), 'top')
      })
    })

    it('finds what is asked for in the palette', async () => {
      await withPage(async (_, page) => {
        const questions: readonly (readonly [string, string])[] = [
          ['10.1.2.3', 'overview/host/10.1.2.3'],
          ['10.1.2.3 -> 198.51.100.10:443', 'policy/tracer?s=10.1.2.3&d=198.51.100.10:443'],
          ['udp 10.1.2.3 -> 198.51.100.10:53', 'policy/tracer?p=udp&s=10.1.2.3&d=198.51.100.10:53'],
          ['input 3', 'policy/rules/input/at-3'],
          ['static leases', somewhere],
        ]
        for (const [text, path] of questions) {
          // Typed as fast as keys can be: what comes before the palette is drawn must not be lost.
          await ask(page, text)
          await page.keyboard.press('Enter')
          await goesTo(page, path)
        }
        await ask(page, '10.1.2.3')
        await page.getByRole('option', { name: 'Rules that touch it' }).click()
        await goesTo(page, 'policy/rules/forward?q=touches:10.1.2.3')
        const { revision } = gateway.gateway.engine
        await ask(page, `revert to ${revision}`)
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: `Revert to revision ${revision}: Nothing would change` }).waitFor()
        await page.getByRole('button', { name: 'Back to editing' }).click()
        // Last: the draft that it opens is not left without a question.
        await ask(page, 'block 10.1.2.3')
        await page.keyboard.press('Enter')
        await goesTo(page, 'policy/rules/forward/new?source=10.1.2.3&action=drop')
      })
    })

    it('opens the palette with all that was typed, however badly and late its code comes', async () => {
      await using opened = await browser.open(gateway, { session: await gateway.signIn() })
      const { page } = opened
      opened.log.allow(/failed: net::ERR_CONNECTION_RESET GET \S*\/palette-/)
      const asked = new Map<string, number>()
      const { promise: typed, resolve: release } = Promise.withResolvers<void>()
      // The connection ends twice, as it does when a session is over, and then the gateway is slow.
      await page.route(/\/assets\/palette-[^/?]*\.(js|css)(\?|$)/, async (route) => {
        const { pathname } = new URL(route.request().url())
        const count = (asked.get(pathname) ?? 0) + 1
        asked.set(pathname, count)
        if (count <= 2) return route.abort('connectionreset')
        await typed
        return route.continue()
      })
      await opened.visit(`${somewhere}/new`)
      const comment = page.getByLabel('Comment')
      await comment.fill('kept')
      await ask(page, 'static leases')
      release()
      await page.getByRole('option', { name: /^Static leases/, selected: true }).waitFor()
      assert.equal(await page.getByRole('combobox', { name: 'Find or ask' }).inputValue(), 'static leases')
      assert.equal(await comment.inputValue(), 'kept')
      assert.ok([...asked.values()].every((count) => count > 2))
      // It is drawn as it should be: its style came too.
      assert.equal(await page.locator('[data-palette]').evaluate((one) => getComputedStyle(one).position), 'fixed')
      await page.keyboard.press('Escape')
      await page.locator('[data-palette]').waitFor({ state: 'detached' })
      assert.equal(await comment.evaluate((one) => one === document.activeElement), true)
      await opened.close()
    })

    it('leaves only choices of looks in the browser after a sign-out', async () => {
      await withPage(async (opened, page) => {
        await openMenu(page)
        await page
          .getByRole('menuitem', { name: 'Dark theme' })
          .or(page.getByRole('menuitem', { name: 'Light theme' }))
          .click()
        await page.evaluate(() => localStorage.setItem('portcullis.something', 'else'))
        // What is still being read when the session ends would be refused.
        await opened.settle()
        await openMenu(page)
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
        await page.getByLabel('Login').waitFor()
        const kept = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
        assert.deepEqual(
          kept.filter((key) => !/^portcullis\.(theme|density|language|keys|columns)/.test(key)),
          [],
        )
        assert.ok(kept.includes('portcullis.theme'))
        assert.deepEqual(await page.context().cookies(), [])
      })
    })

    it('can be read and used on a narrow screen', async () => {
      for (const width of [768, 390]) {
        await withPage(
          async (opened, page) => {
            assert.equal(await opened.overflow(), 0)
            await page.getByRole('button', { name: 'Pages' }).click()
            await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Monitor' }).click()
            await page.waitForURL(/\/ui\/monitor\//)
          },
          somewhere,
          { viewport: { width, height: 800 } },
        )
      }
    })

    it('says that there is no such page, and which role a page needs', async () => {
      await withPage(async (opened, page) => {
        await page.getByText('There is no such page').waitFor()
        await page.getByRole('link', { name: 'Go to the overview' }).click()
        await page.waitForURL(/\/ui\/overview\//)
        await opened.visit('network')
        await page.waitForURL(/\/ui\/network\/./)
      }, 'no/such/page')
      await using reports = await browser.openAs(gateway, 'predefined_reports_view', somewhere)
      await reports.page.getByText('Your role may not open this page').waitFor()
      assert.equal(await reports.page.getByRole('link', { name: 'Policy' }).count(), 0)
      await ask(reports.page, 'static leases')
      await reports.page.getByRole('option', { name: /Static leases.*Needs the role/ }).waitFor()
      await reports.close()
    })
  })
})
