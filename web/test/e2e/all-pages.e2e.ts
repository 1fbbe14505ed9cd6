// Every page of the console, as an administrator and with the view-only role: it has a heading and no fault, nothing is wider than
// the window, and axe finds no barrier. Its first row is opened and what adds is pressed; Esc closes it and gives the focus back.
// A page in Russian has no English sentence. By day a page is looked at in one look, light English or dark Russian; at night in all four.
// Requirement 38.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mayUse } from '../../../server/src/core/contract/access.ts'
import type { PageEntry } from '../../src/page.ts'
import { pages } from '../../src/pages/index.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, type PageOptions, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { englishLines } from '../support/english-lines.ts'
import { furnish } from '../support/furnish.ts'
import { touchPage } from '../support/touch-page.ts'

const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
/** By day one page in so many is looked at with the view-only role too: it has the fields of the others, without what changes them. */
const shareOfReaders = 4

/** The same around the pages of a group: axe looks at it on the first one. */
const shell = ['[data-region="rail"]', '[data-region="top"]']

type Look = Required<Pick<PageOptions, 'language' | 'colours'>>
const lightEnglish: Look = { language: 'en-US', colours: 'light' }
const darkRussian: Look = { language: 'ru-RU', colours: 'dark' }
const others: readonly Look[] = [
  { language: 'en-US', colours: 'dark' },
  { language: 'ru-RU', colours: 'light' },
]

describe('every page', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  before(async () => {
    target = await startConsole()
    await target.seedRules(40)
    await furnish(await target.gateway.client('predefined_admin_write'))
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  /** Goes there as a link does, to the first one as from a bookmark, and returns what is wrong with it. */
  async function look(
    opened: ConsolePage,
    entry: PageEntry,
    { isWhole, isRussian, isShellNew }: Record<'isWhole' | 'isRussian' | 'isShellNew', boolean>,
  ): Promise<string[]> {
    const { page } = opened
    if (page.url() === 'about:blank') await opened.visit(entry.path)
    else {
      await page.evaluate(() => document.querySelector('main h1')?.setAttribute('data-seen', ''))
      await opened.go(entry.path)
    }
    try {
      await page.locator('main h1:not([data-seen]), main [role="alert"]').first().waitFor()
      await opened.settle()
    } catch (error) {
      const shown = (await page.locator('body').innerText()).slice(0, 500)
      throw new Error(`${entry.path} is not shown:\n${opened.takeFaults()}\n${shown}`, { cause: error })
    }
    const faults = await page.locator('main [role="alert"]').allInnerTexts()
    const headings = (await page.locator('h1').allInnerTexts()).filter((text) => text.trim() !== '')
    if (headings.length !== 1) faults.push(`it has ${headings.length} headings: ${headings.join(', ')}`)
    if (isRussian) faults.push(...(await englishLines(page)).map((line) => `it says in English: ${line}`))
    const overflow = await opened.overflow()
    if (overflow > 0) faults.push(`it is ${overflow} pixels wider than the window`)
    if (isWhole) {
      faults.push(...(await findBarriers(opened, 'html', isShellNew ? [] : shell)))
      faults.push(...(await touchPage(opened, entry.path)))
    }
    faults.push(opened.takeFaults())
    return faults.filter((fault) => fault !== '').map((fault) => `${entry.path}: ${fault}`)
  }

  async function walk(
    entries: readonly PageEntry[],
    options: Look,
    role: Parameters<Console['signIn']>[0],
  ): Promise<void> {
    const opened = await browser.open(target, { ...options, session: await target.signIn(role) })
    await using _ = opened
    const faults: string[] = []
    const kind = { isWhole: role === 'predefined_admin_write', isRussian: options.language === 'ru-RU' }
    const groups = new Set<string>()
    for (const entry of entries) {
      faults.push(...(await look(opened, entry, { ...kind, isShellNew: !groups.has(entry.group) })))
      groups.add(entry.group)
    }
    assert.deepEqual(faults, [])
    await opened.close()
  }

  const half = (rest: number): readonly PageEntry[] => pages.filter((_, index) => isNightly || index % 2 === rest)

  it('in light English is whole', () => walk(half(0), lightEnglish, 'predefined_admin_write'))

  it('in dark Russian is whole', () => {
    // The gateway says most on these.
    const first = pages.filter(({ path }) => path === 'overview/health' || path === 'overview/dashboard')
    return walk([...new Set([...first, ...half(1)])], darkRussian, 'predefined_admin_write')
  })

  for (const one of others) {
    it(`in ${one.colours} ${one.language} is whole`, { skip: isNightly ? false : 'at night' }, () =>
      walk(pages, one, 'predefined_admin_write'),
    )
  }

  it('is whole for those who may only look', () => {
    const readable = pages.filter(({ access }) => mayUse('predefined_admin_readonly', access))
    const chosen = readable.filter((_, index) => isNightly || index % shareOfReaders === 0)
    return walk(chosen, lightEnglish, 'predefined_admin_readonly')
  })

  it('opens from a bookmark, and one that the role may not open says so', async () => {
    const closed = pages.find(({ access }) => !mayUse('predefined_reports_view', access))
    assert.ok(closed)
    const opened = await browser.openAs(target, 'predefined_reports_view', closed.path)
    await using _ = opened
    await opened.page.getByText('Your role may not open this page').waitFor()
    await opened.close()
  })
})
