// English that is visible on a page in another language. What the gateway still says in English only is listed here by its beginning;
// this list may only become shorter.

import type { Page } from 'playwright-core'

/** Words in a row that make a sentence and not a name. */
const words = 4

/** What people and programs wrote: it has no translation. */
const written: readonly RegExp[] = [
  /^Rule \d+ of the (office|branch)/,
  /^\d+ rules for a test/,
  /prepared by a test/,
  /^change of-?\S+ from /,
]

/** Status of engines, hygiene of rules, the built-in profile, and reasons of revisions that are the summary of a call. */
export const stillEnglish: readonly string[] = [
  'No automatic backup has been made yet.',
  'The upload to the FTP server is disabled.',
  'The upload to the CIFS share is disabled.',
  'Intrusion prevention is disabled.',
  'The content filter and the direct proxy are off:',
  'The decision process is not needed.',
  'The web antivirus is switched off.',
  'No application control rule is enabled,',
  'Authorization is not enforced:',
  'Hosts that begin to send are not noticed:',
  'The portal is not needed:',
  'Device discovery is not enabled.',
  'Stored; the VPN servers are not part of this release yet',
  'Names are resolved through the root servers.',
  'No authoritative zone is enabled.',
  'Queries of local hosts to servers in the internet',
  'The DHCP server is not enabled on any interface.',
  'The DHCP relay is not enabled on any interface.',
  'The mail server is switched off.',
  'The antispam and antivirus engine is switched off.',
  'Stored. The link between console and gateways is not part of',
  'Forwarding is switched off.',
  'The detection of applications is switched off,',
  'The flow export is switched off.',
  'Stored; nothing is sent from here.',
  'The rule never decides:',
  'The rule accepts every',
  'The rule redirects connections to every',
  'No packet has hit the rule since',
  'Blocks attacks and malware, reports suspicious traffic.',
  'Interfaces found on this machine',
  'Add ',
]

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
