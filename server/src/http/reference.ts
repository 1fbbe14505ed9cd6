// The API description: /openapi.json and the browsable reference at /docs, whose files are in web/.

import { readFileSync } from 'node:fs'
import { endpoint } from '../contract/endpoint.ts'
import { type AreaEndpoints, openApi } from '../contract/openapi.ts'
import { printJson } from '../contract/print-json.ts'
import { Type } from '../contract/schema.ts'
import { statusOf } from './errors.ts'
import { handle, type Route, rawReply } from './handle.ts'
import { keptBytes, type LongReply } from './segments.ts'

const page = (path: string, summary: string) => endpoint({ method: 'GET', path, access: 'public', summary })

export const referenceEndpoints = {
  document: endpoint({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This interface as an OpenAPI 3.1 document',
    reply: Type.Unknown(),
    example: { reply: { openapi: '3.1.0' } },
  }),
  page: page('/docs', 'The browsable reference of this interface'),
  script: page('/docs/reference.js', 'Script of the reference page'),
  style: page('/docs/reference.css', 'Style of the reference page'),
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const webFile = (name: string): Buffer => readFileSync(new URL(`../../../web/src/reference/${name}`, import.meta.url))

export function referenceRoutes(areas: readonly AreaEndpoints[], version: string): Route[] {
  const own = { name: 'reference', endpoints: Object.values(referenceEndpoints) }
  let document: LongReply | null = null
  const file = (target: (typeof referenceEndpoints)['page'], name: string, type: string): Route => {
    let content: LongReply | null = null
    return handle(target, ({ setHeader }) => {
      setHeader('content-security-policy', policy)
      content ??= keptBytes(webFile(name))
      return rawReply(`${type}; charset=utf-8`, content)
    })
  }
  return [
    handle(referenceEndpoints.document, () => {
      document ??= keptBytes(Buffer.from(printJson(openApi([...areas, own], version, statusOf))))
      return rawReply('application/json; charset=utf-8', document)
    }),
    file(referenceEndpoints.page, 'index.html', 'text/html'),
    file(referenceEndpoints.script, 'reference.js', 'text/javascript'),
    file(referenceEndpoints.style, 'reference.css', 'text/css'),
  ]
}
