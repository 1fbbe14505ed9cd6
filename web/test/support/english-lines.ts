// English that is visible on a page in another language. What the gateway still says in English only is listed here by its beginning;
// this list may only become shorter.

import type { Page } from 'playwright-core'
import { exceptions } from '../../../server/test/support/exceptions.ts'

/** Words in a row that make a sentence and not a name. */
const words = 4

/** What people and programs wrote: it has no translation. */
const written: readonly RegExp[] = [
  /^Rule \d+ of the (office|branch)/,
  /^\d+ rules for a test/,
  /prepared by a test/,
  /^change of-?\S+ from /,
  // Names that the first rules of the content filter have until an administrator gives others.
  /^(?:Allow the allowed|Deny the forbidden) sites$/,
]

/** What the gateway still says in English only, by its beginning. */
const stillEnglish: readonly string[] = exceptions('English sentences on Russian pages', [])

/** Lines of the page with English sentences that are not known. */
export async function englishLines(page: Page): Promise<string[]> {
  const lines = await page.evaluate((most) => {
    const sentence = new RegExp(`(?:\\b[A-Za-z][a-z]*,? ){${most - 1}}[a-z]+`)
    const found = new Set<string>()
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = (node.textContent ?? '').trim()
      const parent = node.parentElement
      if (!parent || /[а-яё]/i.test(text) || !sentence.test(text)) continue
      if (parent.closest('code, pre, textarea, [lang="en"], .visually-hidden') !== null) continue
      if (parent.getClientRects().length > 0) found.add(text)
    }
    return [...found]
  }, words)
  return lines.filter(
    (line) => !written.some((one) => one.test(line)) && !stillEnglish.some((one) => line.startsWith(one)),
  )
}
