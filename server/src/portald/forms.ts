// Reads the body of a form: short, of one type, each field once, within a time.

import type { IncomingMessage } from 'node:http'

export const maxFormBytes = 8 * 1024
const maxFields = 16

export type Form = ReadonlyMap<string, string>
export type FormFault = 'too_large' | 'unsupported' | 'malformed' | 'slow'

export async function readForm(request: IncomingMessage, timeoutMs: number): Promise<Form | FormFault> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') return 'unsupported'
  if (Number(request.headers['content-length'] ?? 0) > maxFormBytes) return 'too_large'
  const body = await readBody(request, timeoutMs)
  return typeof body === 'string' ? body : parseForm(body)
}

export function parseForm(body: Buffer): Form | 'malformed' {
  const fields = [...new URLSearchParams(body.toString('utf8'))]
  const form = new Map(fields)
  return fields.length > maxFields || form.size < fields.length ? 'malformed' : form
}

function readBody(request: IncomingMessage, timeoutMs: number): Promise<Buffer | FormFault> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | FormFault): void => {
      clearTimeout(timer)
      request.off('data', take)
      resolve(result)
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > maxFormBytes) finish('too_large')
      else chunks.push(chunk)
    }
    const timer = setTimeout(finish, timeoutMs, 'slow')
    request.on('data', take)
    request.once('end', () => finish(Buffer.concat(chunks)))
    for (const event of ['error', 'close']) request.once(event, () => finish('malformed'))
  })
}
