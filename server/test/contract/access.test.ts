// Every endpoint, every identity and every method answers what the access table says. No exceptions.
// Requirements 12 and 20.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessTable, type Role, roleIds } from '../../src/core/contract/access.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import {
  ask,
  cookieOf,
  disabledCookie,
  endpoints,
  fillPath,
  type Identity,
  identities,
  methods,
  paths,
} from './contract.ts'

/** What a call without a body or parameters and with ids that name nothing gets from its handler once it is let in. */
const ownAnswers: Readonly<Record<string, number>> = {
  'DELETE /web/auth/login': 200,
  'DELETE /web/auth/blocks': 200,
  // Ends the very session that asks.
  'DELETE /monitor_backend/admin_sessions/:session_id': 200,
  'POST /config/confirm': 409,
  // There is no token for metrics.
  'GET /metrics': 401,
  // Nothing is ever uploaded.
  'POST /sysupdate/iso-install': 409,
  'DELETE /config/confirm': 409,
  'POST /config/keys/rotate': 200,
  // Always the whole list (content-filter.md 4).
  'GET /content-filter/users_categories/:category_id': 200,
  // Without a body it is a removal.
  'PATCH /firewall/checks_packets/:check_id': 404,
  // Its body is not JSON, and is missing.
  'POST /central_console/root_ca': 400,
  // There is none before SSTP is set up.
  'GET /vpn_servers/powershell/sstp': 409,
  // Messages that have left the queue are passed over (mail.md, open point 6).
  'DELETE /mail/mail_queue/:message_ids': 200,
  // An unknown user has no rules (vpn.md).
  'GET /vpn_servers/user_access_rules/:user_id': 200,
}

/** More than any path takes without a limit that is written down. */
const longBody = { 'content-length': '2000000' }

/** Also those with a variable where the path has a word, such as `/rules/:rule_id` for `/rules/move`. */
function declaredAt(path: string): readonly Endpoint[] {
  const known = declared.get(path)
  if (known) return known
  const parts = path.split('/')
  const found = endpoints.filter((endpoint) => {
    const pattern = endpoint.path.split('/')
    return pattern.length === parts.length && pattern.every((part, at) => part === parts[at] || part.startsWith(':'))
  })
  const sorted = found.toSorted((a, b) => Number(b.path === path) - Number(a.path === path))
  declared.set(path, sorted)
  return sorted
}

/** By path: each is asked for some sixty times. */
const declared = new Map<string, readonly Endpoint[]>()

function ownAnswer(name: string): number {
  const endpoint = endpoints.find((candidate) => nameOf(candidate) === name)
  const hasId = (endpoint?.params.length ?? 0) > 0
  const asks = (endpoint?.query.required?.length ?? 0) > 0
  return ownAnswers[name] ?? (endpoint?.body || endpoint?.rawBodyType ? 400 : hasId ? 404 : asks ? 422 : 200)
}

function expected(path: string, method: string, identity: Identity): number {
  const isStranger = identity === 'anonymous' || identity === 'disabled'
  const asked = method === 'HEAD' ? 'GET' : method
  const endpoint = declaredAt(path).find((candidate) => candidate.method === asked)
  if (endpoint?.access === 'public') return ownAnswer(nameOf(endpoint))
  if (isStranger) return 401
  if (!endpoint) return 405
  const roles: readonly Role[] = accessTable[endpoint.access]
  return roles.includes(identity) ? ownAnswer(nameOf(endpoint)) : 403
}

const allowOf = (path: string): string => {
  const names = [...new Set(declaredAt(path).map((endpoint) => endpoint.method as string))]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
}

describe('access', () => {
  let gateway: TestGateway
  let disabled = ''
  const ids = new Map<Role, string>()
  before(async () => {
    gateway = await createTestGateway()
    for (const role of roleIds) ids.set(role, await gateway.addAdministrator(`by-${role}`, role))
    disabled = await disabledCookie(gateway)
  })
  after(() => gateway.close())

  const signed = new Map<Identity, { readonly cookie: string; readonly handle: string }>()
  /** The same session for as long as nothing ends it. */
  const signedIn = (identity: Identity) => {
    const known = signed.get(identity) ?? sign(identity)
    signed.set(identity, known)
    return known
  }
  const sign = (identity: Identity) => {
    if (identity === 'anonymous') return { cookie: '', handle: 'none' }
    if (identity === 'disabled') return { cookie: disabled, handle: 'none' }
    const tokens = gateway.services.accounts.sessions.create(ids.get(identity) ?? '', '127.0.0.1', '/')
    return { cookie: cookieOf(tokens), handle: tokens.handle }
  }

  for (const path of paths) {
    it(`of ${path} is what the table says, for each method and identity`, async () => {
      // A share of requests without a session is renewed every second.
      gateway.clock.advance(1)
      for (const identity of identities) {
        let { cookie, handle } = signedIn(identity)
        for (const method of methods) {
          const isEnding = path.includes('admin_sessions/') && method === 'DELETE'
          const url = isEnding ? fillPath(path, handle) : fillPath(path)
          const answer = await ask(gateway, { method, url, cookie })
          const cell = `${method} ${path} as ${identity}`
          assert.equal(answer.status, expected(path, method, identity), `${cell}: ${answer.text}`)
          if (answer.status === 405) {
            assert.equal(answer.headers.allow, allowOf(path), cell)
            // Its size says nothing about a body that nothing takes.
            const long = await ask(gateway, { method, url, cookie, body: 'x', headers: longBody })
            assert.equal(long.status, 405, `${cell} with a long body: ${long.text}`)
          }
          if (method !== 'DELETE' || answer.status !== 200) continue
          signed.delete(identity)
          ;({ cookie, handle } = signedIn(identity))
        }
      }
    })
  }

  it('to a path that does not exist is told only to those who are signed in', async () => {
    for (const url of [
      '/nothing',
      '/firewall',
      '/firewall/settings/',
      '/FIREWALL/settings',
      '/metric',
      '/.git/config',
    ]) {
      assert.equal((await ask(gateway, { method: 'GET', url })).status, 401, url)
      const { cookie } = sign('predefined_reports_view')
      assert.equal((await ask(gateway, { method: 'GET', url, cookie })).status, 404, url)
    }
  })
})
