// The cookies of the portal. `__Host-` means for this host alone, over TLS, for every path (RFC 6265bis).

export const cookieNames = {
  token: '__Host-portal',
  form: '__Host-portal-form',
  language: '__Host-portal-language',
} as const
export type CookieName = keyof typeof cookieNames

const valueForm = /^[A-Za-z0-9._~+/=-]{1,512}$/

/** One that appears twice, or with a value that we never set, counts as absent. */
export function readCookie(header: string | undefined, cookie: CookieName): string | null {
  const prefix = `${cookieNames[cookie]}=`
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))
  const [value] = found
  return found.length === 1 && value !== undefined && valueForm.test(value) ? value : null
}

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

export function setCookie(cookie: CookieName, value: string): string {
  if (!valueForm.test(value)) throw new Error(`The value of the cookie ${cookieNames[cookie]} is not allowed.`)
  return `${cookieNames[cookie]}=${value}; ${attributes}`
}

export const clearCookie = (cookie: CookieName): string => `${cookieNames[cookie]}=; Max-Age=0; ${attributes}`
