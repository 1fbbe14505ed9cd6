// Who may do what is asked at the moment of the act: when the headers have arrived, when the body is complete, and again
// right before something is done. Session, role and fresh sign-in can end in between, and so does what relies on them.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity, Services } from '../../core/area/handle.ts'
import type { Authorize, ChangeRequest } from '../../core/config/change.ts'
import { hasFullAccess, mayUse } from '../../core/contract/access.ts'
import { type Endpoint, nameOf } from '../../core/contract/endpoint.ts'
import { inCall } from './call-faults.ts'
import { markSignedIn } from './connections.ts'
import { checkPasswordChanged } from './password-change.ts'
import { checkAccess, checkFreshSignIn, type FindIdentity } from './request.ts'
import { SessionConnections } from './session-connections.ts'

export interface AuthorityParts {
  readonly services: Pick<Services, 'clock' | 'accounts'>
  readonly findIdentity: FindIdentity
  /** Slots that say who may do what. */
  readonly rightsSlots: ReadonlySet<string>
  /** Whether an enabled administrator with this login has full access now. */
  readonly isFullAdministrator: (login: string) => boolean
}

const endExpiredEveryMilliseconds = 1_000

export class Authority {
  readonly #parts: AuthorityParts
  readonly #connections = new SessionConnections()
  readonly #acting = new WeakSet<object>()

  constructor(app: FastifyInstance, parts: AuthorityParts) {
    this.#parts = parts
    const { sessions } = parts.services.accounts
    sessions.onEnded((handle) => this.#connections.end(handle))
    const timer = setInterval(() => sessions.endExpired(), endExpiredEveryMilliseconds)
    timer.unref()
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer)
      done()
    })
    app.addHook('onSend', (request, reply, _payload, done) => {
      const { identity } = request
      if (identity && !sessions.find(identity.session.handle)) void reply.header('connection', 'close')
      done()
    })
  }

  /** The headers have arrived, and `request.identity` is who sent them. */
  begin(request: FastifyRequest): void {
    if (request.identity) this.#connections.carry(request.identity.session.handle, request.raw.socket)
    this.#check(request, request.identity)
  }

  /**
   * Whether a read that has arrived and needs nothing but a session and a role may be answered at once. Where it may not, the
   * usual way says why.
   */
  admitsRead(request: IncomingMessage, { access }: Endpoint): boolean {
    const identity = this.#parts.findIdentity(request)
    if (!identity || identity.mustChangePassword || !mayUse(identity.role, access)) return false
    markSignedIn(request.socket, identity.adminId)
    this.#connections.carry(identity.session.handle, request.socket)
    return true
  }

  /** The handler begins: the body is complete, unless the handler takes it in pieces, and the request has its turn. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    if (request.route?.endpoint.streamsBody) return undefined
    try {
      request.identity = this.require(request, reply)
      return undefined
    } catch (error) {
      return error as Error
    }
  }

  /** Throws unless session, role and fresh sign-in hold now; what follows in the same tick may act. */
  require(request: FastifyRequest, reply: FastifyReply): Identity | null {
    const identity = this.#parts.findIdentity(request.raw)
    this.#check(request, identity)
    const effect = request.route?.endpoint.effect ?? 'read'
    if (effect !== 'read' && !this.#acting.has(reply)) {
      this.#acting.add(reply)
      this.#connections.beginAct(reply.raw)
    }
    return identity
  }

  /** Only a signed-in client learns that a path is unknown. */
  #check(request: FastifyRequest, identity: Identity | null): void {
    const endpoint = request.route?.endpoint
    checkAccess(identity, endpoint?.access ?? 'signed-in')
    const { headers, params } = request
    checkPasswordChanged(identity, { endpoint, headers, id: (params as { admin_id?: string }).admin_id })
    if (endpoint?.needsFreshSignIn) checkFreshSignIn(identity, this.#parts.services.clock.elapsed())
  }

  of(request: FastifyRequest, reply: FastifyReply): RequestAuthority {
    return new RequestAuthority(this.#parts, request, () => this.require(request, reply))
  }
}

/** The authority of one request, for the handler and for the turn of its change. */
export class RequestAuthority implements Required<Pick<ChangeRequest<unknown>, 'authorize' | 'overrides'>> {
  readonly #parts: AuthorityParts
  readonly #request: FastifyRequest
  readonly #ask: () => Identity | null
  #hasAsked = false

  constructor(parts: AuthorityParts, request: FastifyRequest, ask: () => Identity | null) {
    this.#parts = parts
    this.#request = request
    this.#ask = ask
  }

  /** Who changes rights needs full access and a fresh sign-in, whichever call it is: a revert, a restore or a single change. */
  readonly authorize: Authorize = (changes) => {
    this.#hasAsked = true
    const identity = this.#ask()
    if (!changes?.some(({ slot }) => this.#parts.rightsSlots.has(slot))) return
    checkAccess(identity, 'configure')
    checkFreshSignIn(identity, this.#parts.services.clock.elapsed())
  }

  /** The authority for several calls in one: each asks for what it asks for by itself. A refusal names the call. */
  readonly authorizeEach = (endpoints: readonly Endpoint[]): Authorize => {
    const firsts = new Map(endpoints.map((endpoint, index) => [endpoint, index] as const).toReversed())
    return (changes) => {
      this.authorize(changes)
      const identity = this.#ask()
      for (const [endpoint, index] of firsts) {
        inCall({ index, endpoint }, () => {
          checkAccess(identity, endpoint.access)
          if (endpoint.needsFreshSignIn) checkFreshSignIn(identity, this.#parts.services.clock.elapsed())
        })
      }
    }
  }

  /** Full access is never held up by a change on probation of a lesser role (decision 33). */
  readonly overrides: NonNullable<ChangeRequest<unknown>['overrides']> = ({ author }) =>
    hasFullAccess(this.#parts.findIdentity(this.#request.raw)?.role) && !this.#parts.isFullAdministrator(author)

  /** Tests: an action that waits for something must ask again before it acts. */
  checkAsked(): void {
    const endpoint = this.#request.route?.endpoint
    if (endpoint?.effect !== 'action' || endpoint.access === 'public' || this.#hasAsked) return
    throw new Error(`${nameOf(endpoint)} waits for something and does not call requireAuthority() before it acts`)
  }
}
