// Refusals of one call among several: they say which call, and name its fields as those of the whole body, as in
// `calls[3].body.title`.

import { type Endpoint, nameOf } from '../../core/contract/endpoint.ts'
import { type ErrorCode, GatewayError, maxProblems, type Problem } from '../../core/contract/error.ts'
import { type SaidText, say } from '../../shared/said.ts'

export interface CallAt {
  readonly index: number
  readonly endpoint: Endpoint
}

/** A refusal of what a call is, not of its values. */
export const refusedAt = (
  index: number,
  field: 'path' | 'if_match',
  message: SaidText,
  code: ErrorCode = 'invalid',
): GatewayError =>
  new GatewayError(code, say`calls[${index}]: ${message}`, {
    problems: [{ field: `calls[${index}].${field}`, message }],
  })

type FieldOf = (field: string) => string

function named({ index, endpoint }: CallAt, error: unknown, fieldOf: FieldOf): unknown {
  if (!(error instanceof GatewayError)) return error
  const { code, message, problems, retryAfterSeconds, cause } = error
  const own: readonly Problem[] = problems.length > 0 ? problems : [{ field: '', message }]
  return new GatewayError(code, say`calls[${index}] (${nameOf(endpoint)}): ${message}`, {
    problems: own.map((problem) => ({ ...problem, field: fieldOf(problem.field) })),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause: cause ?? error,
  })
}

function naming<T>(call: CallAt, fieldOf: FieldOf, work: () => T): T {
  let result: T
  try {
    result = work()
  } catch (error) {
    throw named(call, error, fieldOf)
  }
  if (!(result instanceof Promise)) return result
  return result.catch((error: unknown) => {
    throw named(call, error, fieldOf)
  }) as T
}

/** Work that judges the path and its query. */
export const inPath = <T>(call: CallAt, work: () => T): T => naming(call, () => `calls[${call.index}].path`, work)

/** Work that judges the body. */
export const inBody = <T>(call: CallAt, work: () => T): T => naming(call, (field) => bodyField(call, field), work)

/** Work of the handler, which may refuse fields of the body, parameters, or other objects that it names. */
export const inCall = <T>(call: CallAt, work: () => T): T =>
  naming(
    call,
    (field) => {
      const [first = ''] = field.split(/[.[]/)
      const { body, query, params } = call.endpoint
      const known = (body as { readonly properties?: object } | null)?.properties ?? {}
      if (Object.hasOwn(known, first)) return bodyField(call, field)
      if (field === '' || params.includes(first) || Object.hasOwn(query.properties, first))
        return `calls[${call.index}].path`
      return field
    },
    work,
  )

const bodyField = ({ index }: CallAt, field: string): string =>
  field === '' || field === 'body' ? `calls[${index}].body` : `calls[${index}].body.${field}`

const collected: readonly ErrorCode[] = ['invalid', 'conflict', 'not_found']

/** What is wrong with several calls, for one refusal. */
export class CallFaults {
  readonly #errors: GatewayError[] = []
  #problems = 0

  /** Throws what ends the whole at once. */
  add(error: unknown): void {
    if (!(error instanceof GatewayError) || !collected.includes(error.code)) throw error
    this.#errors.push(error)
    this.#problems += error.problems.length
    if (this.#problems >= maxProblems) this.refuse()
  }

  refuse(): void {
    const [first, ...others] = this.#errors
    if (!first) return
    if (others.length === 0) throw first
    const problems = this.#errors.flatMap((error) => error.problems).slice(0, maxProblems)
    const message = say`${this.#errors.length} calls are refused. The first is ${first.message}`
    throw new GatewayError(first.code, message, { problems, cause: first.cause })
  }
}
