// The API description: /openapi.json and the browsable reference at /docs, whose files are in web/. The document is the copy in
// docs/, which a test compares with the endpoints: to make it takes the processor for half a second, and others would wait.

import { readFileSync } from 'node:fs'
import { type CookieNames, cookieNames } from '../../core/area/cookies.ts'
import { handle, type Route } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import { keptBytes, type LongReply } from '../../core/area/segments.ts'
import { documentBrand } from '../../core/contract/document-brand.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Type } from '../../core/contract/schema.ts'

const page = (path: string, summary: string, type: string) =>
  endpoint({ method: 'GET', path, access: 'public', summary, alsoReplies: [type] })

export const referenceEndpoints = {
  document: endpoint({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This interface as an OpenAPI 3.1 document',
    reply: Type.Unknown(),
    example: { reply: { openapi: '3.1.0' } },
  }),
  page: page('/docs', 'The browsable reference of this interface', 'text/html'),
  script: page('/docs/reference.js', 'Script of the reference page', 'text/javascript'),
  style: page('/docs/reference.css', 'Style of the reference page', 'text/css'),
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

/** Read once, when it is first asked for. */
function fileOf(path: string, edit: (bytes: Buffer) => Buffer = (bytes) => bytes): () => LongReply {
  let content: LongReply | null = null
  return () => {
    content ??= keptBytes(edit(readFileSync(new URL(`../../../../${path}`, import.meta.url))))
    return content
  }
}

/** The copy in docs/ has the cookies of the default brand. */
function branded(bytes: Buffer, names: CookieNames): Buffer {
  const own = cookieNames(documentBrand)
  if (own.session === names.session) return bytes
  const text = bytes.toString().replaceAll(own.session, names.session)
  return Buffer.from(text.replaceAll(own.securePrefix, names.securePrefix))
}

export function referenceRoutes(names: CookieNames): Route[] {
  const document = fileOf('docs/openapi.json', (bytes) => branded(bytes, names))
  const file = (target: (typeof referenceEndpoints)['page'], name: string): Route => {
    const content = fileOf(`web/src/reference/${name}`)
    return handle(target, ({ setHeader }) => {
      setHeader('content-security-policy', policy)
      return rawReply(`${target.alsoReplies[0]}; charset=utf-8`, content())
    })
  }
  return [
    handle(referenceEndpoints.document, () => rawReply('application/json; charset=utf-8', document())),
    file(referenceEndpoints.page, 'index.html'),
    file(referenceEndpoints.script, 'reference.js'),
    file(referenceEndpoints.style, 'reference.css'),
  ]
}
