// The nft library in a worker thread. Keeps the queue of the worker: loads before questions, and checks last. When the
// thread ends, everything goes to the nft program instead.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Counts } from '../nft-listing.ts'
import type { ScriptLine } from '../nft-script.ts'
import type { NftSpec } from '../tables.ts'
import { type Log, wordsOf } from '../text.ts'
import type { ElementChange } from './address-set.ts'
import type { NftKernel, Verdict } from './kernel.ts'
import { createProgramKernel } from './program.ts'
import { accepted, elementScript, verdictOf } from './refusals.ts'

export interface WorkerData {
  readonly namespace: number | null
  readonly library: string
}

export type Job =
  | { readonly verb: 'check' | 'load'; readonly script: Uint8Array }
  | { readonly verb: 'changeElements'; readonly changes: readonly ElementChange[]; readonly generation: number | null }
  | { readonly verb: 'counts'; readonly table: string; readonly chains: readonly string[] | null }
  | { readonly verb: 'chains' | 'isPresent'; readonly table: string }
  | { readonly verb: 'generation' }

export type Answer = { readonly event: 'ready' | 'changed' } | { readonly value: unknown } | { readonly fault: string }

/** Those with a smaller number go first. */
const urgency: Readonly<Record<Job['verb'], number>> = {
  load: 0,
  changeElements: 0,
  generation: 1,
  counts: 1,
  chains: 1,
  isPresent: 1,
  check: 2,
}

const workerEntry = new URL('./worker.ts', import.meta.url)

/** A change by another program is noticed after this time at the latest. */
const watchMs = 500

interface Waiting {
  readonly job: Job
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: Error) => void
}

/** The thread is gone; whether the job was done is not known. */
class Lost extends Error {}

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
export async function createLibraryKernel(spec: NftSpec, log: Log, entry = workerEntry): Promise<NftKernel> {
  const program = createProgramKernel(spec)
  // The library reads times of rules in the zone of the process.
  process.env.TZ = 'UTC'
  const data: WorkerData = { namespace: spec.namespace ?? null, library: spec.library ?? 'libnftables.so.1' }
  const worker = new Worker(entry, {
    workerData: data,
    // The one warning of the thread is that node:ffi may change; the version of the runtime is pinned.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // The descriptors of scripts come from libc.
    trackUnmanagedFds: false,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const listeners: (() => void)[] = []
  const waiting: Waiting[] = []
  let current: Waiting | null = null
  let state: 'running' | 'closing' | 'lost' = 'running'
  let watch: NodeJS.Timeout | undefined

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
    if ('event' in answer) {
      for (const listener of listeners) listener()
      return
    }
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
    clearInterval(watch)
    const left = [...(current ? [current] : []), ...waiting.splice(0)]
    current = null
    for (const { reject } of left) reject(new Lost('The thread of the nft library has ended.'))
  })

  /** What only reads can be asked again. */
  async function read<T>(job: Job, otherwise: () => Promise<T>): Promise<T> {
    try {
      return (await ask(job)) as T
    } catch (fault) {
      if (fault instanceof Lost) return otherwise()
      throw fault
    }
  }

  async function runScript(verb: 'check' | 'load', script: readonly ScriptLine[]): Promise<Verdict> {
    const bytes = new TextEncoder().encode(script.map(({ text }) => `${text}\n`).join(''))
    const words = (await ask({ verb, script: bytes })) as string | null
    return words === null ? accepted : verdictOf(words, 'script', script, spec.tables[0])
  }

  async function check(script: readonly ScriptLine[]): Promise<Verdict> {
    try {
      return await runScript('check', script)
    } catch (fault) {
      if (fault instanceof Lost) return program.check(script)
      throw fault
    }
  }

  /** Once it is with the thread, nobody knows whether it was loaded. */
  const load = (script: readonly ScriptLine[]): Promise<Verdict> =>
    state === 'lost' ? program.load(script) : runScript('load', script)

  async function changeElements(changes: readonly ElementChange[], generation: number | null) {
    if (state === 'lost') return program.changeElements(changes, generation)
    const outcome = await ask({ verb: 'changeElements', changes, generation })
    if (outcome === 'stale') return outcome
    // The library names the element that the kernel refuses, and knows forms that we do not.
    return outcome === 'changed' ? accepted : load(elementScript(changes))
  }

  function onChange(listener: () => void): void {
    listeners.push(listener)
    watch ??= setInterval(() => {
      if (!current) ask({ verb: 'generation' }).catch((fault) => log('warning', wordsOf(fault)))
    }, watchMs).unref()
  }

  async function close(): Promise<void> {
    clearInterval(watch)
    if (state === 'running') state = 'closing'
    await worker.terminate()
  }

  return {
    get way() {
      return state === 'lost' ? ('program' as const) : ('library' as const)
    },
    check,
    load,
    changeElements,
    generation: () => read<number | null>({ verb: 'generation' }, program.generation),
    counts: (table, chains) =>
      read<Counts | null>({ verb: 'counts', table, chains }, () => program.counts(table, chains)),
    chains: (table) => read<string[]>({ verb: 'chains', table }, () => program.chains(table)),
    list: program.list,
    isPresent: (table) => read<boolean>({ verb: 'isPresent', table }, () => program.isPresent(table)),
    onChange,
    close,
  }
}
