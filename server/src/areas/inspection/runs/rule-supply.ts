// Keeps the inspection engine supplied with rules, and knows what it really does: has rules made when the configuration or the
// signatures change, tests every channel, and tells planning what it learnt (docs/behaviour/inspection.md).

import { isDeepStrictEqual } from 'node:util'
import {
  type ChannelState,
  type EngineSeen,
  type InspectionState,
  inspectionOff,
  inspectionSeen,
} from '../../../core/contract/inspection-state.ts'
import type { InspectionFacts } from '../../../core/plan/facts.ts'
import { inspection } from '../../../core/plan/inspection-marks.ts'
import { WorkerPool } from '../../../core/workers/pool.ts'
import { createSlices } from '../../../core/workers/slices.ts'
import type { Catalogue } from '../../../domain/signatures/catalogue.ts'
import {
  type ChannelContent,
  type DeniedApplication,
  unknownApplication,
} from '../../../domain/signatures/channel-rules.ts'
import { canaryText } from '../../../domain/signatures/numbering.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'
import { type CanaryOptions, type CanaryResult, testChannel } from './canary.ts'
import { askEngine, type EngineReport } from './command-socket.ts'
import { type Compiled, type CompileInput, rulesName } from './compile.ts'
import type { compileTasks } from './compile-worker.ts'
import { readKept, rememberNumbers, writeKept } from './kept.ts'

export interface WantedChannel extends ChannelContent {
  /** By which its number is remembered. */
  readonly key: string
  readonly prevention: string
  readonly applications: string
  readonly older: number | null
  readonly isFailOpen: boolean
}

export interface InspectionParts {
  /** Where rules go. */
  readonly folder: string
  /** Where is remembered what must survive a restart. */
  readonly keptPath: string
  readonly commandSocket: string
  /** The channels that the configuration asks for, with the numbers that are known. */
  readonly wanted: (numbers: InspectionFacts['numbers']) => readonly WantedChannel[]
  /** All signatures; null until they are read for the first time. */
  readonly catalogue: () => Catalogue | null
  readonly applications: readonly DeniedApplication[]
  /** Bytes that may still be written without taking the room of the configuration. */
  readonly room: () => number
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** Planning must know. */
  readonly onFacts: () => void
  readonly onFault: (error: unknown) => void
  /** Whether an engine can be there at all. */
  readonly isTested: boolean
  readonly timings?: Partial<Timings>
  readonly test?: (options: CanaryOptions) => Promise<CanaryResult>
  readonly ask?: (path: string) => Promise<EngineReport | null>
  readonly compile?: (input: CompileInput) => Promise<Compiled>
}

interface Timings {
  /** From a change until rules are made: changes come in groups. */
  readonly debounceMs: number
  readonly lookMs: number
  /** While the newest rules are awaited. */
  readonly hurryMs: number
  /** From then on they are late. */
  readonly lateMs: number
  /** After a failure. */
  readonly retryMs: number
  /** A test says nothing any more. */
  readonly staleMs: number
}

const defaults: Timings = {
  debounceMs: 500,
  lookMs: 10_000,
  hurryMs: 1_000,
  lateMs: 120_000,
  retryMs: 30_000,
  // All 63 channels without an answer take half a minute.
  staleMs: 90_000,
}

/** Forty thousand signatures on a busy machine, and still an end for what hangs. */
const compileLimitMs = 10 * 60_000
const testsAtOnce = 8
const longPatienceMs = 5_000

interface Tested {
  /** Unix seconds, to show. */
  readonly at: number
  /** When it began, since boot, to measure with. */
  readonly elapsedMs: number
  readonly inForce: string | null
  readonly message: SaidText
}

export class Inspection {
  readonly #parts: InspectionParts
  readonly #timings: Timings
  readonly #pool: WorkerPool<typeof compileTasks>
  #kept: InspectionFacts
  #isKept: boolean
  #wanted: readonly WantedChannel[] = []
  #compiled: Compiled | null = null
  /** What the newest rules were made of. */
  #madeOf: { readonly channels: readonly ChannelContent[]; readonly catalogue: Catalogue } | null = null
  #fault: SaidText = ''
  #before: string | null = null
  readonly #tests = new Map<number, Tested>()
  #report: EngineReport | null = null
  /** The generation of which the engine said that it has every rule. */
  #whole: string | null = null
  /** Of the newest engine that was seen, in seconds since boot. */
  #heldSince = 0
  #awaitedSince: number
  #compiling: Promise<void> | null = null
  #looking: Promise<void> | null = null
  #compileTimer: NodeJS.Timeout | null = null
  #lookTimer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(parts: InspectionParts) {
    this.#parts = parts
    this.#timings = { ...defaults, ...parts.timings }
    this.#kept = readKept(parts.keptPath)
    this.#isKept = Object.keys(this.#kept.numbers).length > 0
    this.#awaitedSince = this.#elapsedMs()
    this.#pool = new WorkerPool({
      entry: new URL('./compile-worker.ts', import.meta.url),
      timeLimitMs: compileLimitMs,
      maxHeapMb: 512,
    })
  }

  /** Null where nothing was ever inspected. The same value as long as nothing changed. */
  facts(): InspectionFacts | null {
    return this.#isKept ? this.#kept : null
  }

  /** After every change of the configuration or of the signatures; cheap when neither concerns inspection. */
  follow(): void {
    if (this.#isClosed) return
    this.#wanted = this.#parts.wanted(this.#kept.numbers)
    const numbers = rememberNumbers(
      this.#kept.numbers,
      Object.fromEntries(this.#wanted.map(({ key, number }) => [key, number])),
    )
    const inUse = new Set(this.#wanted.map(({ number }) => number))
    for (const number of this.#tests.keys()) if (!inUse.has(number)) this.#tests.delete(number)
    const isUsed = inUse.size > 0
    if (!isUsed) this.#forgetRules()
    this.#keep({
      numbers,
      rules: isUsed ? this.#kept.rules : null,
      ready: this.#kept.ready.filter((number) => inUse.has(number)),
    })
    if (!isUsed || !this.#isOutdated()) return
    this.#compileTimer ??= setTimeout(() => this.#compileSoon(), this.#timings.debounceMs).unref()
    this.#lookSoon(0)
  }

  /** `engine` is null when the machine could not be asked. */
  state(engine: EngineSeen | null = null): InspectionState {
    if (this.#wanted.length === 0) return inspectionOff
    this.#followEngine(engine?.heldSince ?? 0)
    const generation = this.#kept.rules?.generation ?? null
    const compiled = this.#compiled
    const report = this.#report
    const tested: InspectionState = {
      ...this.#summary(),
      generation,
      signatures: compiled?.generation === generation ? (compiled?.signatures ?? null) : null,
      rules: report?.loaded ?? null,
      failed: [...(report?.failed ?? []), ...(compiled?.leftOut ?? [])],
      failedCount: (compiled?.leftOutCount ?? 0) + (report?.refused ?? 0),
      refusedCount: report?.refused ?? 0,
      channels: this.#wanted.map((channel) => this.#channelState(channel)),
      counters: report?.counters ?? {},
      version: report?.version ?? null,
    }
    return inspectionSeen(tested, engine)
  }

  /** Tests every channel now, and asks the engine. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#looking = null
        const isUrgent = this.#isAwaited() || this.#isBlocked()
        if (this.#wanted.length > 0) this.#lookSoon(isUrgent ? this.#timings.hurryMs : this.#timings.lookMs)
      })
    return this.#looking
  }

  /** Resolves when nothing is being made or tested, for tests. */
  async idle(): Promise<void> {
    await this.#compiling
    await this.#looking
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of [this.#compileTimer, this.#lookTimer]) if (timer) clearTimeout(timer)
    await this.#pool.close()
    await this.idle()
  }

  /** What another engine did says nothing about this one, which is tested at once. */
  #followEngine(heldSince: number): void {
    if (heldSince <= this.#heldSince) return
    this.#heldSince = heldSince
    if (!this.#wanted.some(({ number }) => this.#isOfEarlier(this.#tests.get(number)))) return
    this.#whole = null
    this.#awaitedSince = this.#elapsedMs()
    this.#lookSoon(0)
  }

  #isOfEarlier(tested: Tested | undefined): boolean {
    return tested !== undefined && tested.elapsedMs < 1000 * this.#heldSince
  }

  #elapsedMs(): number {
    return 1000 * this.#parts.clock.elapsed()
  }

  #summary(): Pick<InspectionState, 'state' | 'message'> {
    if (this.#fault !== '') return { state: 'failed', message: this.#fault }
    if (this.#parts.catalogue() === null) return { state: 'waiting', message: say`The signatures are not read yet.` }
    const generation = this.#kept.rules?.generation
    if (generation === undefined) return { state: 'compiling', message: say`The rules are made.` }
    const report = this.#report
    if (report !== null && report.refused > 0) return { state: 'failed', message: refusedWords(report) }
    const missing = this.#wanted.filter(({ number }) => this.#inForce(number) !== generation)
    const isWhole = this.#whole === generation
    if (missing.length === 0 && isWhole && !this.#isOutdated()) return { state: 'active', message: '' }
    const late = this.#elapsedMs() - this.#awaitedSince > this.#timings.lateMs
    const numbers = missing.map(({ number }) => number).join(', ')
    if (late && missing.length > 0)
      return {
        state: 'failed',
        message: say`The engine does not inspect with the newest rules in channels ${numbers}.`,
      }
    if (late && !isWhole) return { state: 'failed', message: this.#partWords() }
    return { state: 'loading', message: say`The newest rules are not in force yet.` }
  }

  #partWords(): SaidText {
    const [loaded, rules] = [this.#report?.loaded ?? null, this.#compiled?.rules ?? null]
    return loaded === null || rules === null
      ? say`The engine does not say which rules it has.`
      : say`The engine has ${loaded} rules, and should have ${rules}.`
  }

  /** What the last test of a channel found, unless that is long ago or was another engine. */
  #inForce(number: number): string | null {
    const tested = this.#tests.get(number)
    const isStale = this.#elapsedMs() - (tested?.elapsedMs ?? 0) > this.#timings.staleMs
    return tested === undefined || isStale || this.#isOfEarlier(tested) ? null : tested.inForce
  }

  #channelState({ number, prevention, applications, older, isFailOpen }: WantedChannel): ChannelState {
    const tested = this.#tests.get(number)
    return {
      number,
      prevention,
      applications,
      older,
      isFailOpen,
      ready: this.#kept.ready.includes(number),
      lastTestAt: tested?.at ?? null,
      inForce: this.#inForce(number),
      message: tested?.message ?? '',
    }
  }

  #keep(next: InspectionFacts): void {
    if (isDeepStrictEqual(next, this.#kept)) return
    this.#kept = next
    this.#isKept ||= Object.keys(next.numbers).length > 0
    if (this.#isKept) writeKept(this.#parts.keptPath, next)
    this.#parts.onFacts()
  }

  #forgetRules(): void {
    this.#compiled = null
    this.#madeOf = null
    this.#report = null
    this.#whole = null
    this.#fault = ''
  }

  /** Made of something else than what is wanted now. */
  #isOutdated(): boolean {
    const made = this.#madeOf
    return made === null || made.catalogue !== this.#parts.catalogue() || !isSameContent(made.channels, this.#wanted)
  }

  #compileSoon(): void {
    this.#compileTimer = null
    this.#compiling ??= this.#compileWanted().finally(() => {
      this.#compiling = null
    })
  }

  async #compileWanted(): Promise<void> {
    while (!this.#isClosed && this.#wanted.length > 0 && this.#isOutdated()) {
      const catalogue = this.#parts.catalogue()
      // Without signatures the engine would have to work with none for a while.
      if (catalogue === null) return
      try {
        await this.#compile(catalogue)
      } catch (error) {
        if (this.#isClosed) return
        this.#fault = say`The rules of the inspection engine could not be made. What was in force before stays in force.`
        this.#parts.onFault(error)
        this.#compileTimer ??= setTimeout(() => this.#compileSoon(), this.#timings.retryMs).unref()
        return
      }
    }
  }

  async #compile(catalogue: Catalogue): Promise<void> {
    const channels = this.#wanted.map(({ number, rules, denied }) => ({ number, rules, denied }))
    const input = {
      folder: this.#parts.folder,
      kept: this.#kept.rules === null ? [] : [rulesName(this.#kept.rules.sha256)],
      channels,
      applications: this.#deniedApplications(),
      mostBytes: this.#parts.room(),
      texts: await encodeTexts(catalogue),
    }
    const compiled = await (this.#parts.compile?.(input) ??
      this.#pool.run('compile', input, { owner: 'inspection', transfer: [input.texts.buffer] }))
    // No channel is in use any more.
    if (this.#wanted.length === 0) return
    this.#fault = ''
    this.#compiled = compiled
    this.#madeOf = { channels, catalogue }
    const { sha256, generation } = compiled
    const before = this.#kept.rules?.generation ?? null
    if (before !== generation) {
      this.#before = before
      this.#awaitedSince = this.#elapsedMs()
    }
    this.#keep({ ...this.#kept, rules: { sha256, generation } })
    this.#lookSoon(0)
  }

  #deniedApplications(): DeniedApplication[] {
    const ids = new Set(this.#wanted.flatMap(({ denied }) => denied))
    // Only who knows all others can say that a connection is none of them.
    const isAll = ids.has(unknownApplication)
    return this.#parts.applications
      .filter(({ id }) => isAll || ids.has(id))
      .map(({ id, name, number, patterns }) => ({ id, name, number, patterns }))
  }

  #isAwaited(): boolean {
    const generation = this.#kept.rules?.generation
    const isLate = this.#elapsedMs() - this.#awaitedSince > this.#timings.lateMs
    const isMissing = this.#wanted.some(({ number }) => this.#inForce(number) !== generation)
    return !isLate && (isMissing || this.#whole !== generation)
  }

  /** Connections are refused until a test succeeds. */
  #isBlocked(): boolean {
    return this.#wanted.some(({ number, isFailOpen }) => !isFailOpen && this.#tests.get(number)?.inForce == null)
  }

  #lookSoon(ms: number): void {
    if (this.#isClosed || !this.#parts.isTested) return
    if (this.#lookTimer) clearTimeout(this.#lookTimer)
    this.#lookTimer = setTimeout(() => void this.look(), ms).unref()
  }

  async #look(): Promise<void> {
    const generation = this.#kept.rules?.generation
    if (this.#isClosed || generation === undefined) return
    const channels = this.#wanted
    for (let at = 0; at < channels.length; at += testsAtOnce) {
      const group = channels.slice(at, at + testsAtOnce)
      await Promise.all(group.map((channel) => this.#test(channel, generation)))
      // What is not inspected and must not pass is dropped at once.
      this.#noteReady(generation)
    }
    this.#report = await (this.#parts.ask ?? askEngine)(this.#parts.commandSocket)
    this.#noteWhole(generation)
  }

  /** An engine that does not answer for once has the rules that it had. */
  #noteWhole(generation: string): void {
    const [report, compiled] = [this.#report, this.#compiled]
    const isNewest = this.#wanted.every(({ number }) => this.#inForce(number) === generation)
    if (!isNewest || report === null || report.loaded === null || compiled?.generation !== generation) return
    const isWhole = report.refused === 0 && report.loaded + report.skipped === compiled.rules
    this.#whole = isWhole ? generation : null
  }

  async #test({ number, isFailOpen }: WantedChannel, generation: string): Promise<void> {
    const run = this.#parts.test ?? testChannel
    const port = inspection.firstCanaryPort + number
    const times = { at: unixSeconds(this.#parts.clock.now()), elapsedMs: this.#elapsedMs() }
    const first = await run({ port, text: canaryText(generation) })
    // No answer lets nothing pass in a channel that blocks, so there is time to tell an engine that is busy from one that hangs.
    const isDoubtful = first.found === 'silent' && !isFailOpen && this.#tests.get(number)?.inForce != null
    const result = isDoubtful ? await run({ port, text: canaryText(generation), patienceMs: longPatienceMs }) : first
    if (result.found === 'inspected')
      return void this.#tests.set(number, { ...times, inForce: generation, message: '' })
    // While the engine reads the newest rules, it works with those before.
    const before = result.found === 'passed' && this.#before !== null ? this.#before : null
    const older = before === null ? null : await run({ port, text: canaryText(before) })
    const inForce = older?.found === 'inspected' ? before : null
    this.#tests.set(number, { ...times, inForce, message: inForce === null ? describe(result) : '' })
  }

  /**
   * A channel that may pass without the engine stays in the queue when it was inspected once, whatever becomes of the engine. One that may
   * not is in it only as long as its test finds it inspected.
   */
  #noteReady(generation: string): void {
    const ready = this.#wanted
      .filter(({ number, isFailOpen }) => {
        const tested = this.#tests.get(number)
        const isKept = this.#kept.ready.includes(number)
        if (tested === undefined) return isKept
        return tested.inForce === generation || (isKept && (isFailOpen || tested.inForce !== null))
      })
      .map(({ number }) => number)
    this.#keep({ ...this.#kept, ready: ready.toSorted((a, b) => a - b) })
  }
}

/** Rules can be long, and are the same value when they did not change. */
const isSameContent = (made: readonly ChannelContent[], wanted: readonly ChannelContent[]): boolean =>
  made.length === wanted.length &&
  made.every((one, index) => {
    const other = wanted[index]
    return one.number === other?.number && one.rules === other.rules && isDeepStrictEqual(one.denied, other.denied)
  })

/** By the name of the first: which one it is decides what to do. */
function refusedWords({ refused, loaded, failed: [first] }: EngineReport): SaidText {
  const count = say`The engine refused ${refused} of ${refused + (loaded ?? 0)} rules, which are not in force.`
  if (!first) return count
  return first.name === ''
    ? say`${count} The first is signature ${first.sid}: ${first.reason}`
    : say`${count} The first is signature ${first.sid} (${first.name}): ${first.reason}`
}

function describe({ found, fault }: CanaryResult): SaidText {
  if (found === 'passed') return say`The test of this channel passed without inspection.`
  if (found === 'silent')
    return say`The test of this channel got no answer: the engine does not run, hangs, or is very busy.`
  return say`The test of this channel could not be made: ${fault}.`
}

/** In one piece of memory that can be handed to a worker. Texts with a line break are never rules of one line. */
async function encodeTexts({ signatures, find }: Catalogue): Promise<Uint8Array<ArrayBuffer>> {
  const slices = createSlices()
  const pieces: Buffer[] = []
  let bytes = 0
  let pending: string[] = []
  const flush = (): void => {
    const piece = Buffer.from(pending.join(''))
    bytes += piece.length
    pieces.push(piece)
    pending = []
  }
  for (const { sid } of signatures) {
    const text = find(sid)?.text ?? ''
    if (!/[\n\r]/.test(text)) pending.push(text, '\n')
    if (pending.length >= 1_000) flush()
    await slices()
  }
  flush()
  const texts = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    texts.set(piece, at)
    at += piece.length
  }
  return texts
}
