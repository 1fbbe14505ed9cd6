// An endpoint is a value: method, path, access and schemas. The server registers it, OpenAPI publishes it,
// the CLI and the console read it, and the tests walk it.

import type { Static, TObject, TSchema } from 'typebox'
import type { SaidText } from '../../shared/said.ts'
import type { Access } from './access.ts'
import type { ErrorCode } from './error.ts'
import { Type } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What a call does: `read` changes nothing, `configuration` goes through change() and so takes dry runs,
 * If-Match and confirm-or-revert, `action` acts on something that is not configuration (a session, a job).
 */
export type Effect = 'read' | 'configuration' | 'action'

type NoFields = TObject<Record<never, never>>

export interface EndpointSpec<Q extends TObject, B extends TSchema, R extends TSchema, P extends string = string> {
  readonly method: Method
  /** `:name` marks a path variable. */
  readonly path: P
  readonly access: Access
  readonly summary: string
  readonly description?: string
  readonly effect?: Effect
  readonly query?: Q
  readonly body?: B
  readonly reply?: R
  /** Other media types the reply may have beside JSON, such as text/csv. */
  readonly alsoReplies?: readonly string[]
  /** The call may come without a body; the handler then gets undefined. */
  readonly isBodyOptional?: boolean
  readonly bodyLimitBytes?: number
  /** The refusal of a longer body, where its length is not the reason. */
  readonly tooLargeMessage?: SaidText
  /** Media type of a body that is not JSON; the handler gets its bytes as `rawBody`, and `body` is not used. */
  readonly rawBodyType?: string
  /** Where such a body is a form: the field that holds the file. */
  readonly formField?: string
  /** Such a body may be large: the handler reads it in pieces as `bodyStream` instead. */
  readonly streamsBody?: boolean
  /** Not for an unattended screen: the administrator must have signed in a short while ago. */
  readonly needsFreshSignIn?: boolean
  /** For other programs: a token in `Authorization: Bearer` instead of a session; the handler checks it. */
  readonly takesToken?: boolean
  /** Codes this call can fail with, where they do not follow from what is said above (openapi-errors.ts). */
  readonly errors?: readonly ErrorCode[]
  /** Published instead of values made from the schemas. */
  readonly example?: Example<B, R>
}

export interface Example<B extends TSchema = TSchema, R extends TSchema = TSchema> {
  readonly body?: Static<B>
  readonly reply?: Static<R>
}

export interface Endpoint<
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
  P extends string = string,
> {
  readonly method: Method
  readonly path: P
  readonly access: Access
  readonly summary: string
  readonly description: string
  readonly effect: Effect
  readonly params: readonly string[]
  readonly query: Q
  readonly body: B | null
  readonly reply: R | null
  readonly alsoReplies: readonly string[]
  readonly isBodyOptional: boolean
  readonly bodyLimitBytes: number
  readonly tooLargeMessage: SaidText | undefined
  readonly rawBodyType: string | null
  readonly formField: string | null
  readonly streamsBody: boolean
  readonly needsFreshSignIn: boolean
  readonly takesToken: boolean
  readonly errors: readonly ErrorCode[]
  readonly example: Example<B, R>
}

type ParamNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

/** The variables of the path, by name. */
export type ParamsOf<E> =
  E extends Endpoint<TObject, TSchema, TSchema, infer P>
    ? string extends P
      ? Readonly<Record<string, string>>
      : Readonly<Record<ParamNames<P>, string>>
    : never
export type QueryOf<E> = E extends Endpoint<infer Q, TSchema, TSchema> ? Static<Q> : never
export type BodyOf<E> = E extends Endpoint<TObject, infer B, TSchema> ? Static<B> : never
export type ReplyOf<E> = E extends Endpoint<TObject, TSchema, infer R> ? Static<R> : never

export const defaultBodyLimitBytes = 64 * 1024

/** How long a sign-in counts as fresh. */
export const freshSignInSeconds = 10 * 60
const freshSignInNote = `Needs a session that signed in within the last ${freshSignInSeconds / 60} minutes; an older one gets 401.`

export const noFields: NoFields = Type.Object({}, { additionalProperties: false })

/** No body described: the reply is empty (docs/behaviour/api.md 2). */
export const empty = Type.Void()
export type Empty = typeof empty

export const endpoint = <
  Q extends TObject = NoFields,
  B extends TSchema = Empty,
  R extends TSchema = Empty,
  const P extends string = string,
>(
  spec: EndpointSpec<Q, B, R, P>,
): Endpoint<Q, B, R, P> => ({
  method: spec.method,
  path: spec.path,
  access: spec.access,
  summary: spec.summary,
  description: [spec.description, spec.needsFreshSignIn ? freshSignInNote : undefined].filter(Boolean).join(' '),
  effect: spec.effect ?? (spec.method === 'GET' ? 'read' : 'configuration'),
  params: spec.path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1)),
  // Cast: Q is NoFields where no query is given.
  query: spec.query ?? (noFields as unknown as Q),
  body: spec.body ?? null,
  reply: spec.reply ?? null,
  alsoReplies: spec.alsoReplies ?? [],
  isBodyOptional: spec.isBodyOptional ?? false,
  bodyLimitBytes: spec.bodyLimitBytes ?? defaultBodyLimitBytes,
  tooLargeMessage: spec.tooLargeMessage,
  rawBodyType: spec.rawBodyType ?? null,
  formField: spec.formField ?? null,
  streamsBody: spec.streamsBody ?? false,
  needsFreshSignIn: spec.needsFreshSignIn ?? false,
  takesToken: spec.takesToken ?? false,
  errors: spec.errors ?? [],
  example: spec.example ?? {},
})

/** The media type of a reply that stays open and carries events as they come. */
export const eventStreamType = 'text/event-stream'

export const nameOf = (e: Pick<Endpoint, 'method' | 'path'>): string => `${e.method} ${e.path}`
