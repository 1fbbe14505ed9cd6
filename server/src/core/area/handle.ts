// What an area writes to answer an endpoint: handle() and the context it gets. Areas see this file and never Fastify.

import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import type { SessionKeeper } from '../../areas/authorization/runs/keeper.ts'
import type { Backups } from '../../areas/backup/runs/backups.ts'
import type { FtpTarget, UploadFile } from '../../areas/backup/runs/ftp-upload.ts'
import type { CategoryDatabase } from '../../areas/content-filter/runs/categories.ts'
import type { WebFilterSocket } from '../../areas/content-filter/runs/socket.ts'
import type { DdnsUpdater } from '../../areas/dns/runs/ddns.ts'
import type { ConnectionGuard } from '../../areas/firewall/runs/connection-guard.ts'
import type { HitCounters } from '../../areas/firewall/runs/hit-counters.ts'
import type { ConflictBook } from '../../areas/health/runs/conflicts.ts'
import type { Health } from '../../areas/health/runs/health.ts'
import type { SendMail } from '../../areas/health/runs/mail.ts'
import type { CallWebhook } from '../../areas/health/runs/webhook.ts'
import type { CaptureRing } from '../../areas/inspection/runs/captures.ts'
import type { SignatureIntake } from '../../areas/intrusion-prevention/runs/intake.ts'
import type { PortalState } from '../../areas/portal/runs/portal-state.ts'
import type { CallProvider } from '../../areas/portal/runs/provider-call.ts'
import type { Upgrades } from '../../areas/updates/runs/upgrades.ts'
import type { CountrySpans } from '../../domain/logs/hit-news.ts'
import type { LogServerReport, LogStore } from '../../domain/logs/store.ts'
import type { Catalogue } from '../../domain/signatures/catalogue.ts'
import type { Rule } from '../../domain/signatures/rule.ts'
import type { LogForwarder } from '../../gatewayd/logs/forwarding/log-forwarder.ts'
import type { LogReader } from '../../gatewayd/logs/log-reader.ts'
import type { Clock } from '../../shared/time/clock.ts'
import type { FirstPassword } from '../accounts/first-password.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Session, Sessions } from '../accounts/sessions.ts'
import type { SignInGuard } from '../accounts/sign-in-guard.ts'
import type { AuditTrail } from '../audit/audit.ts'
import type { AuditResult } from '../audit/audit-entry.ts'
import type { AuditUsage } from '../audit/audit-retention.ts'
import type { BackgroundState } from '../config/background.ts'
import type { Actor, Authorize, ConfigView, EditTools, Preview } from '../config/change.ts'
import type { Role } from '../contract/access.ts'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '../contract/endpoint.ts'
import type { Problem } from '../contract/error.ts'
import type { MachineLoad } from '../contract/health.ts'
import type { InspectionState } from '../contract/inspection.ts'
import type { DiskReserve } from '../database/disk-reserve.ts'
import type { Reference } from '../model/references.ts'
import type { Sealed } from '../model/secret.ts'
import type { Config, Slot } from '../model/slots.ts'
import { type AreaSpec, rulesOf } from '../plan/area.ts'
import type { Applier, Observation } from '../plan/artifacts.ts'
import type {
  ClassifiedConnection,
  ClassifierReport,
  Facts,
  FlowReport,
  GivenLease,
  TrafficReading,
  WebProxyState,
} from '../plan/facts.ts'
import type { Vault } from '../vault.ts'
import { sendable } from '../workers/json-bytes.ts'
import type { IdOfCall } from './call-ids.ts'
import type { CookieJar } from './cookies.ts'
import type { EventStream, EventStreams } from './event-stream.ts'
import type { GatewayEvents } from './gateway-events.ts'
import type { RefusalLog } from './refusal-log.ts'
import { LongReply } from './segments.ts'
import type { ReadStatus } from './statuses.ts'

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

export interface DomainState {
  /** Unix seconds of the last good answer. */
  readonly resolvedAt: number | null
  readonly error: string | null
}

export interface CountriesState {
  readonly loaded: boolean
  readonly path: string
  readonly countries: number
  /** Unix seconds. */
  readonly buildTime: number | null
  readonly messages: readonly string[]
}

/** What device discovery does with unknown hosts. */
export interface DiscoveryState {
  /** Hosts that are not users yet. */
  readonly waiting: number
  /** No more become users in this minute. */
  readonly isHeldBack: boolean
  /** No more become users at all, until some are removed. */
  readonly isFull: boolean
  /** Why the last ones were not added; null when they were. */
  readonly fault: string | null
}

/** What the rule files on this machine hold, and how they were read. */
export interface SignatureBase {
  refresh(): Promise<void>
  current(): Catalogue
  /** Rules of files that are in no archive. */
  ownRules(): readonly Rule[]
  state(): {
    /** Where the operator puts rule files. */
    readonly folder: string
    /** Unix seconds of the newest file of a source, null when it has none. */
    readonly updatedAt: Readonly<Record<'standard' | 'advanced', number | null>>
    readonly messages: readonly string[]
    readonly isReading: boolean
    /** Why files were not read; empty when they were. */
    readonly fault: string
  }
}

/** Shares are reached through applyd; see Applier. */
export interface BackupUploads {
  /** The address of a name, or a sentence that says why it has none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  /** Rejects with an error whose message is a sentence for the administrator. */
  ftp(target: FtpTarget, file: UploadFile): Promise<void>
}

export interface CodeProvider {
  /** The address of a name to which a code may be sent, or a sentence that says why there is none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  readonly call: CallProvider
}

/** How notifications leave the gateway. */
export interface NoticeSenders {
  /** The address of a name to which something may be sent, or a sentence that says why there is none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  readonly mail: SendMail
  readonly webhook: CallWebhook
}

export interface FreeDisk {
  readonly id: string
  readonly title: string
  readonly bytes: number
}

export interface Machine {
  /** Null when applyd does not answer; `unreachable` says so. */
  readonly observation: Observation | null
  readonly unreachable: string
  /** What the last apply said, when it failed. */
  readonly applyError: string | null
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

/** The long-lived things an area may use. Wired once in main.ts. */
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
  readonly applier: Pick<Applier, 'checkpoints' | 'devices' | 'neighbours' | 'trial' | 'upload' | 'upgrade'>
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
  readonly events: Pick<GatewayEvents, 'listen'>
  /** What every status endpoint would answer now. */
  readonly readStatuses: () => Promise<readonly ReadStatus[]>
  readonly hitCounters: HitCounters
  readonly backups: Backups
  /** The disk of the state folder; absent where it is not watched. */
  readonly reserve?: Pick<DiskReserve, 'state'>
  /** Uploads of backups; absent where nothing is uploaded. */
  readonly uploads?: BackupUploads
  /** How the names of domain objects were resolved; absent where nothing resolves them. */
  readonly domains?: { status(): ReadonlyMap<string, DomainState> }
  /** The country database; absent where none is read. */
  readonly countries?: { status(): CountriesState; codeOf(address: string): string; spans(): CountrySpans | null }
  /** Signatures of the rule files on this machine; absent where none are read. */
  readonly signatures?: SignatureBase
  /** How signatures come in: their check, archives of rules, and what was refused. */
  readonly signatureIntake: Pick<
    SignatureIntake,
    'check' | 'running' | 'look' | 'archives' | 'verdicts' | 'fileRefusals'
  >
  /** Packets that the inspection engine kept; absent where none are read. */
  readonly captures?: CaptureRing
  /** What passes through the gateway now; absent where it is not read. */
  readonly traffic?: { read(): Promise<TrafficReading> }
  /** What the flow exporter last reported, null when nothing; absent where it is not read. */
  readonly flowReport?: () => Promise<FlowReport | null>
  /** What the traffic classifier found and how it is; absent where it is not read. */
  readonly classified?: {
    connections(): Promise<ReadonlyMap<string, ClassifiedConnection>>
    report(): Promise<ClassifierReport | null>
  }
  /** Leases of the DHCP server that have not run out by this time; absent where they are not read. */
  readonly dhcpLeases?: { list(seconds: number): Promise<readonly GivenLease[]> }
  /** Makers of network cards, by MAC; absent where they are not read. */
  readonly cardVendors?: {
    lookUp(macs: readonly string[]): Promise<ReadonlyMap<string, string>>
    isKnown(): Promise<boolean>
  }
  /** Makes users of unknown hosts; absent where nothing does. */
  readonly deviceDiscovery?: { state(): DiscoveryState }
  /** Records of every kind: the system journal, firewall hits and the others. */
  readonly logs: LogStore
  /** Resolves when everything that was written before can be found in the log. */
  readonly refreshLogs: () => Promise<void>
  /** Queries over the firewall log and the authentication journal. */
  readonly logReader: LogReader
  /** Disks without partitions that nothing uses; absent where they are not read. */
  readonly disks?: { list(): Promise<readonly FreeDisk[]> }
  /** The IPv4 addresses of a name, or a sentence that says why it has none; absent where DNS is not asked. */
  readonly names?: {
    lookUp(name: string): Promise<{ readonly addresses: readonly string[] } | { readonly fault: string }>
  }
  /** TXT records of a name: none when there is no such record, null when DNS could not be asked. */
  readonly textRecords?: { lookUp(name: string): Promise<readonly string[] | null> }
  /** Sends the log to a collector; absent where nothing is sent. */
  readonly forwarding?: Pick<LogForwarder, 'report'>
  /** How the log server takes records; absent without one. */
  readonly logServer?: () => LogServerReport
  /** Keeps a domain at the external address; absent where no updates are sent. */
  readonly ddns?: DdnsUpdater
  /** Checks, charts, notifications and the token for metrics. */
  readonly health: Health
  /** What of the machine gets in the way of the gateway. */
  readonly conflicts: Pick<ConflictBook, 'list' | 'recent' | 'follow' | 'look'>
  /** Numbers of the machine now; absent where it is not read. */
  readonly machineLoad?: () => MachineLoad
  /** Keeps room in the table of connections; absent where it is not read. */
  readonly connectionGuard?: Pick<ConnectionGuard, 'table' | 'hosts' | 'isFull'>
  /** PEM of the certificate of the management interface; absent without TLS. */
  readonly managementCertificate?: () => string
  /** Whether the web proxy answers, null while it need not; absent where it is not watched. */
  readonly webProxy?: { state(): WebProxyState | null }
  /** What the inspection engine does now; absent where nothing is inspected. */
  readonly inspection?: {
    state(): InspectionState
    /** Number of enabled firewall rules by the id of the profile that they inspect with. */
    rulesByProfile(config: Config): ReadonlyMap<string, number>
  }
  /** Takes update packages and shows what upgrades did; absent where none can be installed. */
  readonly upgrades?: Pick<Upgrades, 'state' | 'receive' | 'requireInstalled' | 'takeEnd'>
  /** A new authority for the web proxy, both parts as PEM. */
  readonly makeWebAuthority: () => Promise<{ readonly certificate: string; readonly key: string }>
  /** Sends notifications; absent where nothing is sent. */
  readonly notices?: NoticeSenders
  readonly audit: AuditTrail
  /** How much of its limits the audit trail uses; absent where nothing is removed from it. */
  readonly auditUsage?: () => AuditUsage
  readonly sessions: Sessions
  /** Lists of categories for the content filter, and the index of them. */
  readonly webCategories: Pick<CategoryDatabase, 'lookup' | 'state' | 'build' | 'receive' | 'file' | 'onNew'>
  /** How the decision process of the content filter is; its report is null while it is away. */
  readonly webFilter: Pick<WebFilterSocket, 'report'>
  /** Sessions of users on the network. */
  readonly userSessions: Pick<
    SessionKeeper,
    | 'list'
    | 'find'
    | 'ofUser'
    | 'at'
    | 'expectedAt'
    | 'openWeb'
    | 'end'
    | 'endAllOf'
    | 'onUnknown'
    | 'onEvents'
    | 'state'
  >
  readonly guard: SignInGuard
  /** Records sign-ins that were refused before a password was checked; a flood becomes one record with its count. */
  readonly refusedSignIns: RefusalLog
  /** Sign-ins of users at the portal. */
  readonly portal: PortalState
  /** Reaches the providers that deliver codes; absent where nothing is sent. */
  readonly codeProvider?: CodeProvider
  readonly passwords: Passwords
  readonly firstPassword: FirstPassword
  readonly vault: Vault
  readonly cookieJar: CookieJar
  /** Why a new password is too easy to guess, or null. */
  readonly weaknessOf: (password: string, forbiddenWords: readonly string[]) => string | null
  /** One durable step over several of the above. */
  readonly transact: <T>(work: () => T) => T
  /** Made once for this installation. */
  readonly installationId: string
  /** The faults of a value against a schema, for what does not come in a body. */
  readonly faultsOf: (schema: TSchema, value: unknown) => readonly Problem[]
  /** The operator's public key for licence tokens (PEM); null leaves every module available. */
  readonly licenceKey: string | null
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

/** A reply that is not JSON of the endpoint's schema: CSV, a page, a file. */
export interface RawReply {
  readonly contentType: string
  readonly content: RawContent
  /** The same as bytes, where it is the JSON of the reply. */
  readonly json?: Uint8Array
}

type RawContent = string | Buffer | LongReply | Readable

const rawReplies = new WeakSet<object>()

/** Pieces that come one after the other are sent as the client takes them. */
export function rawReply(contentType: string, content: RawContent | AsyncIterable<Uint8Array | string>): RawReply {
  const isReady =
    typeof content === 'string' ||
    Buffer.isBuffer(content) ||
    content instanceof LongReply ||
    content instanceof Readable
  return known({ contentType, content: isReady ? content : Readable.from(content, { objectMode: false }) })
}

function known(reply: RawReply): RawReply {
  rawReplies.add(reply)
  return reply
}

/** JSON of the endpoint's reply that is already written, such as by a worker. */
export const jsonReply = (json: Uint8Array): RawReply => known({ contentType: jsonType, content: sendable(json), json })

export const jsonType = 'application/json; charset=utf-8'

export const isRawReply = (value: unknown): value is RawReply =>
  typeof value === 'object' && value !== null && rawReplies.has(value)

export type { EditTools, EventStream }

export type Handler<E extends Endpoint> = (
  context: Context<E>,
) => ReplyOf<E> | RawReply | Promise<ReplyOf<E> | RawReply>

export interface RouteOptions {
  /** The slot the endpoint shows or changes: gives ETag, If-None-Match and If-Match. */
  readonly slot?: Slot
  /** Without a slot: the handler gives the very same value while nothing it shows has changed, so that its bytes are kept. */
  readonly isKept?: boolean
  /** The handler writes its own audit record. */
  readonly audits?: boolean
  /** Not one of several calls: it replaces the whole configuration, whatever other calls made of it. */
  readonly isAlone?: boolean
}

export interface Route {
  readonly endpoint: Endpoint
  readonly handler: (context: Context) => unknown
  readonly slot: Slot | null
  readonly isKept: boolean
  readonly audits: boolean
  readonly isAlone: boolean
}

export const handle = <E extends Endpoint>(endpoint: E, handler: Handler<E>, options: RouteOptions = {}): Route => ({
  endpoint,
  handler: handler as unknown as Route['handler'],
  slot: options.slot ?? null,
  isKept: options.isKept ?? options.slot !== undefined,
  audits: options.audits ?? false,
  isAlone: options.isAlone ?? false,
})

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
