// One call of the interface, typed by its endpoint. Nothing else in the console calls fetch.

import type { BodyOf, Endpoint, QueryOf, ReplyOf } from '@gateway/server/contract'
import type { ErrorReason } from '@gateway/server/core/error'
import type { Sentence } from '@gateway/server/shared/said'
import { msg } from '../words.ts'
import { Failure, type FailureCode, type Problem } from './failure.ts'
import { withSentences } from './sentences.ts'

export interface CallOptions<E = Endpoint> {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Partial<QueryOf<E>> & { readonly dry_run?: boolean }
  readonly body?: BodyOf<E>
  /** A body that is not JSON, such as a file. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The page asks by itself: the session is not prolonged. */
  readonly isBackground?: boolean
}

/** Cast: of an endpoint that is only known when the page runs, the compiler cannot know the query and the body. */
export const optionsOf = (options: {
  readonly query?: object
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly isBackground?: boolean
}): CallOptions => options as unknown as CallOptions

/**
 * Cast: as much of the contract as a read needs. The whole of it is large, and a page should not load it for a list that it only
 * mentions.
 */
export const readAt = (path: string): Endpoint => ({ method: 'GET', path, params: [] }) as unknown as Endpoint

export interface Reply<R> {
  readonly status: number
  readonly data: R
  /** The state of the list or settings, for If-Match. */
  readonly etag: string | null
  readonly headers: Headers
}

/** `sentAt`: when the call was sent, by the clock of the page. */
type Listener = (failure: Failure, sentAt: number) => void
const listeners = new Set<Listener>()

/** Called for every failed call, so that the shell can ask for a sign-in or say that the gateway does not answer. */
export function onFailure(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Gate = (endpoint: Endpoint) => Promise<void>
let gate: Gate = () => Promise.resolve()

/** What must be settled before a call is sent, such as a fresh sign-in. */
export function beforeCalls(next: Gate): void {
  gate = next
}

/** `/dhcp_server/static_leases/:id?dry_run=true` with its variables filled in. */
export function addressOf(endpoint: Pick<Endpoint, 'path'>, { params = {}, query = {} }: CallOptions = {}): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

export async function call<E extends Endpoint>(endpoint: E, options: CallOptions<E> = {}): Promise<Reply<ReplyOf<E>>> {
  const response = await send(endpoint, options as CallOptions)
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const text = await response.text()
  return {
    status: response.status,
    data: (isJson && text !== '' ? withSentences(JSON.parse(text)) : text) as ReplyOf<E>,
    etag: response.headers.get('etag'),
    headers: response.headers,
  }
}

/** The answer as it is, for streams and files. A refusal is thrown as a Failure. */
export async function send(endpoint: Endpoint, options: CallOptions = {}): Promise<Response> {
  const { body, file, headers = {}, signal, isBackground = false } = options
  await gate(endpoint)
  const sentAt = performance.now()
  let response: Response
  try {
    response = await fetch(addressOf(endpoint, options), {
      method: endpoint.method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isBackground ? { 'portcullis-background': '1' } : {}),
        ...headers,
      },
      ...(file ? { body: file } : body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable(sentAt)
  }
  if (response.ok) return response
  throw await refusalOf(response, sentAt)
}

/** For what is sent in another way than by fetch, such as an upload that shows its progress. */
export const passGate = (endpoint: Endpoint): Promise<void> => gate(endpoint)
export const refusalOf = async (response: Response, sentAt = performance.now()): Promise<Failure> =>
  tell(await readFailure(response), sentAt)
export const unreachable = (sentAt = performance.now()): Failure =>
  tell(new Failure({ code: 'unreachable', status: 0, message: msg('The gateway does not answer.') }), sentAt)

async function readFailure(response: Response): Promise<Failure> {
  const text = await response.text()
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const rest = { status: response.status, retryAfter: Number.isFinite(retryAfter) ? retryAfter : null }
  try {
    const body = JSON.parse(text) as {
      code: FailureCode
      message: string
      reason?: ErrorReason
      problems?: readonly Problem[]
      sentences?: readonly Sentence[]
      request_id?: string
    }
    const { code, message, reason = null, problems = [], request_id = '' } = withSentences(body)
    return new Failure({ code, message, reason, problems, requestId: request_id, ...rest })
  } catch {
    return new Failure({ code: 'internal', message: `The gateway answered ${response.status}.`, ...rest })
  }
}

function tell(failure: Failure, sentAt: number): Failure {
  for (const listener of listeners) listener(failure, sentAt)
  return failure
}
