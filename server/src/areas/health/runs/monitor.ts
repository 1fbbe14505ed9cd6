// Asks every source of health checks in turn, remembers since when each check is in its state, and settles what several looks
// in a row agree on. Who is notified of that is decided by health-memory.ts; what a check means by the source itself.

import {
  type Finding,
  type HealthQueue,
  type HealthSource,
  type HealthState,
  type Level,
  levelOf,
  type Settled,
} from '../../../core/contract/health.ts'
import { patient } from '../../../shared/pace.ts'
import { printSaid, type Said, type SaidText, type Sentence, say, sentencesIn } from '../../../shared/said.ts'
import { sentencesOf } from '../../../shared/said-texts.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'

export interface HealthCheck extends Pick<Finding, 'id' | 'state'> {
  readonly title: SaidText
  readonly message: SaidText
  readonly advice: SaidText
  /** The same sentence by sentence, for other languages; empty when it was only remembered. */
  readonly says: Readonly<Record<'title' | 'message' | 'advice', ReturnType<typeof sentencesOf>>>
  /** What they consist of, and what their values consist of. */
  readonly sentences: Sentence[]
  readonly source: string
  /** Unix seconds: since when it is in this state. */
  readonly since: number
}

export interface MonitorParts {
  readonly clock: Clock
  /** What was settled before the last restart. */
  readonly settled: readonly Settled[]
  /** Several looks in a row agree on another level than before. */
  readonly onSettled: (change: Settled, before: Level) => void
  readonly onFault: (source: string, error: unknown) => void
  /** How long a source may take; tests set it. */
  readonly sourceMilliseconds?: number
}

/** This many looks in a row must agree: one slow answer is not a failure, and one good one is not a recovery. */
export const agreeing = 3
const sourceMilliseconds = 8_000
/** Checks of one source, so that a source that invents ids cannot fill the memory. */
const maxChecks = 500
/** From this part of its limit on, a queue is reported. */
const nearLimit = 0.8

interface Entry {
  check: HealthCheck
  settled: Level
  /** Levels of the last looks, newest last; those that knew nothing are not in it. */
  recent: Level[]
  /** Its source does not list it any more. */
  isGone: boolean
}

export class HealthMonitor {
  readonly #parts: MonitorParts
  readonly #sources: HealthSource[] = []
  readonly #queues: HealthQueue[] = []
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(check: HealthCheck) => void>()
  #looking: Promise<void> | null = null
  /** Sources whose last check threw. */
  readonly #broken = new Set<string>()
  #looks = 0

  constructor(parts: MonitorParts) {
    this.#parts = parts
    for (const { level, source, time, ...known } of parts.settled) {
      const check: HealthCheck = { ...known, source, state: 'unknown', since: time, ...spokenOf(known) }
      this.#entries.set(known.id, { check, settled: level, recent: [], isGone: false })
    }
    this.add({ name: 'queues', check: () => this.#queues.map(judgeQueue) })
  }

  add(source: HealthSource): void {
    this.#sources.push(source)
  }

  addQueue(queue: HealthQueue): void {
    this.#queues.push(queue)
  }

  get queues(): readonly HealthQueue[] {
    return this.#queues
  }

  /** How many looks there were; before the first one nothing is known. */
  get looks(): number {
    return this.#looks
  }

  /** In the order of the sources. */
  list(): HealthCheck[] {
    const places = new Map(this.#sources.map(({ name }, index) => [name, index]))
    const placeOf = ({ source }: HealthCheck): number => places.get(source) ?? places.size
    return [...this.#entries.values()]
      .filter(({ isGone }) => !isGone)
      .map(({ check }) => check)
      .sort((a, b) => placeOf(a) - placeOf(b))
  }

  /** Called with every check whose state has changed since the look before. */
  onChanged(listener: (check: HealthCheck) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Looks at everything once; a look that is under way counts for everyone who asks. */
  look(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookAtAll(): Promise<void> {
    for (const source of this.#sources) this.#take(source.name, await this.#ask(source))
    this.#looks++
  }

  async #ask(source: HealthSource): Promise<readonly Finding[] | null> {
    const limit = this.#parts.sourceMilliseconds ?? patient(sourceMilliseconds)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), limit)
    })
    try {
      const findings = await Promise.race([source.check(), timeout])
      this.#broken.delete(source.name)
      return findings
    } catch (error) {
      // Once, not every ten seconds.
      if (!this.#broken.has(source.name)) this.#parts.onFault(source.name, error)
      this.#broken.add(source.name)
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  #take(source: string, findings: readonly Finding[] | null): void {
    const own = [...this.#entries.values()].filter(({ check }) => check.source === source)
    if (findings === null) {
      for (const { check } of own) this.#note(source, { ...saidOf(check), state: 'unknown', ...unanswered })
      return
    }
    const named = new Set(findings.map(({ id }) => id))
    for (const finding of findings.slice(0, maxChecks)) this.#note(source, finding)
    for (const entry of own) {
      if (named.has(entry.check.id)) continue
      this.#note(source, { ...saidOf(entry.check), state: 'ok', ...gone }, true)
      if (entry.settled === 0) this.#entries.delete(entry.check.id)
    }
  }

  #note(source: string, { id, state, ...said }: Finding, isGone = false): void {
    const time = unixSeconds(this.#parts.clock.now())
    const known = this.#entries.get(id)
    const level = levelOf(state)
    const isSame = known !== undefined && isSameState(known, state)
    const [title, message, advice] = [printSaid(said.title), printSaid(said.message), printSaid(said.advice)]
    const check = {
      source,
      id,
      title,
      state,
      message,
      advice,
      ...spokenOf(said),
      since: isSame ? known.check.since : time,
    }
    const entry: Entry = known ?? { check, settled: 0, recent: [], isGone }
    const before = known?.check.state
    entry.check = check
    entry.isGone = isGone
    this.#entries.set(id, entry)
    if (level !== null) {
      entry.recent = [...entry.recent, level].slice(-agreeing)
      this.#settle(entry, time)
    }
    if (before !== state && (before !== undefined || state !== 'ok')) for (const tell of this.#listeners) tell(check)
  }

  /** The mildest of the bad levels, or the worst of the good ones: going to and fro between two of them settles nothing new. */
  #settle(entry: Entry, time: number): void {
    const { recent, settled, check } = entry
    if (recent.length < agreeing) return
    const isWorse = recent.every((level) => level > settled)
    const isBetter = recent.every((level) => level < settled)
    if (!isWorse && !isBetter) return
    entry.settled = isWorse ? (Math.min(...recent) as Level) : (Math.max(...recent) as Level)
    const { id, title, message, advice, source } = check
    this.#parts.onSettled({ id, title, message, advice, source, level: entry.settled, time }, settled)
  }
}

/** Right after a restart a check that is in the state it was settled in has been so since then. */
const isSameState = ({ check, settled, recent }: Entry, state: HealthState): boolean =>
  check.state === state || (recent.length === 0 && check.state === 'unknown' && levelOf(state) === settled)

const spokenOf = ({ title, message, advice }: Readonly<Record<'title' | 'message' | 'advice', Said>>) => ({
  says: { title: sentencesOf(title), message: sentencesOf(message), advice: sentencesOf(advice) },
  sentences: sentencesIn([title, message, advice]),
})

/** A check that is noted again under its own title. */
const saidOf = ({ id, title }: HealthCheck) => ({ id, title })

const unanswered = { message: say`This could not be checked.`, advice: '' } as const
const gone = { message: say`This is not checked any more.`, advice: '' } as const

function judgeQueue(queue: HealthQueue): Finding {
  const { name, title, limit } = queue
  const [length, lost] = [queue.length(), queue.lost?.() ?? 0]
  const common = { id: `queue.${name}`, title }
  const losses = lost > 0 ? say`${lost} were lost since the start.` : ''
  if (limit === null) return { ...common, state: 'ok', message: [say`${length} wait.`, losses], advice: '' }
  const message = [say`${length} of at most ${limit} wait.`, losses]
  if (length >= limit)
    return { ...common, state: 'failed', message, advice: say`Find out what holds up the service that takes them.` }
  return length >= limit * nearLimit
    ? { ...common, state: 'warning', message, advice: say`Find out what holds up the service that takes them.` }
    : { ...common, state: 'ok', message, advice: '' }
}
