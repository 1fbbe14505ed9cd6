// What a request is to the routes: who asks, in which language, with which cookies, and whether a form was made for this
// browser. A form counts only with the token that this browser got in a cookie, and never when it comes from another site.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { PortalFile, PortalLanguage } from '../engines/portal/settings-file.ts'
import { readCookie, setCookie } from './cookies.ts'
import type { Form } from './forms.ts'
import { asLanguage, preferredLanguage } from './language.ts'
import type { View } from './layout.ts'
import { texts } from './texts.ts'
import { checkWanted } from './wanted.ts'

export interface Request {
  readonly parameters: URLSearchParams
  readonly form: Form
  /** IPv4 of the client. */
  readonly address: string
  /** The host that clients are sent to, with its port. */
  readonly authority: string
  readonly token: string | null
  readonly view: View
  /** Cookies that every answer to this request sets. */
  readonly cookies: readonly string[]
}

export interface RequestParts {
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly form: Form
  readonly address: string
  readonly authority: string
  readonly file: PortalFile
  readonly stylePath: string
}

const tokenBytes = 18

export function readRequest(parts: RequestParts): Request {
  const { url, headers, form, address, authority, file, stylePath } = parts
  const chosen = asLanguage(url.searchParams.get('lang'))
  const stored = asLanguage(readCookie(headers.cookie, 'language'))
  const language: PortalLanguage = chosen ?? stored ?? preferredLanguage(headers['accept-language'], file.language)
  const presented = readCookie(headers.cookie, 'form')
  const formToken = presented ?? randomBytes(tokenBytes).toString('base64url')
  const wanted = checkWanted(form.get('wanted') ?? url.searchParams.get('wanted'))
  return {
    form,
    address,
    authority,
    parameters: url.searchParams,
    token: readCookie(headers.cookie, 'token'),
    view: { language, texts: texts[language], file, stylePath, formToken, wanted },
    cookies: [
      ...(presented === null ? [setCookie('form', formToken)] : []),
      ...(chosen !== null && chosen !== stored ? [setCookie('language', chosen)] : []),
    ],
  }
}

/** Was the form made by a page of ours for this browser? */
export function isOwnForm(headers: IncomingHttpHeaders, form: Form): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin !== undefined && origin !== `https://${host}`) return false
  if (site !== undefined && site !== 'same-origin') return false
  const [presented, sent] = [readCookie(headers.cookie, 'form'), form.get('form')]
  if (presented === null || sent === undefined) return false
  const [left, right] = [Buffer.from(presented), Buffer.from(sent)]
  return left.length === right.length && timingSafeEqual(left, right)
}
