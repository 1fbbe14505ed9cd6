// Tabs of the browser that no one uses now. A tab that showed the console before has its code in memory: the next page of a file opens
// in half of the processor time. It finds nothing of the one before: no cookie, no text of a form, nothing stored, and
// a window, a network and listeners as new.

import type { BrowserContext, Page } from 'playwright-core'

export interface Tab {
  readonly context: BrowserContext
  readonly page: Page
}

/** What a page of a test listens to. */
const events = ['console', 'dialog', 'pageerror', 'request', 'requestfailed', 'requestfinished', 'response'] as const
const nowhere = 'about:blank'

export class KeptTabs {
  /** By what they were made for, such as a language. */
  readonly #free = new Map<string, Tab[]>()

  /** One that was made for the same, or a new one. */
  async take(purpose: string, make: () => Promise<Tab>): Promise<Tab> {
    return this.#free.get(purpose)?.pop() ?? (await make())
  }

  giveBack(purpose: string, tab: Tab): void {
    this.#free.set(purpose, [...(this.#free.get(purpose) ?? []), tab])
  }

  async close(): Promise<void> {
    const tabs = [...this.#free.values()].flat()
    this.#free.clear()
    await Promise.all(tabs.map(({ context }) => context.close()))
  }
}

/** Makes it as it was before anyone used it. What happens until the page is left is still told to those who listen. */
export async function empty({ context, page }: Tab, viewport: { width: number; height: number }): Promise<void> {
  // A page with a draft asks before it is left; without a listener the browser goes on.
  page.removeAllListeners('dialog')
  // An empty page of the same origin, and so of the same process: what is stored can be removed from there, and nothing adds to it.
  await page.evaluate((address) => location.replace(address), nowhere)
  await page.waitForURL(nowhere)
  for (const event of events) page.removeAllListeners(event)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
    window.name = ''
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  await context.clearCookies()
  // Nothing is under the mouse.
  await page.mouse.move(-1, -1)
  const size = page.viewportSize()
  if (size?.width !== viewport.width || size.height !== viewport.height) await page.setViewportSize(viewport)
}
