// A real browser in a namespace of the lab: what a person at the client sees. One browser for each test file; every page that is
// opened has its own profile, as another person would.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import type { LabGateway } from './lab-gateway.ts'
import { lacking } from './requires.ts'
import { patienceMs } from './until.ts'

const program = '/usr/lib/chromium/chromium-headless-shell'
const certutil = '/usr/bin/certutil'
const desk = { width: 1280, height: 720 }

export const browserSkip = lacking(program)
/** Where the browser has to trust an authority. */
export const trustSkip = lacking(program, certutil)

export interface PageOptions {
  /** As in `Accept-Language`. */
  readonly language?: string
  /** Most people accept the certificate of the gateway, or have its authority installed. */
  readonly acceptsAnyCertificate?: boolean
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colours?: 'light' | 'dark'
}

export interface Visit {
  /** Of the last answer, behind all redirects; null without one. */
  readonly status: number | null
  /** Where the browser is afterwards. */
  readonly url: string
  /** The browser's own name of the failure, such as `ERR_CONNECTION_REFUSED`; `TIMEOUT` when nothing came; null when there is none. */
  readonly failure: string | null
}

export class LabBrowser implements AsyncDisposable {
  readonly #browser: Browser
  readonly #folder: string

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser
    this.#folder = folder
  }

  /** `enter` leads on from the namespace, to another host for example. `authorities`: files with what it trusts. */
  static async start(
    gateway: LabGateway,
    namespace = 'client',
    enter: readonly string[] = [],
    authorities: readonly string[] = [],
  ): Promise<LabBrowser> {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-browser-'))
    if (authorities.length > 0) trust(folder, authorities)
    const { command, env } = openLab(gateway.stateDir, namespace)
    // The driver speaks to the browser over inherited descriptors, which pass through every program of the command.
    const wrapper = join(folder, 'browser')
    writeFileSync(wrapper, `#!/bin/sh\nexec ${[...command, ...enter, program].map(quote).join(' ')} "$@"\n`)
    chmodSync(wrapper, 0o755)
    try {
      const browser = await chromium.launch({
        executablePath: wrapper,
        timeout: patienceMs,
        // The account in the lab is root, for which the browser has no sandbox. It only meets pages of the lab.
        chromiumSandbox: false,
        env: { ...definedOnly(env), HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      })
      return new LabBrowser(browser, folder)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  get version(): string {
    return this.#browser.version()
  }

  async open(options: PageOptions = {}): Promise<LabPage> {
    const { language = 'en-US', acceptsAnyCertificate = true, viewport = desk, colours = 'light' } = options
    const context = await this.#browser.newContext({
      locale: language,
      ignoreHTTPSErrors: acceptsAnyCertificate,
      viewport,
      colorScheme: colours,
    })
    context.setDefaultTimeout(patienceMs)
    return new LabPage(context, await context.newPage())
  }

  /** Call it before the lab stops. */
  async close(): Promise<void> {
    await this.#browser.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

export class LabPage {
  /** Errors in the console of the page, and exceptions of its scripts. */
  readonly errors: string[] = []
  /** Requests without an answer, each with the browser's name of the failure. */
  readonly failures: { readonly url: string; readonly failure: string }[] = []
  readonly #context: BrowserContext
  readonly #page: Page

  constructor(context: BrowserContext, page: Page) {
    this.#context = context
    this.#page = page
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text())
    })
    page.on('pageerror', (error) => this.errors.push(error.message))
    page.on('requestfailed', (request) => {
      this.failures.push({ url: request.url(), failure: failureOf(request.failure()?.errorText ?? '') })
    })
  }

  get url(): string {
    return this.#page.url()
  }

  /** A failure is a result, not an error. `timeoutMs` is for what is not answered at all. */
  async visit(url: string, timeoutMs = patienceMs): Promise<Visit> {
    if (errorPage.test(this.#page.url())) await this.#page.goto('about:blank')
    try {
      const response = await this.#page.goto(url, { timeout: timeoutMs, waitUntil: 'load' })
      return { status: response?.status() ?? null, url: this.#page.url(), failure: null }
    } catch (error) {
      const { message } = error as Error
      if (/Timeout \d+ms exceeded/.test(message)) return { status: null, url: this.#page.url(), failure: 'TIMEOUT' }
      const failure = failureOf(message)
      if (failure === '') throw error
      // It comes a moment after the failure, and would end the next visit.
      await this.#page.waitForURL(errorPage, { waitUntil: 'commit' })
      return { status: null, url: this.#page.url(), failure }
    }
  }

  /** Everything that the page shows as text. */
  text(): Promise<string> {
    return this.#page.locator('body').innerText()
  }

  title(): Promise<string> {
    return this.#page.title()
  }

  /** The language that the page says it is in. */
  language(): Promise<string | null> {
    return this.#page.locator('html').getAttribute('lang')
  }

  async fill(label: string | RegExp, value: string): Promise<void> {
    await this.#page.getByLabel(label, { exact: isExact(label) }).fill(value)
  }

  async click(role: Role, name: string | RegExp): Promise<void> {
    await this.#page.getByRole(role, { name, exact: isExact(name) }).click()
  }

  async has(role: Role, name: string | RegExp): Promise<boolean> {
    return (await this.#page.getByRole(role, { name, exact: isExact(name) }).count()) > 0
  }

  async hasField(label: string | RegExp): Promise<boolean> {
    return (await this.#page.getByLabel(label, { exact: isExact(label) }).count()) > 0
  }

  /** Resolves when the page shows this text, wherever a click or a redirect led. */
  async shows(text: string | RegExp): Promise<void> {
    await this.#page.getByText(text).first().waitFor()
  }

  /** The text of what a selector finds, for what no role or label names. */
  textOf(selector: string): Promise<string> {
    return this.#page.locator(selector).innerText()
  }

  async waitForUrl(url: string | RegExp): Promise<void> {
    await this.#page.waitForURL(url)
  }

  /** Is the page wider than the window? */
  scrollsSideways(): Promise<boolean> {
    return this.#page.evaluate('document.documentElement.scrollWidth > innerWidth')
  }

  /** A PNG image. */
  screenshot(): Promise<Buffer> {
    return this.#page.screenshot()
  }

  cookies(): ReturnType<BrowserContext['cookies']> {
    return this.#context.cookies()
  }

  /** Forgets the profile. */
  close(): Promise<void> {
    return this.#context.close()
  }
}

/** In the store that the browser reads below its home. */
function trust(home: string, authorities: readonly string[]): void {
  const store = join(home, '.pki', 'nssdb')
  mkdirSync(store, { recursive: true })
  const run = (...args: readonly string[]) => execFileSync(certutil, [...args, '-d', `sql:${store}`], { stdio: 'pipe' })
  run('-N', '--empty-password')
  authorities.forEach((file, index) => {
    run('-A', '-n', `authority ${index}`, '-t', 'C,,', '-i', file)
  })
}

/** A text is the whole name, an expression a part of it. */
const isExact = (name: string | RegExp): boolean => typeof name === 'string'

type Role = Parameters<Page['getByRole']>[0]

/** What the browser shows instead of a page that it did not get. */
const errorPage = /^chrome-error:/

const failureOf = (message: string): string => /net::(ERR_[A-Z_]+)/.exec(message)?.[1] ?? ''

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
