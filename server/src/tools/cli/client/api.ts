// Calls of the gateway as the signed-in administrator: an endpoint of the contract in, its reply or the gateway's
// refusal out.

import type { Endpoint, ReplyOf } from '../../../core/contract/endpoint.ts'
import type { Problem } from '../../../core/contract/error.ts'
import type { Context } from '../context.ts'
import { encodePath } from '../contract/paths.ts'
import { type CommandFailure, notSignedIn, refused } from '../failure.ts'
import { type Choice, chooseGateway, sayGateway } from './choose-gateway.ts'
import { type Answer, type Ask, Connection } from './connection.ts'
import { eventsOf, type ServerEvent } from './server-events.ts'
import { changeSessions, readSessions, type SavedSessions, trustedAt, withTrusted } from './session-file.ts'

export interface Call {
  /** The endpoint's own path unless variables must be filled in. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Instead of a body that is JSON. */
  readonly upload?: Ask['body']
  readonly headers?: Readonly<Record<string, string>>
}

export interface Api {
  /** The answer as it came; refusals are thrown. */
  send(endpoint: Endpoint, call?: Call): Promise<Answer>
  /** The reply of the endpoint's schema. */
  ask<E extends Endpoint>(endpoint: E, call?: Call): Promise<ReplyOf<E>>
  /** Events of an event stream, until it ends; refusals are thrown. */
  follow(endpoint: Endpoint, call?: Call): AsyncIterable<ServerEvent>
}

/** Opens the session that was saved for the gateway this call is for, for the length of `work`. */
export async function withApi<T>(context: Context, work: (api: Api, address: string) => Promise<T>): Promise<T> {
  const saved = readSessions(context.env)
  const choice = chooseGateway(context, saved)
  const { address } = choice
  const session = saved.sessions[address]
  const trusted = trustedAt(saved, address)
  if (session === undefined || trusted === undefined) throw noSession(choice, saved)
  sayGateway(choice, saved, context)
  const connection = new Connection(address, trusted, (shown) =>
    changeSessions(context.env, (now) => withTrusted(now, address, shown)),
  )
  try {
    return await work(createApi(connection, session.cookie), address)
  } finally {
    connection.close()
  }
}

function noSession({ address, by }: Choice, { sessions }: SavedSessions): CommandFailure {
  const others = Object.keys(sessions).map((other) => `You are signed in to ${other}: --address ${other}`)
  return notSignedIn(`You are not signed in to ${address}.`, by === 'option' ? ` --address ${address}` : '', others)
}

export function createApi(connection: Connection, cookie: string | null): Api {
  const askOf = (endpoint: Endpoint, call: Call): Ask => ({
    method: endpoint.method,
    target: targetOf(call.path ?? endpoint.path, call.query ?? {}),
    headers: { ...(cookie === null ? {} : { cookie }), ...call.headers },
    ...bodyOf(call),
  })
  const send: Api['send'] = async (endpoint, call = {}) => {
    const answer = await connection.send(askOf(endpoint, call))
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer)
    return answer
  }
  return {
    send,
    ask: async (endpoint, call) => {
      const { text } = await send(endpoint, call)
      return parseReply(text) as ReplyOf<typeof endpoint>
    },
    follow: async function* (endpoint, call = {}) {
      const stream = await connection.follow(askOf(endpoint, call))
      if ('refusal' in stream) throw refusalOf(stream.refusal)
      yield* eventsOf(stream.pieces)
    },
  }
}

function bodyOf({ body, upload }: Call): Pick<Ask, 'body'> {
  if (upload) return { body: upload }
  return body === undefined
    ? {}
    : { body: { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json' } }
}

function targetOf(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? encodePath(path) : `${encodePath(path)}?${search}`
}

export function parseReply(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw refused('The answer cannot be read. Check that the address is that of a gateway.')
  }
}

interface ErrorBody {
  readonly message?: string
  readonly problems?: readonly Problem[]
  readonly request_id?: string
}

/** The gateway's own words, one line per problem; a bug of the gateway also names the request for its log. */
export function refusalOf({ status, text }: Pick<Answer, 'status' | 'text'>): CommandFailure {
  const { message = `The gateway answered with status ${status}.`, problems = [], request_id } = readErrorBody(text)
  if (status === 401) return notSignedIn(message)
  const described = describeProblems(message, problems)
  const request = status === 500 && request_id !== undefined ? [`request ${request_id}`] : []
  return refused(described.message, [...described.lines, ...request])
}

function readErrorBody(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as ErrorBody) : {}
  } catch {
    return {}
  }
}

export const problemLines = (problems: readonly Problem[]): string[] =>
  problems.map(({ field, message }) => `${field}: ${message}`)

/** A message and a line for each problem; the only problem is not said twice. */
export function describeProblems(message: string, problems: readonly Problem[]): { message: string; lines: string[] } {
  const lines = problemLines(problems)
  const [only = ''] = lines
  const isSaid = lines.length === 1 && (only === message || problems[0]?.message === message)
  return isSaid ? { message: only, lines: [] } : { message, lines }
}
