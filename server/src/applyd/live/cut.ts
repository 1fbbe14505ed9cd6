// Ends connections. The thread that does it starts with the first request and ends when there was none for a while. Requests
// that come while it works are answered together by one reading of the kernel's table.

import { Worker } from 'node:worker_threads'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { wordsOf } from '../../engines/kit/text.ts'
import { Refusal } from '../../engines/kit/values.ts'
import type { Context } from '../applyd.ts'
import { preloads } from '../kernel/library.ts'

export interface CutWorkerData {
  readonly namespace: number | null
}

export type CutAnswer = { readonly counts: readonly number[] } | { readonly fault: string }

const idleMs = 10_000
const workerEntry = new URL('./cut-worker.ts', import.meta.url)

interface Waiting {
  readonly targets: readonly CutTarget[]
  readonly resolve: (count: number) => void
  readonly reject: (fault: Error) => void
}

type CutterParts = Pick<Context, 'plane' | 'log'> & {
  readonly tables: { readonly nft: { readonly namespace?: number | undefined } }
}

export function createCutter({ plane, tables, log }: CutterParts, entry = workerEntry) {
  let worker: Worker | null = null
  let waiting: Waiting[] = []
  let working: readonly Waiting[] = []
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    const data: CutWorkerData = { namespace: tables.nft.namespace ?? null }
    const started = new Worker(entry, {
      workerData: data,
      execArgv: [...preloads(), '--disable-warning=ExperimentalWarning'],
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    })
    let reason = 'the thread for it ended'
    started.on('message', (answer: CutAnswer) => {
      const answered = working
      working = []
      if ('fault' in answer) log('error', 'Connections cannot be ended', { reason: answer.fault })
      for (const [index, { resolve, reject }] of answered.entries())
        if ('counts' in answer) resolve(answer.counts[index] ?? 0)
        else reject(refusal(answer.fault))
      next()
    })
    started.on('error', (fault) => {
      reason = wordsOf(fault)
      log('error', 'The thread that ends connections failed', { fault })
    })
    started.on('exit', () => {
      if (worker !== started) return
      worker = null
      refuseAll(reason)
    })
    return started
  }

  function refuseAll(reason: string): void {
    const left = [...working, ...waiting]
    working = []
    waiting = []
    for (const { reject } of left) reject(refusal(reason))
  }

  function next(): void {
    clearTimeout(idle)
    if (working.length > 0) return
    if (waiting.length === 0) {
      worker?.unref()
      idle = setTimeout(() => void close(), idleMs).unref()
      return
    }
    working = waiting
    waiting = []
    worker ??= start()
    worker.ref()
    worker.postMessage(working.map(({ targets }) => targets))
  }

  /** How many connections ended. */
  function cut(targets: readonly CutTarget[]): Promise<number> {
    if (targets.length === 0 || plane === 'none') return Promise.resolve(0)
    return new Promise((resolve, reject) => {
      waiting.push({ targets, resolve, reject })
      next()
    })
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = null
    refuseAll('applyd ends')
    await ended?.terminate()
  }

  return { cut, close }
}

const refusal = (reason: string): Refusal =>
  new Refusal(`Connections cannot be ended here: ${reason.replace(/\.$/, '')}. They stay until they end by themselves.`)
