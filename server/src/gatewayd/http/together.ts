// Several calls of the interface as one change: each call's own route, access, schema and handler, on top of what the calls
// before it made; one change, one revision, all or nothing. The handlers wait in change() until the whole is made.

import { bodyWithIds, checkIds, hasOtherIds, idsOf } from '../../core/area/call-ids.ts'
import type { Change, Context, OneCall, Route } from '../../core/area/handle.ts'
import { isRawReply } from '../../core/area/raw-reply.ts'
import type { Authorize, EditTools, Expected } from '../../core/config/change.ts'
import type { ConfigEngine } from '../../core/config/engine.ts'
import { editTools } from '../../core/config/prepared.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import { checkBody, readQuery } from '../../core/validation/validate.ts'
import { createSlices, inSlices } from '../../core/workers/slices.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { RequestAuthority } from './authority.ts'
import { largestHereBytes } from './bodies.ts'
import { type CallAt, CallFaults, inBody, inCall, inPath, refusedAt } from './call-faults.ts'
import { type FoundRoute, findRoute } from './find-route.ts'
import { readIfMatch } from './request.ts'
import { serialise } from './serialise.ts'

type AnyEdit = (config: Config, tools: EditTools) => Config | readonly [Config, unknown]

/** What only the server gives a change: who is asked, and what must not have changed. */
export interface ChangeTerms {
  readonly authorize?: Authorize
  readonly expects?: readonly Expected[]
}

export type SteeredChange = (edit: AnyEdit, terms?: ChangeTerms) => Promise<unknown>

export interface TogetherParts {
  readonly routes: readonly Route[]
  readonly engine: ConfigEngine
  readonly authority: Pick<RequestAuthority, 'authorizeEach'>
  readonly asking: Context
  readonly change: SteeredChange
  /** Tests: a reply that does not fit its schema is an error. */
  readonly checkReply: (endpoint: Endpoint, reply: unknown) => void
}

interface Planned extends CallAt {
  readonly call: OneCall
  readonly found: FoundRoute
}

/** A call whose handler waits in change(). */
interface Reached {
  readonly planned: Planned
  readonly edit: AnyEdit
  readonly done: (result: unknown) => void
  readonly refused: (error: unknown) => void
  readonly reply: Promise<unknown>
}

/** What the calls made of a configuration. */
interface Draft {
  readonly base: Config
  readonly config: Config
  readonly results: readonly unknown[]
  readonly sequences: Readonly<Record<string, number>>
}

/** Others changed the configuration since the draft. */
class Overtaken extends Error {}

/** So often the calls are made in slices, on top of what others changed in the meantime; then at once, in the turn of the change. */
const mostDrafts = 3

export async function together(parts: TogetherParts, calls: readonly OneCall[]): Promise<unknown[]> {
  const planned = await plan(parts.routes, calls)
  const terms = {
    authorize: parts.authority.authorizeEach(planned.map(({ endpoint }) => endpoint)),
    expects: planned.flatMap(expectedBy),
  }
  // Before anything is said about values: who may not make a call learns nothing else about it.
  terms.authorize()
  refuseStale(parts.engine, planned)
  const queries = await readCalls(planned)
  const reached: Reached[] = []
  try {
    const results = await make(parts, reached, await draftFirst(parts, planned, queries, reached), terms, () => {
      if (!planned.some((one) => idsOf(one).length > 0)) return draftAgain(parts, reached)
      // Handlers have the ids of the first draft in their bodies: they begin again.
      for (const { refused } of reached.splice(0)) refused(new Overtaken())
      return draftFirst(parts, planned, queries, reached)
    })
    for (const [index, { done }] of reached.entries()) done(results[index])
  } catch (error) {
    for (const { refused } of reached) refused(error)
    // Another change came in between: the refusal still names the call.
    if (error instanceof GatewayError && error.code === 'precondition_failed') refuseStale(parts.engine, planned)
    throw error
  }
  return shownReplies(parts, reached)
}

/** Finds every call before the first one is made. */
async function plan(routes: readonly Route[], calls: readonly OneCall[]): Promise<readonly Planned[]> {
  const slices = createSlices()
  const planned: Planned[] = []
  for (const [index, call] of calls.entries()) {
    await slices()
    const found = findRoute(routes, call.method, call.path)
    const refusal = refusalOf(found?.route)
    if (!found || refusal !== null) throw refusedAt(index, 'path', refusal ?? unknownCall)
    planned.push({ index, call, found, endpoint: found.route.endpoint })
  }
  return planned
}

const unknownCall = say`No call with this method and path changes the configuration.`

function refusalOf(route: Route | undefined): SaidText | null {
  if (route?.endpoint.effect === 'action')
    return say`This call acts on more than the configuration, so it cannot be one of several. Send it by itself.`
  if (route?.endpoint.effect !== 'configuration') return unknownCall
  if (route.isAlone)
    return say`This call changes everything at once, so it cannot be one of several. Send it by itself.`
  return route.endpoint.rawBodyType === null ? null : say`The body of this call is a file. Send it by itself.`
}

function expectedBy({ call, found: { route } }: Planned): readonly Expected[] {
  const { expectedRevision: revision } = readIfMatch(call.if_match, route.slot)
  return revision === undefined ? [] : [{ slot: route.slot?.key ?? '', revision }]
}

function refuseStale(engine: ConfigEngine, planned: readonly Planned[]): void {
  for (const one of planned) {
    const isStale = expectedBy(one).some(({ slot, revision }) => engine.slotRevision(slot) !== revision)
    const message = say`This was changed since you read it. Reload and try again.`
    if (isStale) throw refusedAt(one.index, 'if_match', message, 'precondition_failed')
  }
}

/** Checks all bodies and queries; the faults of all calls are reported together. */
async function readCalls(planned: readonly Planned[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const slices = createSlices()
  const faults = new CallFaults()
  const queries: Readonly<Record<string, unknown>>[] = []
  for (const one of planned) {
    await slices()
    try {
      queries.push(inPath(one, () => readQuery(one.endpoint.query, one.found.query)))
      inBody(one, () => checkCallSize(one))
      checkIds(one, planned)
      // What waits for an id is checked when it has it.
      if (idsOf(one).length === 0) inBody(one, () => checkCallBody(one, one.call.body))
    } catch (error) {
      faults.add(error)
    }
  }
  faults.refuse()
  return queries
}

function checkCallSize({ endpoint, call: { body } }: Planned): void {
  if (!endpoint.body) {
    const isEmpty = body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)
    if (!isEmpty) throw new GatewayError('invalid', say`This call does not take a body.`)
    return
  }
  if (body === undefined) {
    if (endpoint.isBodyOptional) return
    throw new GatewayError('invalid', say`This call needs a body.`)
  }
  // What is larger is checked in a worker, which only a body by itself is.
  const most = Math.min(endpoint.bodyLimitBytes, largestHereBytes)
  if (Buffer.byteLength(JSON.stringify(body)) > most)
    throw new GatewayError('too_large', say`It has more than ${most / 1024} KiB. Send this call by itself.`)
}

function checkCallBody({ endpoint }: Planned, body: unknown): void {
  if (endpoint.body && body !== undefined) checkBody(endpoint.body, body)
}

/** Runs each handler up to its change, with the configuration that the calls before it made. */
async function draftFirst(
  { engine, asking }: TogetherParts,
  planned: readonly Planned[],
  queries: readonly Readonly<Record<string, unknown>>[],
  reached: Reached[],
): Promise<Draft> {
  const slices = createSlices()
  const faults = new CallFaults()
  const base = engine.config
  const { tools, used } = editTools(engine.sequences, asking.services.referencesTo)
  const results: unknown[] = []
  const failed = new Set<number>()
  let config = base
  for (const [index, one] of planned.entries()) {
    await slices()
    if (asking.signal.aborted) throw new GatewayError('unavailable', say`The client has gone.`)
    // What names an item that was refused cannot be judged.
    if (idsOf(one).some(({ of }) => failed.has(of))) {
      failed.add(index)
      continue
    }
    try {
      const body = bodyWithIds(one, results)
      if (body !== one.call.body) inBody(one, () => checkCallBody(one, body))
      const next = await inCall(one, () => reach(asking, one, { query: queries[index] ?? {}, body }, config))
      reached.push(next)
      const [made, result] = inCall(one, () => edited(next.edit, config, tools))
      config = made
      results[index] = result
    } catch (error) {
      // The others are tried too, so that one answer names what is wrong with all of them.
      faults.add(error)
      failed.add(index)
    }
  }
  faults.refuse()
  return { base, config, results, sequences: used }
}

function edited(edit: AnyEdit, config: Config, tools: EditTools): readonly [Config, unknown] {
  const made = edit(config, tools)
  return Array.isArray(made) ? (made as readonly [Config, unknown]) : [made as Config, undefined]
}

function reach(
  asking: Context,
  planned: Planned,
  { query, body }: { readonly query: Readonly<Record<string, unknown>>; readonly body: unknown },
  config: Config,
): Promise<Reached> {
  const { found } = planned
  return new Promise((resolve, reject) => {
    let isReached = false
    const change = (edit: AnyEdit): Promise<unknown> => {
      if (isReached) return Promise.reject(new Error('a handler called change() twice'))
      isReached = true
      return new Promise((done, refused) => resolve({ planned, edit, done, refused, reply }))
    }
    // Handlers that do something after the change look whether it is only tried.
    const isDryRun = asking.query.dry_run === true
    const context: Context = {
      ...asking,
      params: found.params,
      query: isDryRun ? { ...query, dry_run: true } : query,
      body: body as Context['body'],
      config,
      change: change as Change,
    }
    const reply = Promise.resolve().then(() => found.route.handler(context))
    const unchanged = new GatewayError('invalid', say`This call does not change the configuration.`)
    reply.then(() => reject(unchanged), reject)
  })
}

/** One change of them all. What others change in the meantime is not lost: the calls are made again on top of it. */
async function make(
  parts: TogetherParts,
  reached: readonly Reached[],
  first: Draft,
  terms: ChangeTerms,
  again: () => Promise<Draft>,
): Promise<readonly unknown[]> {
  let draft = first
  for (let drafts = 1; ; drafts++) {
    const edit: AnyEdit = (config, tools) => {
      if (config !== draft.base) {
        if (drafts < mostDrafts) throw new Overtaken()
        return atOnce(reached, draft, config, tools)
      }
      for (const [key, last] of Object.entries(draft.sequences)) tools.keepIds({ key }, last)
      return [draft.config, draft.results]
    }
    try {
      return (await parts.change(edit, terms)) as readonly unknown[]
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
      draft = await again()
    }
  }
}

function atOnce(reached: readonly Reached[], draft: Draft, config: Config, tools: EditTools) {
  const steps = draftSteps(reached, config, tools)
  let step = steps.next()
  while (!step.done) step = steps.next()
  const [, results] = step.value
  const planned = reached.map((one) => one.planned)
  if (hasOtherIds(planned, draft.results, results)) throw new GatewayError('conflict', tooBusy)
  return step.value
}

const tooBusy = say`Other administrators created items at the same time. Nothing was changed; send it again.`

async function draftAgain({ engine, asking }: TogetherParts, reached: readonly Reached[]): Promise<Draft> {
  const base = engine.config
  const { tools, used } = editTools(engine.sequences, asking.services.referencesTo)
  const [config, results] = await inSlices(draftSteps(reached, base, tools))
  return { base, config, results, sequences: used }
}

function* draftSteps(
  reached: readonly Reached[],
  base: Config,
  tools: EditTools,
): Generator<void, readonly [Config, readonly unknown[]]> {
  const results: unknown[] = []
  let config = base
  for (const { planned, edit } of reached) {
    const [made, result] = inCall(planned, () => edited(edit, config, tools))
    config = made
    results.push(result)
    yield
  }
  return [config, results]
}

/** With the fields of each call's own schema; null for calls that have no reply. */
async function shownReplies({ asking, checkReply }: TogetherParts, reached: readonly Reached[]): Promise<unknown[]> {
  const replies = await Promise.all(reached.map(({ reply }) => reply))
  // A dry run is answered with its report.
  if (asking.query.dry_run === true) return []
  const slices = createSlices()
  const shown: unknown[] = []
  for (const [index, { planned }] of reached.entries()) {
    await slices()
    const { endpoint } = planned
    const reply = replies[index]
    if (!endpoint.reply || isRawReply(reply)) {
      shown.push(null)
      continue
    }
    checkReply(endpoint, reply)
    shown.push(JSON.parse(serialise(endpoint.reply, reply)))
  }
  return shown
}
