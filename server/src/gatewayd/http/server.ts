// The HTTP service: registers the routes of all areas with Fastify and takes each request along the same straight line:
// framing, session, access, origin, body, schema, handler, reply. What is refused is audited here.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import type { Change, Context, Identity, Route, Services } from '../../core/area/handle.ts'
import { isRawReply, jsonType } from '../../core/area/raw-reply.ts'
import { RefusalLog } from '../../core/area/refusal-log.ts'
import type { Actor, DryRun, Edit } from '../../core/config/change.ts'
import type { ConfigEngine } from '../../core/config/engine.ts'
import { DryRun as DryRunReply } from '../../core/contract/dry-run.ts'
import { type Endpoint, nameOf } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { strictObject } from '../../core/contract/fields.ts'
import { canFailWith } from '../../core/contract/openapi-errors.ts'
import { Type } from '../../core/contract/schema.ts'
import type { Log } from '../../core/log.ts'
import type { Config } from '../../core/model/slots.ts'
import { faultsOf, readQuery } from '../../core/validation/validate.ts'
import { listenerOptions } from '../../shared/certificates/tls.ts'
import { sourceOf } from '../../shared/net/source.ts'
import { patient } from '../../shared/pace.ts'
import { say } from '../../shared/said.ts'
import { auditRefusal, CallRecords } from './audited.ts'
import { Authority, type AuthorityParts, type RequestAuthority } from './authority.ts'
import { Bodies, readBody } from './bodies.ts'
import { BodyRoom } from './body-room.ts'
import { type BodyLimits, bodyStream, noStream } from './body-stream.ts'
import { markSignedIn } from './connections.ts'
import { addConsole, isConsolePath } from './console.ts'
import { cutAfter, withConnections } from './cut-connections.ts'
import { Deadline, handlerMilliseconds } from './deadline.ts'
import { answerFor, asGatewayError, bodyTooLarge, type ErrorAnswer, internalMessage } from './errors.ts'
import { FairShare } from './fair-share.ts'
import { methodsAt } from './find-route.ts'
import { fixedHeaders, tlsHeaders } from './headers.ts'
import type { ListedConnections, LiveConnections } from './live-connections.ts'
import { checkOrigin } from './origin.ts'
import { preview } from './preview.ts'
import { QuickReads } from './quick-reads.ts'
import { sendContent } from './replies.ts'
import { type ChangeHeaders, checkFraming, etagOf, matchingTag, plainAddress, readChangeHeaders } from './request.ts'
import { Routing } from './routing.ts'
import { keptReplyOf, replyOf } from './serialise.ts'
import { type SteeredChange, together } from './together.ts'
import { Turns } from './turns.ts'

export interface HttpParts extends AuthorityParts {
  readonly routes: readonly Route[]
  readonly services: Services
  readonly engine: ConfigEngine
  readonly connections: LiveConnections
  /** Names of this machine, lower case, beside its addresses. */
  readonly ownNames: ReadonlySet<string>
  readonly isTls: boolean
  readonly log: Log
  readonly serverFactory?: FastifyServerFactory
  /** Tests: where the built console is. */
  readonly consoleFolder?: URL
  /** One line in the log for every request, for those who look for something. */
  readonly logsRequests?: boolean
  /** Tests: an answer that does not fit its schema is an error. */
  readonly checkReplies?: boolean
  /** Tests: how long a handler may take. */
  readonly handlerMilliseconds?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null
    deadline: Deadline | null
  }
}

/** Unique per request and per start; drawing randomness each time would cost more than a small answer. */
const requestIdPrefix = randomBytes(8).toString('hex')
let requestCount = 0
const nextRequestId = (): string => `${requestIdPrefix}-${(++requestCount).toString(36)}`

/** Bodies and replies are checked and written by validate.ts and serialise.ts; Fastify need not load what it has for that. */
const noCompilers = { buildValidator: () => unused, buildSerializer: () => unused }
const unused = (): never => {
  throw new Error('a schema was given to Fastify')
}

/** The second prefix of cookies beside `/` (docs/behaviour/api.md 4): every path is served below it too, so that they work. */
const restPrefix = '/rest'

const withoutPrefix = (url: string): string => (url.startsWith(`${restPrefix}/`) ? url.slice(restPrefix.length) : url)

type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
type RefuseUnknown = (request: FastifyRequest, reply: FastifyReply) => never

export function createHttpServer(parts: HttpParts): FastifyInstance {
  const { services } = parts
  const refusals = new RefusalLog((entry) => services.audit.note(entry), services.clock.elapsed)
  const headers = parts.isTls ? tlsHeaders : fixedHeaders
  const sendError = errorSender(parts, refusals)
  const refuseUnknown = unknownRefuser(parts.routes)
  const quick: { reads: QuickReads | null } = { reads: null }
  const routing = new Routing(parts.routes)
  const app = createApp(parts, headers, sendError, { quick, routing })
  const authority = new Authority(app, parts)
  const bodies = new Bodies()
  const turns = new Turns()
  app.decorateRequest('identity', null)
  app.decorateRequest('deadline', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  routing.addTo(app, (route, request, reply) => answer(parts, route, request, reply, authority.of(request, reply)))
  admitRequests(app, { parts, headers, authority, refuseUnknown })
  prepareHandlers(app, authority, bodies, turns)
  if (parts.logsRequests) logRequests(app, parts.log)
  else quick.reads = quickReads(parts, headers, authority, turns)
  addConsole(app, parts.consoleFolder)
  app.setNotFoundHandler(refuseUnknown)
  app.addHook('preClose', (done) => {
    quick.reads?.end()
    services.eventStreams.close()
    done()
  })
  app.addHook('onClose', async () => {
    refusals.close()
    await bodies.close()
  })
  app.setErrorHandler(sendError)
  return app
}

const quickReads = (
  { routes, engine, ...parts }: HttpParts,
  headers: typeof fixedHeaders,
  authority: Authority,
  turns: Turns,
): QuickReads =>
  new QuickReads({
    routes,
    engine,
    authority,
    turns,
    headers,
    prefixes: ['', restPrefix],
    checkReply: parts.checkReplies ? checkReply : () => {},
  })

/** What can be answered at once does not come to the framework. */
const withQuickReads =
  (create: FastifyServerFactory, quick: { readonly reads: QuickReads | null }): FastifyServerFactory =>
  (handler, options) =>
    create((request, response) => {
      if (!quick.reads?.answer(request, response)) handler(request, response)
    }, options)

const createApp = (
  parts: HttpParts,
  headers: typeof fixedHeaders,
  sendError: SendError,
  { quick, routing }: { readonly quick: { readonly reads: QuickReads | null }; readonly routing: Routing },
): FastifyInstance =>
  Fastify({
    logger: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: noCompilers },
    requestIdHeader: false,
    genReqId: nextRequestId,
    rewriteUrl: ({ url = '/' }) => withoutPrefix(url),
    // Paths contain domain names and lists of ids; the listener refuses longer ones with 431.
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      maxParamLength: listenerOptions.maxHeaderSize,
      constraints: routing.constraints,
    },
    frameworkErrors: (error, request, reply) => {
      void reply.headers(headers)
      // Cast: before a route is found the framework types its reply without one.
      sendError(error, request as FastifyRequest, reply as unknown as FastifyReply)
    },
    ...(parts.serverFactory ? { serverFactory: withQuickReads(parts.serverFactory, quick) } : {}),
  })

interface AdmissionParts {
  readonly parts: HttpParts
  readonly headers: typeof fixedHeaders
  readonly authority: Authority
  readonly refuseUnknown: RefuseUnknown
}

/** Before the body is read: framing, session, the share of those without one, room for the body, and origin. */
function admitRequests(app: FastifyInstance, { parts, headers, authority, refuseUnknown }: AdmissionParts): void {
  const fairShare = new FairShare(parts.services.clock.elapsed)
  const bodyRoom = new BodyRoom()
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers)
    checkFraming(request.raw)
    const { route } = request
    request.identity = parts.findIdentity(request.raw)
    if (request.identity) markSignedIn(request.raw.socket, request.identity.adminId)
    else if (!fairShare.take(plainAddress(request.ip))) {
      throw new GatewayError('too_many_requests', say`Too many requests without a session. Try again in a moment.`, {
        retryAfterSeconds: 1,
      })
    }
    authority.begin(request)
    if (route) bodyRoom.take(route.endpoint, request.headers['content-length'], ownerOf(request), reply.raw)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      checkOrigin(request.headers, parts.ownNames, parts.isTls, route?.endpoint.rawBodyType ?? undefined)
    }
    // Before its body is looked at: a path that takes no body has no limit for one.
    if (request.is404) refuseUnknown(request, reply)
    // Bodies are JSON whatever their type says (docs/behaviour/api.md 1); Fastify would refuse a type it cannot read.
    delete request.raw.headers['content-type']
    done()
  })
}

/** After the body is read: large ones are parsed aside, and the handler begins in turn, if it may. */
function prepareHandlers(app: FastifyInstance, authority: Authority, bodies: Bodies, turns: Turns): void {
  app.addHook('preHandler', (request, reply, done) => {
    const deadline = new Deadline(reply.raw)
    request.deadline = deadline
    const { route } = request
    const optionsFor = () => ({ owner: ownerOf(request), signal: deadline.signal })
    const begin = (): void => done(authority.refusalOf(request, reply))
    const large = route ? bodies.readLarge(route.endpoint, request.body, optionsFor) : null
    if (!large) return turns.take(ownerOf(request), begin)
    large.then((body) => {
      request.body = body
      turns.take(ownerOf(request), begin)
    }, done)
  })
}

function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    log('debug', 'request', {
      method: request.method,
      route: request.route?.endpoint.path ?? '(none)',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      who: request.identity?.login ?? '',
      request_id: request.id,
    })
    done()
  })
}

function unknownRefuser(routes: readonly Route[]): RefuseUnknown {
  return (request, reply) => {
    const methods = isConsolePath(pathOf(request.url)) ? ['GET', 'HEAD'] : methodsAt(routes, request.url)
    if (methods.length === 0) throw new GatewayError('not_found', say`There is no endpoint at this path.`)
    void reply.header('allow', methods.join(', '))
    throw new GatewayError('method_not_allowed', say`This path accepts only ${methods.join(', ')}.`)
  }
}

const errorSender =
  (parts: HttpParts, refusals: RefusalLog): SendError =>
  (error, request, reply) => {
    const endpoint = request.route?.endpoint
    const known = asDescribed(parts, endpoint, asGatewayError(error, endpoint?.tooLargeMessage))
    if (known.code === 'internal' || known.code === 'not_applied') {
      parts.log('error', 'a request failed', { error: known.cause ?? known, request_id: request.id })
    }
    try {
      auditRefusal(refusals, request, known)
    } catch (failure) {
      // The refusal is still sent; rethrown, this error would reach the caller in Fastify's words.
      parts.log('error', 'a refusal was not audited', { error: failure, request_id: request.id })
    }
    // After what could not be read, the next bytes may not be what they seem.
    if (known.code === 'malformed') void reply.header('connection', 'close')
    send(reply, answerFor(known, request.id))
  }

/** Tests: an error that the description of the endpoint does not name is a fault of that description. */
function asDescribed(parts: HttpParts, endpoint: Endpoint | undefined, error: GatewayError): GatewayError {
  if (!parts.checkReplies || !endpoint || canFailWith(endpoint, error.code)) return error
  const cause = new Error(`${nameOf(endpoint)} answered ${error.code}; add it to its errors`, { cause: error })
  return new GatewayError('internal', internalMessage, { cause })
}

function send(reply: FastifyReply, answer: ErrorAnswer): void {
  void reply.code(answer.status).headers(answer.headers).type(jsonType).send(JSON.stringify(answer.body))
}

/** Not async itself: a handler that answers at once, as nearly every read does, costs no promise. */
function answer(
  parts: HttpParts,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  authority: RequestAuthority,
): unknown {
  const { endpoint, slot } = route
  const { engine } = parts
  const query = readQuery(querySchemaOf(endpoint), request.query as Record<string, unknown>)
  if (slot && endpoint.effect === 'read') {
    const etag = etagOf(slot, engine.slotRevision(slot.key))
    // CSV and JSON share the tag; a client that requests another format has no cached copy.
    const known = matchingTag(request.headers['if-none-match'], etag)
    void reply.header('etag', known ?? etag)
    if (known !== null) return reply.code(304).send()
  }
  const body = endpoint.rawBodyType === null ? readBody(endpoint, request.body) : undefined
  const rawBody = endpoint.rawBodyType === null || endpoint.streamsBody ? noBytes : readBytes(request.body)
  const state: ChangeState = { report: null }
  const deadline = request.deadline ?? new Deadline(reply.raw)
  const records = new CallRecords(parts.services, route, request)
  const change =
    endpoint.effect === 'read'
      ? noChange
      : changeFor({ parts, route, request, reply, query, state, records, authority })
  const context: Context = {
    params: request.params as Record<string, string>,
    query,
    body,
    rawBody,
    bodyStream: endpoint.streamsBody ? readStream(endpoint, request, authority.authorize) : noStream(),
    config: engine.config,
    change: change as Change,
    address: plainAddress(request.ip),
    requestId: request.id,
    owner: ownerOf(request),
    get signal() {
      return deadline.signal
    },
    cookieHeader: request.headers.cookie,
    authorizationHeader: request.headers.authorization,
    lastEventId: [request.headers['last-event-id']].flat()[0],
    services: parts.services,
    identity: request.identity,
    requireAuthority: authority.authorize,
    ...records.capabilities(),
    preview: (call) => preview(parts.routes, engine, context, call),
    together: (calls) =>
      together(
        { routes: parts.routes, engine, authority, asking: context, change, checkReply: checkerOf(parts) },
        calls,
      ),
    setHeader: (name, value) => void reply.header(name, value),
  }
  const respond = (result: unknown): FastifyReply | Promise<FastifyReply> => {
    // Only a sign-in gives cookies to one who had none: its connection need not make room for others any more.
    if (endpoint.access === 'public' && reply.hasHeader('set-cookie')) {
      markSignedIn(request.raw.socket, `sign-in ${sourceOf(request.ip)}`)
    }
    return sendResult(parts, route, reply, result, mayCompress(endpoint, reply, records))
  }
  const finish = (result: unknown): FastifyReply | Promise<FastifyReply> => {
    if (state.report) {
      if (parts.checkReplies) checkDryRun({ dry_run: true, ...state.report })
      return sendContent(reply.type(jsonType), JSON.stringify({ dry_run: true, ...state.report }), true)
    }
    const written = records.written(result)
    return written ? written.then(() => respond(result)) : respond(result)
  }
  let result: unknown
  try {
    result = route.handler(context)
  } catch (error) {
    records.noteAll()
    throw error
  }
  if (!(result instanceof Promise)) return finish(result)
  const limited = deadline.limit(endpoint, result, parts.handlerMilliseconds ?? patient(handlerMilliseconds))
  return limited.then(
    (awaited) => {
      if (parts.checkReplies) authority.checkAsked()
      return finish(awaited)
    },
    (error) => {
      // What is done after its time is over is recorded too.
      void result.then(
        () => records.noteDone(),
        () => records.noteAll(),
      )
      throw error
    },
  )
}

/** Whose work it is, for what is shared fairly. */
const ownerOf = (request: FastifyRequest): string => request.identity?.adminId ?? sourceOf(request.ip)

const noChange: SteeredChange = () => {
  throw new Error('an endpoint that reads tried to change the configuration')
}

/**
 * Never where a secret is beside text that others may have chosen: how small that becomes would tell about the secret
 * (decision 53).
 */
const mayCompress = (endpoint: Endpoint, reply: FastifyReply, records: CallRecords): boolean =>
  (endpoint.access !== 'public' || endpoint.effect === 'read') &&
  !records.hasShownSecret &&
  !reply.hasHeader('set-cookie')

function sendResult(
  parts: HttpParts,
  route: Route,
  reply: FastifyReply,
  result: unknown,
  canBeSmaller: boolean,
): FastifyReply | Promise<FastifyReply> {
  const { endpoint } = route
  if (isRawReply(result)) {
    if (result.json && parts.checkReplies) checkReply(endpoint, JSON.parse(Buffer.from(result.json).toString()))
    return sendContent(reply.type(result.contentType), result.content, canBeSmaller)
  }
  if (!endpoint.reply) return reply.send()
  if (parts.checkReplies) checkReply(endpoint, result)
  void reply.type(jsonType)
  const isKept = route.isKept && endpoint.effect === 'read' && typeof result === 'object' && result !== null
  if (isKept) return sendContent(reply, keptReplyOf(endpoint.reply, result), canBeSmaller)
  const made = replyOf(endpoint.reply, result)
  return made instanceof Promise
    ? made.then((ready) => sendContent(reply, ready, canBeSmaller))
    : sendContent(reply, made, canBeSmaller)
}

function checkReply(endpoint: Endpoint, value: unknown): void {
  const faults = endpoint.reply ? faultsOf(endpoint.reply, value) : []
  if (faults.length > 0) throw new Error(`${nameOf(endpoint)} answered ${JSON.stringify(faults)}`)
}

function checkDryRun(report: unknown): void {
  const faults = faultsOf(DryRunReply, report)
  if (faults.length > 0) throw new Error(`a dry run answered ${JSON.stringify(faults)}`)
}

const checkerOf = ({ checkReplies }: HttpParts): typeof checkReply => (checkReplies ? checkReply : () => {})

const querySchemas = new WeakMap<Endpoint, Endpoint['query']>()

/** Every change of the configuration also takes dry_run and cut_connections. */
export function querySchemaOf(endpoint: Endpoint): Endpoint['query'] {
  if (endpoint.effect !== 'configuration') return endpoint.query
  const known = querySchemas.get(endpoint)
  if (known) return known
  const dryRun = Type.Optional(Type.Boolean({ description: 'Report what would change without changing anything.' }))
  const cut = Type.Optional(Type.Boolean({ description: 'Cut the live connections that the change refuses.' }))
  const schema = strictObject({ ...endpoint.query.properties, dry_run: dryRun, cut_connections: cut })
  querySchemas.set(endpoint, schema)
  return schema
}

const noBytes = Buffer.alloc(0)

function readBytes(raw: unknown): Buffer {
  if (Buffer.isBuffer(raw) && raw.length > 0) return raw
  throw new GatewayError('malformed', say`This call needs a body.`)
}

function readStream(
  endpoint: Endpoint,
  { body, headers }: FastifyRequest,
  atEnd: BodyLimits['atEnd'],
): AsyncIterable<Buffer> {
  if (!(body instanceof Readable)) throw new GatewayError('malformed', say`This call needs a body.`)
  const tooLargeMessage = endpoint.tooLargeMessage ?? bodyTooLarge
  return bodyStream(body, {
    bytes: endpoint.bodyLimitBytes,
    tooLargeMessage,
    declaredLength: headers['content-length'],
    atEnd,
  })
}

/** Who asks, from where, and by which way in. */
function actorOf(request: FastifyRequest): Actor {
  const { localAddress, localPort } = request.raw.socket
  return {
    login: request.identity?.login ?? '',
    address: plainAddress(request.ip),
    ...(localAddress === undefined || localPort === undefined
      ? {}
      : { reached: { address: plainAddress(localAddress), port: localPort } }),
  }
}

interface ChangeState {
  report: (DryRun & ListedConnections) | null
}

interface ChangingCall {
  readonly parts: HttpParts
  readonly route: Route
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly query: Readonly<Record<string, unknown>>
  readonly state: ChangeState
  readonly records: CallRecords
  readonly authority: RequestAuthority
}

function changeFor({ parts, route, request, reply, query, state, records, authority }: ChangingCall): SteeredChange {
  const { engine } = parts
  const { authorize, overrides } = authority
  const isConfiguration = route.endpoint.effect === 'configuration'
  const steering: ChangeHeaders = isConfiguration ? readChangeHeaders(request.headers, route.slot) : {}
  const isDryRun = isConfiguration && query.dry_run === true
  const { identity, id: requestId } = request
  return async (edit, terms = {}) => {
    let result: unknown
    const wrapped: Edit<unknown> = (config, tools) => {
      const edited = edit(config, tools)
      const pair = Array.isArray(edited)
        ? (edited as readonly [Config, unknown])
        : ([edited as Config, undefined] as const)
      result = pair[1]
      return pair
    }
    const { slot } = route
    const { expectedRevision } = steering
    const expected = expectedRevision === undefined ? [] : [{ slot: slot?.key ?? '', revision: expectedRevision }]
    const ask = {
      edit: wrapped,
      overrides,
      actor: actorOf(request),
      reason: steering.reason ?? route.endpoint.summary,
      requestId: request.id,
      authorize: terms.authorize ?? authorize,
      expects: [...expected, ...(terms.expects ?? [])],
      ...(steering.confirmWithinSeconds === undefined ? {} : { confirmWithinSeconds: steering.confirmWithinSeconds }),
    }
    if (isDryRun) {
      const { signal } = request.deadline ?? new Deadline(reply.raw)
      const outcome = await engine.dryRun(ask)
      state.report = await withConnections(parts, outcome, { identity, requestId, signal })
      return result
    }
    const done = await engine.change(ask)
    void reply.header('portcullis-revision', String(done.revision ?? engine.revision))
    // The tag of this very change: another one may have been made since, which this client has not seen.
    if (slot && done.revision !== null) void reply.header('etag', etagOf(slot, done.revision))
    if (done.reverted !== null) void reply.header('portcullis-reverted', String(done.reverted))
    if (done.probation) void reply.header('portcullis-confirm-before', done.probation.deadlineTime)
    if (isConfiguration && query.cut_connections === true)
      await cutAfter(parts, done, { identity, requestId, reply, audit: records.capabilities().audit })
    return done.result
  }
}

const pathOf = (url: string): string => url.split('?')[0] ?? ''
