// The nft library in a worker thread. Keeps the queue of the worker: loads before questions, and checks last. When the
// thread ends, everything goes to the nft program instead.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { NftSpec } from '../../engines/kit/tables.ts'
import type { Log } from '../../engines/kit/text.ts'
import type { Counts } from '../../shared/netlink.ts'
import type { ScriptLine } from '../nft-script.ts'
import type { ElementChange } from './address-set.ts'
import type { NftKernel, Verdict } from './kernel.ts'
import {
  isReadTwice,
  joinElements,
  type KeyPart,
  type LiveChanged,
  type LiveSetChange,
  type PackedElements,
} from './live-elements.ts'
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

function addCounts(counts: Counts, more: Counts | null): void {
  for (const [origin, { packets, bytes }] of more ?? []) {
    const before = counts.get(origin)
    counts.set(origin, { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
  }
}

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

/** Rejects when the library, the interface to it or the rights for it are missing. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export async function createLibraryKernel(spec: NftSpec, log: Log, entry = workerEntry): Promise<NftKernel> {
  const program = createProgramKernel(spec)
  // The library reads times of rules in the zone of the process.
  process.env.TZ = 'UTC'
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
  const waiting: Waiting[] = []
  let current: Waiting | null = null
  let state: 'running' | 'closing' | 'lost' = 'running'

  await started(worker)
  worker.unref()

  function next(): void {
    if (current || state === 'lost') return
    const first = waiting.toSorted((a, b) => urgency[a.job.verb] - urgency[b.job.verb])[0]
    if (!first) {
      worker.unref()
      return
    }
    waiting.splice(waiting.indexOf(first), 1)
    current = first
    worker.ref()
    worker.postMessage(first.job)
  }

  function ask(job: Job): Promise<unknown> {
    if (state === 'lost') return Promise.reject(new Lost('The thread of the nft library has ended.'))
    return new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject })
      next()
    })
  }

  worker.on('message', (answer: Answer) => {
    if ('event' in answer) return
    const answered = current
    current = null
    if ('fault' in answer) answered?.reject(new Error(`nft: ${answer.fault}`))
    else answered?.resolve(answer.value)
    next()
  })
  worker.on('error', (fault) => log('error', 'The thread of the nft library failed', { fault }))
  worker.on('exit', () => {
    if (state === 'running') log('error', 'The nft library is not available any more; the nft program is used instead')
    state = 'lost'
    const left = [...(current ? [current] : []), ...waiting.splice(0)]
    current = null
    for (const { reject } of left) reject(new Lost('The thread of the nft library has ended.'))
  })

  /** What changes nothing can be asked again. */
  async function orElse<T>(work: Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    try {
      return await work
    } catch (fault) {
      if (fault instanceof Lost) return otherwise()
      throw fault
    }
  }

  async function runScript(verb: 'check' | 'load', script: readonly ScriptLine[]): Promise<Verdict> {
    if (lengthOf(script) > longestInside) return program[verb](script)
    const bytes = bytesOf(script)
    const words = (await ask({ verb, script: bytes })) as string | null
    return words === null
      ? accepted
      : explain(refusedBy(words, script), async (separate) => {
          const again = (await ask({ verb: 'check', script: bytesOf(separate) })) as string | null
          return again === null ? null : refusedBy(again, separate)
        })
  }

  const refusedBy = (stderr: string, script: readonly ScriptLine[]) => ({
    stderr,
    place: 'script',
    script,
    fallback: spec.tables[0],
  })

  /** Once it is with the thread, it is not known whether it was loaded. */
  const load = (script: readonly ScriptLine[]): Promise<Verdict> =>
    state === 'lost' ? program.load(script) : runScript('load', script)

  async function changeElements(changes: readonly ElementChange[], generation: number | null) {
    if (state === 'lost') return program.changeElements(changes, generation)
    const outcome = await ask({ verb: 'changeElements', changes, generation })
    if (outcome === 'stale') return outcome
    // The library names the element that the kernel refuses, and knows forms that we do not.
    return outcome === 'changed' ? accepted : load(elementScript(changes))
  }

  /** What the kernel refused without a reason that we know is for nft, which has words for it. */
  async function changeLive(table: string, changes: readonly LiveSetChange[], generation: number | null) {
    if (state === 'lost') return program.changeLive(table, changes, generation)
    const outcome = (await ask({ verb: 'changeLive', table, changes, generation })) as LiveChanged | null
    return outcome ?? program.changeLive(table, changes, generation)
  }

  /** One reading after the other, so that a load or a change can go in between. */
  async function readLive(table: string, sets: ReadonlyMap<string, readonly KeyPart[]>) {
    const found = new Map<string, PackedElements>()
    for (const [set, parts] of sets) {
      const dump = () => ask({ verb: 'readLive', table, set, parts }) as Promise<PackedElements | null>
      const first = await dump()
      const second = first && isReadTwice(first) ? await dump() : null
      if (first) found.set(set, second ? joinElements(first, second) : first)
    }
    return found
  }

  const readCounts = (table: string, names: readonly string[] | null) =>
    ask({ verb: 'counts', table, chains: names }) as Promise<Counts | null>

  /** Of a large table group by group, so that a load can go in between; then the groups do not fit, and it starts again. */
  async function counts(table: string, names: readonly string[] | null): Promise<Counts | null> {
    for (let attempt = 0; names === null && attempt < countAttempts; attempt += 1) {
      const generation = await ask({ verb: 'generation' })
      const all = ((await ask({ verb: 'chains', table })) as string[]).map((chain) => chain.split(' ')[0] ?? '')
      if (all.length <= chainsAtOnce) break
      const found: Counts = new Map()
      for (let at = 0; at < all.length; at += chainsAtOnce)
        addCounts(found, await readCounts(table, all.slice(at, at + chainsAtOnce)))
      if ((await ask({ verb: 'generation' })) === generation) return found
    }
    return readCounts(table, names)
  }

  async function close(): Promise<void> {
    if (state === 'running') state = 'closing'
    await worker.terminate()
  }

  return {
    get way() {
      return state === 'lost' ? ('program' as const) : ('library' as const)
    },
    check: (script) => orElse(runScript('check', script), () => program.check(script)),
    load,
    changeElements,
    changeLive,
    readLive: (table, sets) => orElse(readLive(table, sets), () => program.readLive(table, sets)),
    generation: () => orElse(ask({ verb: 'generation' }) as Promise<number | null>, program.generation),
    counts: (table, names) => orElse(counts(table, names), () => program.counts(table, names)),
    chains: (table) => orElse(ask({ verb: 'chains', table }) as Promise<string[]>, () => program.chains(table)),
    list: program.list,
    isPresent: (table) => orElse(ask({ verb: 'isPresent', table }) as Promise<boolean>, () => program.isPresent(table)),
    close,
  }
}
