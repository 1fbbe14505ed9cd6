// The nft library in a worker thread. Keeps the queue of the worker: loads before questions, and checks last. When the
// thread ends, everything goes to the nft program instead.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { NftSpec } from '../../engines/kit/tables.ts'
import type { Log } from '../../engines/kit/text.ts'
import { addCounts, type Counts } from '../../shared/netlink.ts'
import type { ScriptLine } from '../nft-script.ts'
import type { ElementChange } from './address-set.ts'
import {
  isReadTwice,
  joinElements,
  type KeyPart,
  type LiveChanged,
  type LiveSetChange,
  type PackedElements,
} from './live-elements.ts'
import type { NftKernel, Verdict } from './nft-kernel.ts'
import { createProgramKernel } from './program.ts'
import { accepted, elementScript, explain } from './refusals.ts'

export interface WorkerData {
  readonly namespace: number | null
  readonly library: string
}

export type Job =
  | { readonly verb: 'check' | 'load'; readonly script: Uint8Array }
  | { readonly verb: 'changeElements'; readonly changes: readonly ElementChange[]; readonly generation: number | null }
  | {
      readonly verb: 'changeLive'
      readonly table: string
      readonly changes: readonly LiveSetChange[]
      readonly generation: number | null
    }
  | { readonly verb: 'readLive'; readonly table: string; readonly set: string; readonly parts: readonly KeyPart[] }
  | { readonly verb: 'counts'; readonly table: string; readonly chains: readonly string[] | null }
  | { readonly verb: 'chains' | 'isPresent'; readonly table: string }
  | { readonly verb: 'generation' }

export type Answer = { readonly event: 'ready' } | { readonly value: unknown } | { readonly fault: string }

/** Those with a smaller number go first. */
const urgency: Readonly<Record<Job['verb'], number>> = {
  load: 0,
  changeElements: 0,
  changeLive: 0,
  generation: 1,
  readLive: 1,
  counts: 1,
  chains: 1,
  isPresent: 1,
  check: 2,
}

/** Rules of so many chains are counted in one go. */
const chainsAtOnce = 50
const countAttempts = 3

/**
 * A longer script is for the program: a process is little beside its work, can be stopped when that takes too long, and takes
 * its memory with it. A thread inside of the library can do neither.
 */
const longestInside = 512 * 1024

const workerEntry = new URL('./worker.ts', import.meta.url)

/** Scripts are ASCII. */
const lengthOf = (script: readonly ScriptLine[]): number => script.reduce((sum, { text }) => sum + text.length + 1, 0)

const bytesOf = (script: readonly ScriptLine[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(script.map(({ text }) => `${text}\n`).join(''))

interface Waiting {
  readonly job: Job
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: Error) => void
}

/** The thread is gone; whether the job was done is not known. */
class Lost extends Error {}

/** What this process was told to load first: the copies without types, without which the thread would load the stripper. */
export const preloads = (): string[] => process.execArgv.filter((option) => option.startsWith('--import='))

/** Until the thread reports that the library works. */
async function started(worker: Worker): Promise<void> {
  const controller = new AbortController()
  const options = { signal: controller.signal }
  try {
    // An error of the thread rejects either of them.
    const ended = once(worker, 'exit', options).then(() => Promise.reject(new Error('The thread ended.')))
    await Promise.race([once(worker, 'message', options), ended])
  } finally {
    controller.abort()
  }
}

/** The worker thread and what waits for it. */
class LibraryThread {
  readonly #worker: Worker
  readonly #log: Log
  readonly #waiting: Waiting[] = []
  #current: Waiting | null = null
  #state: 'running' | 'closing' | 'lost' = 'running'

  private constructor(worker: Worker, log: Log) {
    this.#worker = worker
    this.#log = log
    worker.unref()
    worker.on('message', (answer: Answer) => this.#take(answer))
    worker.on('error', (fault) => log('error', 'The thread of the nft library failed', { fault }))
    worker.on('exit', () => this.#lose())
  }

  static async start(spec: NftSpec, log: Log, entry: URL): Promise<LibraryThread> {
    const data: WorkerData = { namespace: spec.namespace ?? null, library: spec.library ?? 'libnftables.so.1' }
    const worker = new Worker(entry, {
      workerData: data,
      // Options that are given are not inherited. The one warning of the thread is that node:ffi may change; the version of
      // the runtime is pinned.
      execArgv: [...preloads(), '--disable-warning=ExperimentalWarning'],
      // The descriptors of scripts come from libc.
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    })
    await started(worker)
    return new LibraryThread(worker, log)
  }

  get isLost(): boolean {
    return this.#state === 'lost'
  }

  ask<T>(job: Job): Promise<T> {
    if (this.isLost) return Promise.reject(new Lost('The thread of the nft library has ended.'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve: (value) => resolve(value as T), reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    if (this.#state === 'running') this.#state = 'closing'
    await this.#worker.terminate()
  }

  #next(): void {
    if (this.#current || this.isLost) return
    const first = this.#waiting.toSorted((a, b) => urgency[a.job.verb] - urgency[b.job.verb])[0]
    if (!first) {
      this.#worker.unref()
      return
    }
    this.#waiting.splice(this.#waiting.indexOf(first), 1)
    this.#current = first
    this.#worker.ref()
    this.#worker.postMessage(first.job)
  }

  #take(answer: Answer): void {
    if ('event' in answer) return
    const answered = this.#current
    this.#current = null
    if ('fault' in answer) answered?.reject(new Error(`nft: ${answer.fault}`))
    else answered?.resolve(answer.value)
    this.#next()
  }

  #lose(): void {
    if (this.#state === 'running')
      this.#log('error', 'The nft library is not available any more; the nft program is used instead')
    this.#state = 'lost'
    const left = [...(this.#current ? [this.#current] : []), ...this.#waiting.splice(0)]
    this.#current = null
    for (const { reject } of left) reject(new Lost('The thread of the nft library has ended.'))
  }
}

interface LibraryParts {
  readonly thread: LibraryThread
  readonly program: NftKernel
  readonly fallback: string
}

/** Rejects when the library, the interface to it or the rights for it are missing. */
export async function createLibraryKernel(spec: NftSpec, log: Log, entry = workerEntry): Promise<NftKernel> {
  const program = createProgramKernel(spec)
  // The library reads times of rules in the zone of the process.
  process.env.TZ = 'UTC'
  const thread = await LibraryThread.start(spec, log, entry)
  const parts: LibraryParts = { thread, program, fallback: spec.tables[0] }
  return {
    get way() {
      return thread.isLost ? ('program' as const) : ('library' as const)
    },
    check: (script) => orElse(runScript(parts, 'check', script), () => program.check(script)),
    load: (script) => load(parts, script),
    changeElements: (changes, generation) => changeElements(parts, changes, generation),
    changeLive: async (table, changes, generation) => {
      if (thread.isLost) return program.changeLive(table, changes, generation)
      const outcome = await thread.ask<LiveChanged | null>({ verb: 'changeLive', table, changes, generation })
      // What the kernel refused without a reason that we know is for nft, which has words for it.
      return outcome ?? program.changeLive(table, changes, generation)
    },
    readLive: (table, sets) => orElse(readLive(thread, table, sets), () => program.readLive(table, sets)),
    generation: () => orElse(thread.ask<number | null>({ verb: 'generation' }), program.generation),
    counts: (table, names) => orElse(counts(thread, table, names), () => program.counts(table, names)),
    chains: (table) => orElse(thread.ask<string[]>({ verb: 'chains', table }), () => program.chains(table)),
    list: program.list,
    isPresent: (table) => orElse(thread.ask<boolean>({ verb: 'isPresent', table }), () => program.isPresent(table)),
    close: () => thread.close(),
  }
}

/** What changes nothing can be asked again. */
async function orElse<T>(work: Promise<T>, otherwise: () => Promise<T>): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (fault instanceof Lost) return otherwise()
    throw fault
  }
}

async function runScript(parts: LibraryParts, verb: 'check' | 'load', script: readonly ScriptLine[]): Promise<Verdict> {
  const { thread, program, fallback } = parts
  if (lengthOf(script) > longestInside) return program[verb](script)
  const words = await thread.ask<string | null>({ verb, script: bytesOf(script) })
  const refusedBy = (stderr: string, by: readonly ScriptLine[]) => ({ stderr, place: 'script', script: by, fallback })
  return words === null
    ? accepted
    : explain(refusedBy(words, script), async (separate) => {
        const again = await thread.ask<string | null>({ verb: 'check', script: bytesOf(separate) })
        return again === null ? null : refusedBy(again, separate)
      })
}

/** Once it is with the thread, it is not known whether it was loaded. */
const load = (parts: LibraryParts, script: readonly ScriptLine[]): Promise<Verdict> =>
  parts.thread.isLost ? parts.program.load(script) : runScript(parts, 'load', script)

async function changeElements(parts: LibraryParts, changes: readonly ElementChange[], generation: number | null) {
  if (parts.thread.isLost) return parts.program.changeElements(changes, generation)
  const outcome = await parts.thread.ask<'changed' | 'stale' | 'refused'>({
    verb: 'changeElements',
    changes,
    generation,
  })
  if (outcome === 'stale') return outcome
  // The library names the element that the kernel refuses, and knows forms that we do not.
  return outcome === 'changed' ? accepted : load(parts, elementScript(changes))
}

/** One reading after the other, so that a load or a change can go in between. */
async function readLive(thread: LibraryThread, table: string, sets: ReadonlyMap<string, readonly KeyPart[]>) {
  const found = new Map<string, PackedElements>()
  for (const [set, parts] of sets) {
    const dump = () => thread.ask<PackedElements | null>({ verb: 'readLive', table, set, parts })
    const first = await dump()
    const second = first && isReadTwice(first) ? await dump() : null
    if (first) found.set(set, second ? joinElements(first, second) : first)
  }
  return found
}

/** Of a large table group by group, so that a load can go in between; then the groups do not fit, and it starts again. */
async function counts(thread: LibraryThread, table: string, names: readonly string[] | null): Promise<Counts | null> {
  const read = (chains: readonly string[] | null) => thread.ask<Counts | null>({ verb: 'counts', table, chains })
  for (let attempt = 0; names === null && attempt < countAttempts; attempt += 1) {
    const generation = await thread.ask<number | null>({ verb: 'generation' })
    const all = (await thread.ask<string[]>({ verb: 'chains', table })).map((chain) => chain.split(' ')[0] ?? '')
    if (all.length <= chainsAtOnce) break
    const found: Counts = new Map()
    for (let at = 0; at < all.length; at += chainsAtOnce) addCounts(found, await read(all.slice(at, at + chainsAtOnce)))
    if ((await thread.ask<number | null>({ verb: 'generation' })) === generation) return found
  }
  return read(names)
}
