// Which errors an operation can answer with, and how the OpenAPI document describes them.

import type { Endpoint } from './endpoint.ts'
import { type ErrorCode, errorReasons } from './error.ts'

/** What each code means; gatewayd/http/errors.ts knows its status. */
const meanings: Readonly<Record<ErrorCode, string>> = {
  malformed: 'The request, its body or a query parameter cannot be parsed.',
  unauthenticated: 'There is no valid session, or it is too old for this call.',
  forbidden: 'The role does not allow this call, or it came from a page of another site.',
  not_found: 'No object has the id in the path.',
  method_not_allowed: 'The path does not support this method; the Allow header lists those it supports.',
  conflict: 'The name is taken, the object is in use, or its state does not allow this.',
  precondition_failed: 'The object was changed since the state named in If-Match.',
  too_large: 'The body is larger than this call allows.',
  unsupported_type: 'A browser sent a body of another type than this call takes.',
  invalid: 'A field is missing, unknown or invalid, or the resulting configuration would be invalid.',
  too_many_requests: 'Too many failed sign-ins or requests; Retry-After gives the seconds to wait.',
  not_applied: 'The change passed every check but failed on the machine and was reverted.',
  internal: 'An internal fault; the log has the details under the request id.',
  unavailable: 'A service this call needs does not answer.',
}

export const errorCodes = Object.keys(meanings) as readonly ErrorCode[]

/** Whatever is called: the request as such is refused, or the gateway fails. */
const ofAnyCall: readonly ErrorCode[] = ['malformed', 'invalid', 'too_many_requests', 'internal', 'unavailable']
const ofSession: readonly ErrorCode[] = ['unauthenticated', 'forbidden']
const ofSending: readonly ErrorCode[] = ['forbidden', 'too_large', 'unsupported_type']
const ofChange: readonly ErrorCode[] = ['conflict', 'precondition_failed', 'not_applied']

/** What all calls of a kind can fail with, by the name of the response that says so. */
const kinds = {
  Failure: ofAnyCall,
  SendingFailure: [...ofAnyCall, ...ofSending],
  ReadFailure: [...ofAnyCall, ...ofSession],
  ActionFailure: [...ofAnyCall, ...ofSession, ...ofSending],
  ChangeFailure: [...ofAnyCall, ...ofSession, ...ofSending, ...ofChange],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>

function kindOf({ access, effect, method }: Endpoint): keyof typeof kinds {
  if (effect === 'configuration') return 'ChangeFailure'
  const isSending = method !== 'GET'
  if (access === 'public') return isSending ? 'SendingFailure' : 'Failure'
  return isSending ? 'ActionFailure' : 'ReadFailure'
}

/** What a call can fail with because of what it does: the object it names, the values it takes, and what it says. */
function ownErrorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const { params, query, body, rawBodyType, errors } = endpoint
  const takesValues = body !== null || rawBodyType !== null || Object.keys(query.properties).length > 0
  return errorCodes.filter(
    (code) =>
      errors.includes(code) || (code === 'not_found' && params.length > 0) || (code === 'invalid' && takesValues),
  )
}

/** Whether the document says that this operation can answer with this code. */
export const canFailWith = (endpoint: Endpoint, code: ErrorCode): boolean =>
  [...kinds[kindOf(endpoint)], ...ownErrorsOf(endpoint)].includes(code)

export type StatusOf = Readonly<Record<ErrorCode, number>>

const componentName = (code: ErrorCode): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Responses by status: one for each error of the operation itself, and `default` for those of all calls of its kind. */
export function errorResponses(endpoint: Endpoint, statusOf: StatusOf): Record<string, unknown> {
  const own = ownErrorsOf(endpoint).map((code) => [statusOf[code], refTo(componentName(code))])
  return { ...Object.fromEntries(own), default: refTo(kindOf(endpoint)) }
}

const refTo = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** Status, code and meaning of each code given, as a list in Markdown. */
const listed = (codes: readonly ErrorCode[], statusOf: StatusOf): string =>
  errorCodes
    .filter((code) => codes.includes(code))
    .map((code) => `- ${statusOf[code]} \`${code}\`: ${meanings[code]}`)
    .join('\n')

/** Those that the operations given refer to. */
export function errorComponents(endpoints: readonly Endpoint[], statusOf: StatusOf): Record<string, unknown> {
  const own = new Set(endpoints.flatMap(ownErrorsOf))
  const used = new Set(endpoints.map(kindOf))
  return {
    ...Object.fromEntries(
      [...own].map((code) => [componentName(code), response(`\`${code}\`: ${meanings[code]}`, code)]),
    ),
    ...Object.fromEntries(
      [...used].map((kind) => [kind, response(`One of:\n\n${listed(kinds[kind], statusOf)}`, 'internal')]),
    ),
  }
}

const response = (description: string, code: ErrorCode) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: errorExample(code) } },
})

const errorExample = (code: ErrorCode) => ({
  code,
  message: meanings[code],
  ...(code === 'invalid' ? { problems: [{ field: 'name', message: 'This field is missing.' }] } : {}),
  request_id: '4f1c2a9be07d6358-1',
})

export const errorSchema = (statusOf: StatusOf) => ({
  type: 'object',
  required: ['code', 'message', 'request_id'],
  properties: {
    code: {
      type: 'string',
      enum: errorCodes,
      description: `By status:\n\n${listed(errorCodes, statusOf)}`,
    },
    reason: {
      type: 'string',
      enum: Object.keys(errorReasons),
      description: `More exactly, where a client does something about it:\n\n${Object.entries(errorReasons)
        .map(([reason, words]) => `- \`${reason}\`: ${words}`)
        .join('\n')}`,
    },
    message: { type: 'string', description: 'For the administrator.' },
    problems: {
      type: 'array',
      description: 'Every problem, with its field.',
      items: { $ref: '#/components/schemas/Problem' },
    },
    sentences: {
      type: 'array',
      description:
        'What the messages consist of, each with a code, to be shown in another language. What a program said is not listed.',
      items: { $ref: '#/components/schemas/Sentence' },
    },
    request_id: { type: 'string', description: 'The log has the details under this id.' },
  },
})

export const problemSchema = {
  type: 'object',
  required: ['field', 'message'],
  properties: {
    field: { type: 'string', description: 'Field of the body or parameter, or the object a check refused.' },
    message: { type: 'string' },
  },
}
