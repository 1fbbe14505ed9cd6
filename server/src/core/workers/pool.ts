// A pool of worker threads for work that grows with data, so that no request holds the event loop. It starts workers
// when they are needed, ends them when they idle, gives each owner the same share, and bounds time, memory and waiting. Where
// there are several workers, no owner has all of them.

import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { type Transferable, Worker } from 'node:worker_threads'
import { adopt, say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import type { Answer, Ask, Input, Result, Tasks } from './tasks.ts'

export interface PoolOptions {
  /** The entry file, which calls serveTasks(). */
  readonly entry: URL
  /** What the worker gets as workerData: paths of databases, for example. */
  readonly data?: unknown
  readonly atOnce?: number
  readonly maxWaiting?: number
  readonly maxWaitingPerOwner?: number
  readonly timeLimitMs?: number
  readonly idleMs?: number
  readonly maxHeapMb?: number
  readonly leftMs?: number
}

export interface RunOptions {
  /** Whose work it is: an administrator's id, or an address. Owners take turns. */
  readonly owner: string
  readonly transfer?: readonly Transferable[]
  /** Ends the work when the client has gone. */
  readonly signal?: AbortSignal
}

interface Job {
  readonly ask: Ask
  readonly options: RunOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
}

interface Running {
  readonly worker: Worker
  job: Job | null
  /** The client of the job has gone, and has been answered. */
  isLeft: boolean
  timer: NodeJS.Timeout | null
}

const defaults = {
  atOnce: 1,
  maxWaiting: 64,
  maxWaitingPerOwner: 8,
  timeLimitMs: 60_000,
  idleMs: 15_000,
  maxHeapMb: 1_024,
  /** Work whose client has gone may still come to its end: a new worker costs more, and clients could go all the time. */
  leftMs: 500,
}

/** Where compiled code is kept, if anywhere: without it a worker takes a second to start instead of a tenth. */
const cacheFolder = getCompileCacheDir()
export const compileCache = cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) }

export class WorkerPool<T extends Tasks> {
  readonly #options: PoolOptions & typeof defaults
  readonly #workers = new Set<Running>()
  /** In the order in which owners take turns; the jobs of one owner in the order in which they came. */
  readonly #waiting = new Map<string, Job[]>()
  #waitingCount = 0
  #lastOwner = ''
  #lastId = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = { ...defaults, ...options }
  }

  run<N extends keyof T & string>(task: N, input: Input<T, N>, options: RunOptions): Promise<Result<T, N>> {
    const { signal } = options
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (this.#isClosed || signal?.aborted) return Promise.reject(gone())
    const ask = { id: ++this.#lastId, task, input }
    const abort = (): void => this.#abort(job)
    const stopListening = (): void => signal?.removeEventListener('abort', abort)
    const job: Job = { ask, options, resolve, reject, stopListening }
    const own = this.#waiting.get(options.owner) ?? []
    const { maxWaiting, maxWaitingPerOwner } = this.#options
    // Who has nothing waiting is let in, however much others have.
    if (own.length >= maxWaitingPerOwner || (own.length > 0 && this.#waitingCount >= maxWaiting)) {
      return Promise.reject(
        new GatewayError('unavailable', say`Too much of this kind of work is waiting. Try again in a moment.`, {
          retryAfterSeconds: 2,
        }),
      )
    }
    signal?.addEventListener('abort', abort, { once: true })
    own.push(job)
    this.#waiting.set(options.owner, own)
    this.#waitingCount++
    this.#work()
    return promise as Promise<Result<T, N>>
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const jobs of this.#waiting.values()) for (const job of jobs) this.#settle(job, () => job.reject(gone()))
    this.#waiting.clear()
    this.#waitingCount = 0
    await Promise.all([...this.#workers].map((running) => this.#end(running, gone())))
  }

  #free(): Running | undefined {
    for (const running of this.#workers) if (!running.job) return running
    return this.#workers.size < this.#options.atOnce ? this.#start() : undefined
  }

  #work(): void {
    for (let owner = this.#nextOwner(); owner !== undefined; owner = this.#nextOwner()) {
      const running = this.#free()
      const job = running && this.#nextOf(owner)
      if (!running || !job) return
      running.job = job
      running.isLeft = false
      if (running.timer) clearTimeout(running.timer)
      running.timer = setTimeout(
        () => void this.#end(running, tooLong(this.#options.timeLimitMs)),
        this.#options.timeLimitMs,
      )
      running.worker.ref()
      try {
        running.worker.postMessage(job.ask, [...(job.options.transfer ?? [])])
      } catch (error) {
        this.#finish(running, (one) => one.reject(error as Error))
      }
    }
  }

  /** Anyone who has waited longest for a turn, but not the owner who had the last one if there is another. */
  #nextOwner(): string | undefined {
    const mostOfOne = Math.max(1, this.#options.atOnce - 1)
    const owners = [...this.#waiting.keys()].filter((owner) => this.#runningOf(owner) < mostOfOne)
    return owners.find((one) => one !== this.#lastOwner) ?? owners[0]
  }

  #runningOf(owner: string): number {
    let count = 0
    for (const { job } of this.#workers) if (job?.options.owner === owner) count++
    return count
  }

  #nextOf(owner: string): Job | undefined {
    const jobs = this.#waiting.get(owner)
    const job = jobs?.shift()
    if (!jobs || !job) return undefined
    this.#lastOwner = owner
    this.#waitingCount--
    // To the end of the turns, or out of them.
    this.#waiting.delete(owner)
    if (jobs.length > 0) this.#waiting.set(owner, jobs)
    return job
  }

  #start(): Running {
    const { entry, data, maxHeapMb } = this.#options
    const worker = new Worker(entry, {
      workerData: data,
      // With the young generation of a whole process, the memory of a worker would be garbage for the most part.
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
      // Nothing else of the environment: a worker needs no setting of the process, and must not have its secrets.
      env: compileCache,
    })
    const running: Running = { worker, job: null, isLeft: false, timer: null }
    this.#workers.add(running)
    worker.unref()
    worker.on('message', (answer: Answer) => {
      if (answer.id !== running.job?.ask.id) return
      this.#finish(running, (job) => deliver(job, answer))
    })
    worker.on('error', (cause) => void this.#end(running, died(cause)))
    worker.on('exit', () => void this.#end(running, died(null)))
    return running
  }

  #finish(running: Running, settle: (job: Job) => void): void {
    const { job } = running
    running.job = null
    if (running.timer) clearTimeout(running.timer)
    running.timer = setTimeout(() => void this.#end(running, gone()), this.#options.idleMs)
    running.timer.unref()
    running.worker.unref()
    if (job && !running.isLeft) this.#settle(job, () => settle(job))
    this.#work()
  }

  #settle(job: Job, settle: () => void): void {
    job.stopListening()
    settle()
  }

  /** The worker goes, whatever it does; what waits is done by another. */
  async #end(running: Running, error: GatewayError): Promise<void> {
    if (!this.#workers.delete(running)) return
    if (running.timer) clearTimeout(running.timer)
    const { job } = running
    running.job = null
    if (job && !running.isLeft) this.#settle(job, () => job.reject(error))
    const ended = running.worker.terminate()
    if (!this.#isClosed) this.#work()
    await ended
  }

  #leave(running: Running, job: Job): void {
    running.isLeft = true
    if (running.timer) clearTimeout(running.timer)
    running.timer = setTimeout(() => void this.#end(running, gone()), this.#options.leftMs)
    this.#settle(job, () => job.reject(gone()))
  }

  #abort(job: Job): void {
    const { owner } = job.options
    const own = this.#waiting.get(owner)
    const index = own?.indexOf(job) ?? -1
    if (!own || index < 0) {
      for (const running of this.#workers) if (running.job === job) this.#leave(running, job)
      return
    }
    own.splice(index, 1)
    if (own.length === 0) this.#waiting.delete(owner)
    this.#waitingCount--
    this.#settle(job, () => job.reject(gone()))
  }
}

function deliver(job: Job, answer: Answer): void {
  if ('result' in answer) {
    job.resolve(answer.result)
  } else if ('refusal' in answer) {
    const { code, message, problems, sentences } = answer.refusal
    adopt(sentences)
    job.reject(new GatewayError(code, message, { problems }))
  } else {
    const cause = new Error(answer.fault.message)
    cause.stack = answer.fault.stack
    job.reject(cause)
  }
}

const gone = (): GatewayError => new GatewayError('unavailable', say`The work was ended before it was done.`)

const tooLong = (limitMs: number): GatewayError =>
  new GatewayError(
    'unavailable',
    say`The work took longer than ${limitMs / 1000} s and was ended. Ask for less at once.`,
  )

/** Its cause, which the log shows, may name files and memory of the machine. */
const died = (cause: unknown): GatewayError =>
  new GatewayError(
    'unavailable',
    (cause as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? say`The work needed more memory than it may have.`
      : say`The thread that did the work failed. The log of the gateway says why.`,
    { cause },
  )
