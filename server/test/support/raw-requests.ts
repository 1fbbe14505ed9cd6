// Reads requests out of the bytes of a connection, as a server of HTTP/1 does: heads, and bodies by length or in chunks. What it
// cannot read stays as the rest. For tests that look at every byte that reached a server.

export interface RawRequest {
  readonly method: string
  readonly target: string
  /** As sent; empty without one. */
  readonly host: string
  readonly head: string
  readonly body: string
}

export interface RawReading {
  readonly requests: readonly RawRequest[]
  /** Not a whole request, or not HTTP/1. */
  readonly rest: string
}

const headForm = /^([^\s:]+) (\S+) HTTP\/1\.[01]\r\n((?:[^\r\n]+\r\n)*)\r\n/

/** One character a byte. */
export function readRequests(bytes: string): RawReading {
  const requests: RawRequest[] = []
  let rest = bytes
  for (;;) {
    const [head, method = '', target = '', fields = ''] = headForm.exec(rest) ?? []
    if (head === undefined) return { requests, rest }
    const field = (name: string): string => new RegExp(`^${name}: *(.*?) *$`, 'im').exec(fields)?.[1] ?? ''
    const body = bodyOf(rest.slice(head.length), field('content-length'), field('transfer-encoding'))
    if (body === null) return { requests, rest }
    requests.push({ method, target, host: field('host'), head, body })
    rest = rest.slice(head.length + body.length)
  }
}

/** Null while it is not complete. */
function bodyOf(text: string, length: string, coding: string): string | null {
  if (/chunked/i.test(coding)) return /^(?:[0-9a-f]+[^\r]*\r\n.*?\r\n)*?0\r\n\r\n/is.exec(text)?.[0] ?? null
  const bytes = Number(length || 0)
  return text.length < bytes ? null : text.slice(0, bytes)
}
