// The address that a browser asked for before it was sent to the sign-in page. It comes from the request of any host, so it
// is only ever shown as text, and a link when it is a plain address of a web page.

declare const checked: unique symbol
/** An absolute http or https address without login. */
export type WantedUrl = string & { readonly [checked]: true }

const maxLength = 1_024

export function checkWanted(text: string | null): WantedUrl | null {
  if (text === null || text.length > maxLength || /[\p{Cc}\p{Cs}\s\\]/u.test(text)) return null
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { href, username, password, hostname } = new URL(text)
  if (username !== '' || password !== '' || hostname === '' || href.length > 2 * maxLength) return null
  return href as WantedUrl
}

/** What systems ask for to find out whether there is a portal: no user wants to go there. */
const checks: ReadonlySet<string> = new Set([
  '/generate_204',
  '/gen_204',
  '/mobile/status.php',
  '/hotspot-detect.html',
  '/library/test/success.html',
  '/connecttest.txt',
  '/ncsi.txt',
  '/redirect',
  '/success.txt',
  '/canonical.html',
  '/check_network_status.txt',
])

/** What a plain request asked for, from its Host header and its target. */
export function wantedOf(host: string | undefined, target: string): WantedUrl | null {
  if (host === undefined || !/^[A-Za-z0-9._-]+(?::\d{1,5})?$/.test(host)) return null
  const path = target.replace(/^http:\/\/[^/?#]*/i, '')
  if (checks.has(path.split('?', 1)[0] ?? '')) return null
  return checkWanted(`http://${host}${path.startsWith('/') ? path : '/'}`)
}
