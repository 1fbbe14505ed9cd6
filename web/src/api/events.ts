// What happens on the gateway, for the shell and for pages: revision, probation, statuses, session and health. One event stream
// while the tab is looked at; where it cannot be opened, the same is read again and again.

import type { ReplyOf } from '@gateway/server/contract'
import { showProbation } from '@gateway/server/contract/configuration'
import { listenToEvents, listStatuses } from '@gateway/server/contract/events'
import { showHealth } from '@gateway/server/contract/health'
import { mayUse } from '@gateway/server/core/access'
import type { CodedStatusItem } from '@gateway/server/core/fields'
import { call } from './call.ts'
import { readEverythingAgain } from './reads.ts'
import { withSentences } from './sentences.ts'
import { noteSecondsLeft, readSessionTime, sessionStore } from './session.ts'
import { createStore, useStore } from './store.ts'

export interface Waiting {
  readonly revision: number
  readonly author: string
  /** ISO 8601. */
  readonly confirmBefore: string
  /** By the clock of this browser, in milliseconds. */
  readonly deadline: number
}

export interface RevisionNews {
  readonly revision: number
  readonly time?: string
  readonly author?: string
  readonly reason?: string
}

export type HealthState = 'ok' | 'warning' | 'failed' | 'unknown'

export interface HealthNews {
  readonly state: HealthState
  readonly counts: Readonly<Record<HealthState, number>>
  /** Those that are not ok. */
  readonly checks: readonly {
    readonly id: string
    readonly title: string
    readonly state: HealthState
    readonly since: number
    readonly message: string
    readonly advice: string
    readonly says: ReplyOf<typeof showHealth>['checks'][number]['says']
  }[]
}

export interface Happenings {
  /** The gateway answers. */
  readonly isReached: boolean
  /** The open page knows why it may not, such as an upgrade, and says so. */
  readonly isAbsenceExpected: boolean
  readonly revision: RevisionNews | null
  readonly waiting: Waiting | null
  readonly statuses: ReadonlyMap<string, readonly CodedStatusItem[]>
  readonly health: HealthNews | null
  readonly sessions: { readonly administrators: number; readonly users: number } | null
}

export const happenings = createStore<Happenings>({
  isReached: true,
  isAbsenceExpected: false,
  revision: null,
  waiting: null,
  statuses: new Map(),
  health: null,
  sessions: null,
})

export const useHappenings = (): Happenings => useStore(happenings)

/** Status items of one status endpoint, by its path, or of all. */
export function useStatus(path?: string): readonly CodedStatusItem[] {
  const { statuses } = useStore(happenings)
  return path === undefined ? [...statuses.values()].flat() : (statuses.get(path) ?? [])
}

const patch = (change: Partial<Happenings>): void => happenings.update((now) => ({ ...now, ...change }))

/** Resolves when the gateway answers. */
export const untilReached = (): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!happenings.get().isReached) return
      stopLooking()
      resolve()
    }
    const stopLooking = happenings.listen(look)
    look()
  })

export const expectAbsence = (isExpected: boolean): void => patch({ isAbsenceExpected: isExpected })

// --- the stream --------------------------------------------------------------------------------------------------------------

const ownRevisions = new Set<number>()

/** A revision that this page made itself: what it read is known to it. */
export const noteOwnRevision = (revision: number): void => void ownRevisions.add(revision)

type Wire = Omit<Waiting, 'confirmBefore' | 'deadline'> & {
  readonly confirm_before: string
  readonly seconds_left: number
}

const waitingOf = (wire: Wire | null): Waiting | null =>
  wire && {
    revision: wire.revision,
    author: wire.author,
    confirmBefore: wire.confirm_before,
    deadline: Date.now() + wire.seconds_left * 1000,
  }

const settleMs = 400
let settling: ReturnType<typeof setTimeout> | undefined

/** The change of someone else: what is on screen is read again. Waits a little, since the reply to an own change may be on its way. */
function noteRevision(news: RevisionNews): void {
  const before = happenings.get().revision
  patch({ revision: news.time === undefined && before?.revision === news.revision ? before : news })
  if (!before || before.revision === news.revision) return
  clearTimeout(settling)
  settling = setTimeout(() => {
    if (!ownRevisions.has(news.revision)) void readEverythingAgain()
  }, settleMs)
}

function noteWaiting(waiting: Waiting | null): void {
  const before = happenings.get().waiting
  patch({ waiting })
  // Kept or reverted: in the second case all that was read is old.
  if (before && !waiting) void readEverythingAgain()
}

const readers: Readonly<Record<string, (data: never) => void>> = {
  revision: (news: RevisionNews) => noteRevision(news),
  probation: ({ waiting }: { waiting: Wire | null }) => noteWaiting(waitingOf(waiting)),
  status: ({ path, items }: { path: string; items: readonly CodedStatusItem[] }) =>
    patch({ statuses: new Map(happenings.get().statuses).set(path, withSentences(items)) }),
  sessions: (sessions: { administrators: number; users: number }) => patch({ sessions }),
  health: (health: HealthNews) => patch({ health }),
  session: ({ seconds_left }: { seconds_left: number }) => noteSecondsLeft(seconds_left),
}

const retryMs = 2_000
const slowMs = 15_000
const confirmMs = 1_000
const pollTimeoutMs = 4_000

let source: EventSource | null = null
let retry: ReturnType<typeof setTimeout> | undefined
let looking: ReturnType<typeof setInterval> | undefined
let isStarted = false

function open(): void {
  clearTimeout(retry)
  source?.close()
  if (document.hidden || sessionStore.get().stage !== 'in') return
  const stream = new EventSource(listenToEvents.path)
  source = stream
  stream.addEventListener('open', () => patch({ isReached: true }))
  for (const [event, read] of Object.entries(readers)) {
    stream.addEventListener(event, ({ data }: MessageEvent<string>) => read(JSON.parse(data) as never))
  }
  stream.addEventListener('error', () => {
    stream.close()
    if (source !== stream) return
    source = null
    void poll()
    retry = setTimeout(open, happenings.get().waiting || !happenings.get().isReached ? retryMs : slowMs)
  })
}

/** Without a stream, and to find out whether the gateway answers at all. */
async function poll(): Promise<void> {
  const role = sessionStore.get().identity?.role
  if (!role || document.hidden) return
  try {
    await readSessionTime()
    patch({ isReached: true })
    if (mayUse(role, 'change')) await pollWaiting()
    const { data } = await call(listStatuses, { isBackground: true })
    patch({ statuses: new Map(data.map(({ path, items }) => [path, withSentences(items)])) })
    if (mayUse(role, 'view')) {
      const { data: health } = await call(showHealth, { isBackground: true })
      patch({ health: { ...health, checks: health.checks.filter(({ state }) => state !== 'ok') } })
    }
  } catch {
    if (sessionStore.get().stage === 'in') patch({ isReached: false })
  }
}

async function pollWaiting(): Promise<void> {
  const { data } = await call(showProbation, { isBackground: true, signal: AbortSignal.timeout(pollTimeoutMs) })
  noteWaiting(waitingOf(data.waiting))
}

/** A change of this page waits to be kept: its bar must not wait for the stream. */
export const noteProbation = (): void => void pollWaiting().catch(() => {})

let isAsking = false

/** While a change waits, each second: a cut connection often does not end the stream, and the person must know at once. */
async function lookAtWaiting(): Promise<void> {
  const { waiting, isReached } = happenings.get()
  if (isAsking || document.hidden || (!waiting && isReached) || sessionStore.get().stage !== 'in') return
  isAsking = true
  try {
    await pollWaiting()
    patch({ isReached: true })
    if (!source) open()
  } catch {
    patch({ isReached: false })
  } finally {
    isAsking = false
  }
}

/** Follows the session and the tab: no stream and no reads without a session or in a hidden tab. */
export function startEvents(): void {
  if (isStarted) return
  isStarted = true
  let wasIn = false
  const follow = () => {
    const isIn = sessionStore.get().stage === 'in'
    if (isIn === wasIn) return
    wasIn = isIn
    if (isIn) open()
    else stop()
  }
  sessionStore.listen(follow)
  follow()
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : open()))
  looking = setInterval(() => void lookAtWaiting(), confirmMs)
}

function stop(): void {
  clearTimeout(retry)
  source?.close()
  source = null
}

/** For tests of the page life: no timers are left. */
export function endEvents(): void {
  stop()
  clearInterval(looking)
  isStarted = false
}
