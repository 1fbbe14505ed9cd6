// How a change reaches the gateway: tried first, then sent with the tag that the person saw, a reason and, where wanted, the time
// within which it must be kept. Several calls go as one change with one revision.

import type { Endpoint } from '@gateway/server/contract'
import { makeCalls, undoRevision } from '@gateway/server/contract/configuration'
import { mayUse } from '@gateway/server/core/access'
import type { DryRun } from '@gateway/server/core/dry-run'
import { toast } from '../ui/toast.tsx'
import { heard, t } from '../words.ts'
import { addressOf, type CallOptions, call, optionsOf, type Reply } from './call.ts'
import type { ChangePlan, PlannedCall } from './change.ts'
import { noteOwnRevision } from './events.ts'
import { Failure } from './failure.ts'
import { readAgain, readEverythingAgain } from './reads.ts'
import { sessionStore } from './session.ts'
import { createStore } from './store.ts'

export interface ApplyOptions {
  readonly reason?: string
  /** Seconds within which the change must be kept; null: at once and permanently. */
  readonly confirmWithin?: number | null
  /** Connections that the change refuses are cut. */
  readonly isCutting?: boolean
}

export interface Applied {
  readonly replies: readonly unknown[]
  readonly revision: number | null
  /** When the change is reverted unless it is kept. */
  readonly confirmBefore: string | null
}

/** The change whose review is open. */
export const reviewStore = createStore<ChangePlan | null>(null)

const review = { open: (plan: ChangePlan): void => reviewStore.set(plan) }

/** Opens the review drawer; what is shown there is applied from there. */
export const useReview = (): typeof review => review

/**
 * Asks the gateway what the change would do. Refused attempts are journalled, so it is asked only on Review. `confirmWithin`: what
 * would lock its author out is only told about for a time within which it must be kept.
 */
export async function tryPlan(
  plan: ChangePlan,
  { signal, confirmWithin }: { readonly signal?: AbortSignal; readonly confirmWithin?: number } = {},
): Promise<DryRun> {
  const headers = confirmWithin === undefined ? {} : { 'portcullis-confirm-within': String(confirmWithin) }
  const reply = await sendPlan(plan, { query: { dry_run: true }, headers }, signal)
  return reply.data as DryRun
}

export async function applyPlan(plan: ChangePlan, options: ApplyOptions = {}): Promise<Applied> {
  const { confirmWithin = null, isCutting = false } = options
  // Of several calls the gateway could only say that there were several.
  const reason = options.reason || (plan.calls.length > 1 ? plan.title.slice(0, longestReason) : '')
  const reply = await sendPlan(plan, {
    headers: {
      ...(reason === '' ? {} : { 'portcullis-reason': latin(reason) }),
      ...(confirmWithin === null ? {} : { 'portcullis-confirm-within': String(confirmWithin) }),
    },
    query: isCutting ? { cut_connections: true } : {},
  })
  const replies = plan.calls.length === 1 ? [reply.data] : (reply.data as { replies: readonly unknown[] }).replies
  const revision = Number(reply.headers.get('portcullis-revision') ?? Number.NaN)
  if (Number.isFinite(revision)) noteOwnRevision(revision)
  void (plan.reads.length === 0 ? readEverythingAgain() : readAgain(...plan.reads))
  plan.onApplied?.(replies)
  return {
    replies,
    revision: Number.isFinite(revision) ? revision : null,
    confirmBefore: reply.headers.get('portcullis-confirm-before'),
  }
}

const longestReason = 200

/** Headers are Latin-1: the bytes of UTF-8, one character each. */
const latin = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

type Extra = { readonly headers?: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, boolean>> }

function sendPlan(plan: ChangePlan, { headers = {}, query }: Extra, signal?: AbortSignal): Promise<Reply<unknown>> {
  const rest = signal ? { signal } : {}
  const [first, ...others] = plan.calls
  if (!first) throw new Error('a change without a call')
  if (others.length > 0) {
    const body = { calls: plan.calls.map(wireCall) }
    return call(makeCalls, optionsOf({ body, query, headers, ...rest }))
  }
  const tag = first.etag ? { 'if-match': first.etag } : {}
  return call(first.endpoint, {
    ...(first.params ? { params: first.params } : {}),
    ...(first.body === undefined ? {} : { body: first.body }),
    query: { ...first.query, ...query },
    headers: { ...headers, ...tag },
    ...rest,
  } as CallOptions<Endpoint>)
}

/** One call inside a change of several. */
export const wireCall = ({ endpoint: { method, path }, params, query, body, etag, ids }: PlannedCall) => ({
  method,
  path: addressOf({ path }, { ...(params ? { params } : {}), ...(query ? { query } : {}) } as CallOptions),
  ...(body === undefined ? {} : { body }),
  ...(etag ? { if_match: etag } : {}),
  ...(ids ? { ids } : {}),
})

/** Sends a small change without a review and offers to undo it. Refusals of values go to the page, all else to a toast. */
export async function applyNow(plan: ChangePlan, options: ApplyOptions = {}): Promise<Applied | null> {
  try {
    const applied = await applyOnTop(plan, options)
    if (applied) tellApplied(plan, applied)
    return applied
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.problems.length > 0 && plan.onProblems) plan.onProblems(error.problems)
    else if (error.code !== 'unauthenticated') toast(heard(error.message), { tone: 'bad' })
    void readAgain(...plan.reads)
    return null
  }
}

/** Once more with the new tag when someone else changed another entry of the same list; null when the page asks the person. */
export async function applyOnTop(plan: ChangePlan, options: ApplyOptions): Promise<Applied | null> {
  try {
    return await applyPlan(plan, options)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'precondition_failed' || !plan.onConflict) throw error
    const next = await plan.onConflict()
    return next ? applyPlan(next, options) : null
  }
}

/** Says that it is done. What is on probation has its own bar instead of an undo. */
export function tellApplied(plan: ChangePlan, { revision, confirmBefore }: Applied): void {
  if (confirmBefore !== null || revision === null) return
  const role = sessionStore.get().identity?.role
  const mayUndo = role !== undefined && mayUse(role, undoRevision.access)
  toast(t('{what}: done, revision {revision}.', { what: plan.title, revision }), {
    tone: 'ok',
    ...(mayUndo ? { action: { label: t('Undo'), onAction: () => void undo(revision) } } : {}),
  })
}

/** Takes one revision out of the middle, whatever came after it. */
async function undo(revision: number): Promise<void> {
  const plan: ChangePlan = {
    title: t('Undo of revision {revision}', { revision }),
    calls: [{ endpoint: undoRevision, params: { revision_id: revision } }],
    reads: [],
  }
  const applied = await applyNow(plan, {})
  if (applied) await readEverythingAgain()
}
