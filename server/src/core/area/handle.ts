// What an area writes to answer an endpoint: handle() and the context it gets. Areas see this file and never Fastify.

import type { TSchema } from 'typebox'
import type { SaidText } from '../../shared/said.ts'
import type { Clock } from '../../shared/time/clock.ts'
import type { FirstPassword } from '../accounts/first-password.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Session, Sessions } from '../accounts/sessions.ts'
import type { SignInGuard } from '../accounts/sign-in-guard.ts'
import type { AuditTrail } from '../audit/audit.ts'
import type { AuditResult } from '../audit/audit-entry.ts'
import type { BackgroundState } from '../config/background.ts'
import type { Actor, Authorize, ConfigView, EditTools, Preview } from '../config/change.ts'
import type { Role } from '../contract/access.ts'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '../contract/endpoint.ts'
import type { Problem } from '../contract/error.ts'
import type { DiskReserve } from '../database/disk-reserve.ts'
import type { Reference } from '../model/references.ts'
import type { Sealed } from '../model/secret.ts'
import type { Config, Slot } from '../model/slots.ts'
import { type AreaSpec, rulesOf } from '../plan/area.ts'
import type { Applier, Observation } from '../plan/artifacts.ts'
import type { Facts } from '../plan/facts.ts'
import type { Vault } from '../vault.ts'
import type { IdOfCall } from './call-ids.ts'
import type { CookieJar } from './cookies.ts'
import type { EventStream, EventStreams } from './event-stream.ts'
import type { RawReply } from './raw-reply.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { Service } from './service.ts'

/** Who is signed in, as of this very request. */
export interface Identity {
  readonly adminId: string
  readonly login: string
  readonly name: string
  readonly role: Role
  /** Signed in with the first password where that must be changed; gatewayd/http/password-change.ts refuses everything else. */
  readonly mustChangePassword: boolean
  readonly session: Session
}

export interface Machine {
  /** Null when applyd does not answer; `unreachable` says so. */
  readonly observation: Observation | null
  readonly unreachable: SaidText
  /** What the last apply said, when it failed. */
  readonly applyError: SaidText | null
}

export interface GatewayChange {
  readonly reason: string
  /** On whose behalf; the gateway itself unless given. */
  readonly actor?: Actor
  readonly requestId?: string
  /** Nothing waits for the machine: the reconcile loop applies it. */
  readonly isDeferred?: boolean
}

/** Who waits for an answer, and how long. */
type Asking = Pick<Context, 'identity' | 'signal'>

/** Reads that take long, done by a worker that opens the database itself. The answer is the JSON of the reply as bytes. */
export interface Reader {
  run(task: string, input: unknown, asking: Asking): Promise<Uint8Array>
  /** All who ask with the same key share one run and its answer, which is kept until the task is asked with another key. */
  runOnce(task: string, key: string, input: unknown, asking: Asking): Promise<Uint8Array>
}

/** What signing in needs. */
export interface Accounts {
  readonly sessions: Sessions
  readonly guard: SignInGuard
  /** Records sign-ins that were refused before a password was checked; a flood becomes one record with its count. */
  readonly refusedSignIns: RefusalLog
  readonly passwords: Passwords
  readonly firstPassword: FirstPassword
  readonly cookieJar: CookieJar
  /** Why a new password is too easy to guess, or null. */
  readonly weaknessOf: (password: string, forbiddenWords: readonly string[]) => SaidText | null
  /** One durable step over several of the above. */
  readonly transact: <T>(work: () => T) => T
}

/** The long-lived things that every area may use. What only some use, an area offers: see run.ts. */
export interface Services {
  readonly brand: string
  readonly hostName: string
  readonly clock: Clock
  /** The configuration to read; only change() changes it. */
  readonly engine: ConfigView
  /** A change that no administrator asked for: a job's result, a password hashed again. */
  readonly changeAsGateway: (
    edit: (config: Config, tools: EditTools) => Config,
    options: GatewayChange,
  ) => Promise<void>
  /** What areas may ask of applyd; nothing here changes the machine. */
  readonly applier: Pick<Applier, 'ask' | 'checkpoints' | 'devices' | 'neighbours' | 'trial' | 'upgrade'>
  /** What is applied on the machine now, or why that is not known. */
  readonly observe: () => Promise<Machine>
  /** For areas that say `apply: 'background'`: whether what they want is in force. */
  readonly backgroundState: (area: string) => BackgroundState
  readonly facts: () => Facts
  /** Who uses an object, over all areas. */
  readonly referencesTo: (config: Config, id: string) => readonly Reference[]
  readonly reader: Reader
  /** Replies that stay open: events as they come. */
  readonly eventStreams: EventStreams
  /** What happens on the gateway, told to those who listen. */
  readonly events: { listen(identity: Identity, stream: EventStream): void }
  readonly audit: AuditTrail
  readonly accounts: Accounts
  readonly vault: Vault
  /** The disk of the state folder; absent where it is not watched. */
  readonly reserve?: Pick<DiskReserve, 'state'>
  /** The faults of a value against a schema, for what does not come in a body. */
  readonly faultsOf: (schema: TSchema, value: unknown) => readonly Problem[]
  /** What an area offers while the gateway runs. */
  readonly of: <T>(service: Service<T>) => T
}

/** Edits return the new configuration, or that and a result such as the new id. */
export interface Change {
  (edit: (config: Config, tools: EditTools) => Config): Promise<void>
  <R>(edit: (config: Config, tools: EditTools) => readonly [Config, R]): Promise<R>
}

/** A call of this interface as data. */
export interface PreviewCall {
  readonly method: string
  /** With its query, as in `/firewall/rules/forward?anchor_item_id=3`. */
  readonly path: string
  readonly body?: unknown
}

/** The same as one of several that are made together. */
export interface OneCall extends PreviewCall {
  /** The ETag of what the client read. */
  readonly if_match?: string
  /** Places of the body that take the id of what an earlier call creates. */
  readonly ids?: readonly IdOfCall[]
}

export interface Context<E extends Endpoint = Endpoint> {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  /** The bytes as they came, where the endpoint says that they are not JSON; otherwise empty. */
  readonly rawBody: Buffer
  /** The same in pieces, as they come, where the endpoint requests that; never more than its limit. */
  readonly bodyStream: AsyncIterable<Buffer>
  /** The configuration when the request came; edits get the one current when they run. */
  readonly config: Config
  readonly change: Change
  readonly address: string
  readonly requestId: string
  /** Whose work this is, for what is shared fairly: the administrator, or the address of one who is not signed in. */
  readonly owner: string
  /** Aborted when the client has gone or the time of the handler is over: ends work that no one waits for. */
  readonly signal: AbortSignal
  readonly cookieHeader: string | undefined
  readonly authorizationHeader: string | undefined
  /** The last event that a client of an event stream got before it connected again. */
  readonly lastEventId: string | undefined
  readonly services: Services
  readonly identity: Identity | null
  /**
   * Throws unless session, role and fresh sign-in still hold. An action that waited for something calls it right before it acts;
   * change() does so by itself.
   */
  readonly requireAuthority: Authorize
  /** May see secrets and do everything. */
  readonly isFullAdministrator: boolean
  /** Records what this call did beside changing the configuration, such as showing a secret; written before it is answered. */
  audit(message: string, result?: AuditResult): void
  /**
   * Shows secrets to full administrators, and records that once for this call; everyone else gets the mask. `message` says
   * what was shown: "Passwords of connections were shown."
   */
  revealer(message: string): (secret: Sealed, place: string) => string
  /** What another call of this interface would change; changes nothing. */
  preview(call: PreviewCall): Promise<Preview>
  /** Makes several calls of this interface as one change, with the reply of each. */
  together(calls: readonly OneCall[]): Promise<unknown[]>
  setHeader(name: string, value: string | readonly string[]): void
}

export type { EditTools, EventStream }

export type Handler<E extends Endpoint> = (
  context: Context<E>,
) => ReplyOf<E> | RawReply | Promise<ReplyOf<E> | RawReply>

export interface RouteOptions {
  /** The slot the endpoint shows or changes: gives ETag, If-None-Match and If-Match. */
  readonly slot?: Slot
  /** Without a slot: the handler gives the very same value while nothing it shows has changed, so that its bytes are kept. */
  readonly isKept?: boolean
  /**
   * What the endpoint answers to a request without a query, where that depends on nothing but the configuration: not on who
   * asks, not on the time. The very same value while nothing it shows has changed.
   */
  readonly view?: View
  /** The handler writes its own audit record. */
  readonly audits?: boolean
  /** Not one of several calls: it replaces the whole configuration, whatever other calls made of it. */
  readonly isAlone?: boolean
}

export type View = (config: Config) => object

export interface Route {
  readonly endpoint: Endpoint
  readonly handler: (context: Context) => unknown
  readonly slot: Slot | null
  readonly isKept: boolean
  readonly view: View | null
  readonly audits: boolean
  readonly isAlone: boolean
}

export const handle = <E extends Endpoint>(endpoint: E, handler: Handler<E>, options: RouteOptions = {}): Route => ({
  endpoint,
  // Cast: the server calls a handler only with what the schemas of its endpoint let pass.
  handler: handler as unknown as Route['handler'],
  slot: options.slot ?? null,
  isKept: options.isKept ?? options.slot !== undefined,
  view: options.view ?? null,
  audits: options.audits ?? false,
  isAlone: options.isAlone ?? false,
})

/** An endpoint that shows a part of the configuration, the same to everyone who may read it. */
export const show = (endpoint: Endpoint, view: View, slot: Slot): Route =>
  handle<Endpoint>(endpoint, ({ config }) => view(config), { slot, view })

/** The signed-in administrator; endpoints that are not public always have one. */
export function signedIn(context: Pick<Context, 'identity'>): Identity {
  if (!context.identity) throw new Error('an endpoint that needs a session was reached without one')
  return context.identity
}

export interface Area extends AreaSpec {
  readonly routes: readonly Route[]
}

/** An area with the rules that follow from its declarations. */
export const defineArea = (area: Area): Area => ({ ...area, ...rulesOf(area) })
