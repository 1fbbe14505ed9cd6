// The last screen of a task: what a person is left with. Nothing covers the page, nothing went wrong on the way, and the gateway has
// what the page says.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/support/until.ts'
import type { ConsolePage } from './browser.ts'

/** What is over the page, and what of it a click cannot reach. */
interface Screen {
  /** Titles of dialogs and drawers; messages in a corner are not among them. */
  readonly open: readonly string[]
  /** Those that keep the page from being used until they are answered. */
  readonly modal: readonly string[]
  /** Headings and buttons of bars that are under something else. */
  readonly covered: readonly string[]
}

export const lookAt = (page: Page): Promise<Screen> =>
  page.evaluate(() => {
    const isShown = (element: Element): boolean => element.getClientRects().length > 0
    const all = (selector: string): readonly HTMLElement[] =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter(isShown)
    const titleOf = (dialog: HTMLElement): string =>
      document.getElementById(dialog.getAttribute('aria-labelledby') ?? '')?.textContent ??
      dialog.innerText.slice(0, 80)
    const isNews = (dialog: HTMLElement): boolean => dialog.closest('[data-news]') !== null
    const dialogs = all('[role="dialog"], [role="alertdialog"]').filter((one) => !isNews(one))
    const covers = (element: HTMLElement): string | null => {
      // Who scrolled down has the title under the bar of the page.
      element.scrollIntoView({ block: 'center' })
      const { left, top, width, height } = element.getBoundingClientRect()
      // The words themselves: a title is as wide as the page, and a panel beside the list may lie over its end.
      const at = document.elementFromPoint(left + Math.min(width, 40) / 2, top + height / 2)
      if (at === null || element.contains(at) || at.contains(element)) return null
      return `${element.innerText.trim()} is under ${at.tagName.toLowerCase()} "${(at as HTMLElement).innerText?.slice(0, 60) ?? ''}"`
    }
    const reached = [...all('main h1'), ...all('[data-bar] button')]
    return {
      open: dialogs.map(titleOf),
      modal: dialogs.filter((one) => one.hasAttribute('data-modal')).map(titleOf),
      covered: reached.flatMap((one) => covers(one) ?? []),
    }
  })

export interface LastScreen {
  /** The heading of the page where the task ends. */
  readonly heading?: string | RegExp
  /** A panel that stays open beside the list; every other one fails. */
  readonly panel?: string | RegExp
  /** What the gateway has to have at the end. */
  readonly result?: () => boolean | Promise<boolean>
}

/** At the end of each task. */
export async function assertDone(opened: ConsolePage, task: string, screen: LastScreen = {}): Promise<void> {
  const { heading, panel, result } = screen
  if (result) await until(`${task}: the gateway has it`, result)
  await opened.settle()
  const { open, covered } = await lookAt(opened.page)
  const isMeant = (title: string): boolean =>
    panel !== undefined && (typeof panel === 'string' ? title === panel : panel.test(title))
  assert.deepEqual(
    open.filter((title) => !isMeant(title)),
    [],
    `${task}: something is still open over the page`,
  )
  assert.deepEqual(covered, [], `${task}: something lies over the page`)
  if (heading !== undefined) await opened.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  assert.equal(opened.takeFaults(), '', task)
}
