// The request of explain in the address of the page, and as it is sent. Pure.

import type { BodyOf } from '@gateway/server/contract'
import type { explainRequest } from '@gateway/server/contract/content-filter'

export const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'] as const
export const requestFields = ['url', 'source', 'user', 'method', 'request_type', 'content_type', 'time'] as const
export type RequestField = (typeof requestFields)[number]

/** As it is in the fields and in the address; '' is not given. */
export type RequestDraft = Readonly<Record<RequestField, string>>

export const requestFromSearch = (search: Readonly<Record<string, string>>): RequestDraft =>
  Object.fromEntries(requestFields.map((name) => [name, search[name] ?? ''])) as RequestDraft

export const searchOfRequest = (request: RequestDraft): Record<string, string> =>
  Object.fromEntries(
    requestFields.map((name) => [name, request[name].trim()] as const).filter(([, value]) => value !== ''),
  )

export function bodyOfRequest(request: RequestDraft): BodyOf<typeof explainRequest> {
  const { url = '', time, method, ...rest } = searchOfRequest(request)
  const known = methods.find((one) => one === method)
  return {
    url,
    ...rest,
    ...(known === undefined ? {} : { method: known }),
    ...(time !== undefined && /^\d{1,12}$/.test(time) ? { time: Number(time) } : {}),
  }
}
