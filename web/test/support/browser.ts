// A browser for each test file, and pages that watch themselves: closing one fails when the console of the browser held an error,
// the policy was violated or a call was refused, unless the test said so before.

import assert from 'node:assert/strict'
import type { Browser, Page, Request } from 'playwright-core'
import type { Role } from '../../../server/src/core/contract/access.ts'
import { eventStreamType } from '../../../server/src/core/contract/endpoint.ts'
import { CleanLog } from '../../../server/test/support/clean-log.ts'
import { patienceMs, until } from '../../../server/test/support/until.ts'
import { giveBrowserBack, takeBrowser } from './chromium.ts'
import type { Console, ConsoleAddress, SessionCookie } from './console.ts'
import { empty, KeptTabs, type Tab } from './kept-tabs.ts'
import { lookAt } from './last-screen.ts'

export { browserSkip } from './chromium.ts'

export interface PageOptions {
  readonly language?: 'en-US' | 'ru-RU'
  readonly colours?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Cookies of a session, so that the page is signed in from the beginning. */
  readonly session?: readonly SessionCookie[]
  readonly permissions?: readonly string[]
}

const desk = { width: 1280, height: 800 }

export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser
  readonly #kept = new KeptTabs()

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await takeBrowser())
  }

  get version(): string {
    return this.#browser.version()
  }

  /** Another person at another machine: no page finds anything of another. */
  async open(address: Pick<ConsoleAddress, 'url'>, options: PageOptions = {}): Promise<ConsolePage> {
    const { language = 'en-US', colours = 'light', viewport = desk, session = [], permissions = [] } = options
    const make = async (): Promise<Tab> => {
      const context = await this.#browser.newContext({
        baseURL: address.url,
        locale: language,
        colorScheme: colours,
        viewport,
        ignoreHTTPSErrors: true,
        reducedMotion: 'reduce',
        permissions: [...permissions],
      })
      context.setDefaultTimeout(patienceMs)
      context.setDefaultNavigationTimeout(patienceMs)
      await context.addInitScript(tellViolations)
      return { context, page: await context.newPage() }
    }
    const purpose = JSON.stringify([address.url, language, colours, viewport, permissions])
    const tab = await this.#kept.take(purpose, make)
    if (session.length > 0) await tab.context.addCookies([...session])
    return new ConsolePage(tab, async () => {
      // What is stored can only be removed from the console itself, and another window would stay.
      const isKept = tab.page.url().startsWith(`${address.url}/`) && tab.context.pages().length === 1
      if (!isKept) return tab.context.close()
      await empty(tab, viewport)
      this.#kept.giveBack(purpose, tab)
    })
  }

  /** A page at a path of the console, signed in with a role. */
  async openAs(
    target: Console,
    role: Role = 'predefined_admin_write',
    path = '',
    options: Omit<PageOptions, 'session'> = {},
  ): Promise<ConsolePage> {
    const opened = await this.open(target, { ...options, session: await target.signIn(role) })
    await opened.visit(path)
    return opened
  }

  /** Every page has to be closed before. */
  async close(): Promise<void> {
    await this.#kept.close()
    await giveBrowserBack()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Runs in the page. Chromium itself only tells of some of them. */
function tellViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
    console.error(`policy violation: ${violatedDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
  })
}

/** Runs in the page: draws what is left to draw, and says whether a part of it waits for something. */
async function drawTwice(): Promise<boolean> {
  const isBusy = (): boolean => document.querySelector('[aria-busy="true"]') !== null
  const draw = (): Promise<number> =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  await draw()
  if (isBusy()) return true
  await draw()
  return isBusy()
}

export class ConsolePage implements AsyncDisposable {
  /** Of Playwright, with a limit of two minutes for whatever it waits for. */
  readonly page: Page
  /** Faults of the page; declare those that a test causes with `expect` and `allow`. */
  readonly log = new CleanLog()
  readonly #tab: Tab
  /** Leaves the page, which another one may have then. */
  readonly #leave: () => Promise<void>
  /** Calls without an answer yet, but for events, whose answer has no end. */
  readonly #waiting = new Set<Request>()
  /** How many calls there were. */
  #asked = 0
  /** Files of the console that did not come, by path, until they come: the gateway ends idle connections, and the console asks again. */
  readonly #lost = new Map<string, string>()
  #isClosed = false

  constructor(tab: Tab, leave: () => Promise<void>) {
    const { page } = tab
    this.#tab = tab
    this.#leave = leave
    this.page = page
    // Who is not signed in yet is told so, and that is how the console finds out.
    this.log.allow(/refused: 401 GET \S*\/web\/(whoami|session)\b/)
    page.on('request', (request) => {
      this.#asked += 1
      this.#waiting.add(request)
    })
    page.on('requestfinished', (request) => this.#waiting.delete(request))
    page.on('console', (message) => {
      const text = message.text()
      // Told with its method and path below.
      if (!['error', 'warning'].includes(message.type()) || text.startsWith('Failed to load resource')) return
      this.#add(`console: ${text}`, message.location().url)
    })
    page.on('pageerror', (error) => this.#add(`exception: ${error.stack ?? error.message}`))
    page.on('response', (response) => {
      if (response.headers()['content-type']?.startsWith(eventStreamType)) this.#waiting.delete(response.request())
      if (response.status() < 400) {
        this.#lost.delete(new URL(response.url()).pathname)
        return
      }
      // A page need not read what is behind a refusal, and then it never counts as finished.
      this.#waiting.delete(response.request())
      this.#add(`refused: ${response.status()} ${response.request().method()} ${response.url()}`)
    })
    page.on('requestfailed', (request) => {
      this.#waiting.delete(request)
      const failure = request.failure()?.errorText ?? ''
      // Leaving a page ends its requests and its events.
      if (failure === 'net::ERR_ABORTED' || this.#isClosed) return
      const fault = `failed: ${failure} ${request.method()} ${request.url()}`
      const { pathname } = new URL(request.url())
      if (failure === 'net::ERR_TOO_MANY_RETRIES' && pathname.startsWith('/ui/assets/')) this.#lost.set(pathname, fault)
      else this.#add(fault)
    })
  }

  #assertClean(): void {
    for (const fault of this.#lost.values()) this.#add(fault)
    this.#lost.clear()
    this.log.assertClean()
  }

  #add(message: string, place = ''): void {
    this.log.add({ level: 'error', message, fields: place === '' ? {} : { place } })
  }

  /** Opens a page of the console by its path, such as `policy/rules/forward`, as from a bookmark. */
  async visit(path = ''): Promise<void> {
    await this.page.goto(`/ui/${path}`, { waitUntil: 'load' })
  }

  /** Goes there as a link does: the console stays loaded. */
  async go(path: string): Promise<void> {
    await this.page.evaluate((to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: null }))
    }, `/ui/${path}`)
  }

  /** Everything that the page asked for has been answered and is drawn. */
  async settle(): Promise<void> {
    await until('the page is quiet', async () => {
      if (this.#waiting.size > 0) return false
      const asked = this.#asked
      const isBusy = await this.page.evaluate(drawTwice)
      return !isBusy && this.#waiting.size === 0 && this.#asked === asked
    })
  }

  /** What has gone wrong since it was last asked, and was not declared. */
  takeFaults(): string {
    try {
      this.#assertClean()
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  /** By how many pixels something is wider than the window. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  }

  /**
   * The end of a test: the person is left with a page that can be used. `over` is the question or the review that the test leaves open
   * on purpose.
   */
  async close({ over }: { readonly over?: string | RegExp } = {}): Promise<void> {
    if (this.#isClosed) return
    await this.#assertUsable(over)
    this.#isClosed = true
    await this.#leave()
    this.#assertClean()
  }

  async #assertUsable(over: string | RegExp | undefined): Promise<void> {
    if (!new URL(this.page.url()).pathname.startsWith('/ui/')) return
    await this.settle()
    const { modal, covered } = await lookAt(this.page)
    if (over !== undefined) {
      const isThere = modal.length === 1 && (typeof over === 'string' ? modal[0] === over : over.test(modal[0] ?? ''))
      assert.ok(isThere, `the page should end with ${over} over it, and has ${JSON.stringify(modal)}`)
      return
    }
    assert.deepEqual(modal, [], 'the test leaves the page behind a question or a review')
    assert.deepEqual(covered, [], 'the test leaves the page covered')
  }

  /** A test that failed has its own message; here the page only goes away. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#tab.context.close()
  }
}
