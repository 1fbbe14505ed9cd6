// What a person does first on any page: a click on a row, a click on what adds, and Esc. Nothing breaks, and the focus is again on
// what opened it.

import type { ConsolePage } from './browser.ts'

const over = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Returns what is wrong. The page is at its path before and after. */
export async function touchPage(opened: ConsolePage, path: string): Promise<string[]> {
  const { page } = opened
  const faults: string[] = []
  const mark = (what: 'row' | 'adding'): Promise<boolean> =>
    page.evaluate((kind) => {
      for (const one of document.querySelectorAll('[data-touched]')) one.removeAttribute('data-touched')
      const controls = 'a, button, input, [role="switch"], [role="checkbox"]'
      const found =
        kind === 'row'
          ? [...document.querySelectorAll('main [data-row="0"] > [data-cell]')].find(
              (cell) => cell.querySelector(controls) === null && cell.getAttribute('aria-readonly') === null,
            )
          : document.querySelector('main [data-icon="add"]:not(:disabled, [aria-disabled="true"])')
      found?.setAttribute('data-touched', '')
      return found !== undefined && found !== null
    }, what)
  const touched = page.locator('[data-touched]')
  const isOver = async (): Promise<boolean> => (await page.locator(over).count()) > 0
  const says = async (what: string): Promise<void> => {
    // Other alerts in a window are notes about the item.
    const alerts = await page.locator('main [role="alert"], [role="dialog"] [role="alert"][data-code]').allInnerTexts()
    const said = [...alerts.filter((text) => text.trim() !== ''), opened.takeFaults()].filter((text) => text !== '')
    faults.push(...said.map((text) => `${what}: ${text}`))
  }
  /** Closes what is open, and looks for the focus. */
  const leave = async (what: string): Promise<void> => {
    await opened.settle()
    await says(what)
    // A row may lead to another page, whose windows are looked at there.
    if (!(await isOver()) || !new URL(page.url()).pathname.startsWith(`/ui/${path}`)) return
    await page.keyboard.press('Escape')
    await page.locator(over).first().waitFor({ state: 'detached' })
    await opened.settle()
    const focused = await page.evaluate(() => {
      const now = document.activeElement
      const wanted = document.querySelector('[data-touched]')
      return now !== null && now === wanted ? null : `${now?.tagName} ${(now?.textContent ?? '').slice(0, 60)}`
    })
    if (focused !== null) faults.push(`${what}: after Esc the focus is on ${focused}`)
  }
  const back = async (): Promise<void> => {
    if (new URL(page.url()).pathname === `/ui/${path}`) return
    await opened.go(path)
    await opened.settle()
  }
  if (await mark('row')) {
    await touched.click()
    await leave('a click on the first row')
    await back()
  }
  if (await mark('adding')) {
    await touched.click()
    await opened.settle()
    if ((await page.locator('[role="menu"]').count()) > 0) {
      await leave('the menu of what adds')
      await touched.click()
      await page.locator('[role="menuitem"]').first().click()
    }
    await leave('what adds')
    await back()
  }
  return faults
}
