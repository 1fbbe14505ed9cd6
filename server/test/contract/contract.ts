// What the contract tests walk: every endpoint the product serves, every identity, and requests sent from an address of
// the test's choosing.

import { areas } from '../../src/areas/index.ts'
import { type Role, roleIds } from '../../src/core/contract/access.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import type { AreaEndpoints } from '../../src/core/contract/openapi.ts'
import { referenceEndpoints } from '../../src/gatewayd/http/reference.ts'
import type { Answer, TestGateway } from '../support/test-gateway.ts'

export const endpointsByArea: readonly AreaEndpoints[] = [
  ...areas.map(({ name, routes }) => ({ name, endpoints: routes.map((route) => route.endpoint) })),
  { name: 'reference', endpoints: Object.values(referenceEndpoints) },
]

export const endpoints: readonly Endpoint[] = endpointsByArea.flatMap((area) => area.endpoints)

export const paths: readonly string[] = [...new Set(endpoints.map((endpoint) => endpoint.path))]

export const protectedEndpoints = endpoints.filter((endpoint) => endpoint.access !== 'public')
export const changingEndpoints = endpoints.filter((endpoint) => endpoint.effect !== 'read')

export const find = (name: string): Endpoint => {
  const endpoint = endpoints.find((candidate) => nameOf(candidate) === name)
  if (!endpoint) throw new Error(`there is no endpoint ${name}`)
  return endpoint
}

export type Identity = Role | 'anonymous' | 'disabled'
export const identities: readonly Identity[] = [...roleIds, 'anonymous', 'disabled']

export const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A path with every variable filled in: by `id`, or by one that names nothing. */
export const fillPath = (path: string, id = '987654321'): string => path.replaceAll(/:[a-z_]+/g, id)

export interface Ask {
  readonly method: string
  readonly url: string
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly from?: string
}

/** Like the client of the test gateway, with the address it comes from. */
export async function ask(gateway: TestGateway, { method, url, cookie, headers, body, from }: Ask): Promise<Answer> {
  const answer = await gateway.http.inject({
    method: method as 'GET',
    url,
    headers: { host: 'gateway.test', ...(cookie ? { cookie } : {}), ...headers },
    ...(from === undefined ? {} : { remoteAddress: from }),
    ...(body === undefined
      ? {}
      : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  })
  const text = answer.body
  const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== ''
  return { status: answer.statusCode, text, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
}

/** Cookies of an administrator whose account was switched off after the sign-in. */
export async function disabledCookie(gateway: TestGateway): Promise<string> {
  const id = await gateway.addAdministrator('switched-off', 'predefined_admin_write')
  const cookie = cookieOf(gateway.services.accounts.sessions.create(id, '127.0.0.1', '/'))
  const admin = await gateway.client('predefined_admin_write')
  const { status } = await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })
  if (status !== 200) throw new Error(`switching an account off answered ${status}`)
  return cookie
}

interface Tokens {
  readonly session: string
  readonly secureName: string
  readonly secureValue: string
}

export const cookieOf = ({ session, secureName, secureValue }: Tokens): string =>
  `insecure-portcullis-session=${session}; __Secure-portcullis-${secureName}=${secureValue}`

/** Two cookies as a client sends them back after a sign-in. */
export const cookieFrom = (answer: Answer): string =>
  (answer.headers['set-cookie'] as string[]).map((cookie) => cookie.split(';')[0]).join('; ')
