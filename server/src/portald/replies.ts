// What an answer is made of, with the headers that every answer has.

import type { ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Markup } from './html.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const common = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: browsers would send no usable Origin with a form.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
} as const

/** Browsers complain about it on plain HTTP, where they do not follow it. */
const overTls = { 'Cross-Origin-Opener-Policy': 'same-origin' } as const

export const pageReply = (status: number, page: Markup, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body: page.toString(),
})

/** 303: the browser asks for the other page with GET, so that "back" sends no form again. */
export const redirect = (status: 302 | 303 | 307, location: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { Location: location, 'Cache-Control': 'no-store', ...headers },
  body: '',
})

export const textReply = (status: number, type: string, body: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers },
  body,
})

export function send(response: ServerResponse, { status, headers, body }: Reply, isHead: boolean): void {
  if (response.headersSent || response.destroyed) return
  const isTls = response.socket instanceof TLSSocket
  response.writeHead(status, {
    ...common,
    ...(isTls ? overTls : {}),
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  })
  response.end(isHead ? undefined : body)
}
