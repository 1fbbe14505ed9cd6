// Forwarding of the log, as gatewayd sees it: a thread that runs only while a collector is set, reads
// records from the file of the store and says how far it is. One that ends by itself is started again.

import { rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../../core/log.ts'
import { compileCache } from '../../../core/workers/pool.ts'
import type { ForwardingReport, ForwardingState, LogStore } from '../../../domain/logs/store.ts'
import { say } from '../../../shared/said.ts'
import type { ForwardingTarget } from './forwarder.ts'
import type { ForwarderData, FromForwarder, ToForwarder } from './thread-messages.ts'

export interface LogForwarderOptions {
  readonly logs: Pick<LogStore, 'after' | 'state' | 'onNews'>
  /** The file of the store. */
  readonly logsPath: string
  /** The file that says how far the log was forwarded. */
  readonly cursorPath: string
  readonly log: Log
}

const entry = new URL('../../threads/log-forwarder.ts', import.meta.url)
const restartMilliseconds = 5_000
const maxHeapMb = 256

export class LogForwarder {
  readonly #options: LogForwarderOptions
  #target: ForwardingTarget | null | undefined
  #worker: Worker | null = null
  #state: ForwardingState | null = null
  #newest = 0
  readonly #stopNews: () => void
  #restart: NodeJS.Timeout | undefined
  /** One step after the other: a thread ends before the next one begins. */
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: LogForwarderOptions) {
    this.#options = options
    this.#stopNews = options.logs.onNews((place) => {
      this.#newest = place
      this.#post({ is: 'news' })
    })
  }

  /** Null ends forwarding; when it begins again, it begins with the records of then. */
  follow(target: ForwardingTarget | null): void {
    if (this.#isStopped || (this.#target !== undefined && isDeepStrictEqual(target, this.#target))) return
    this.#target = target
    this.#adoptInTurn()
  }

  /** Null while nothing is forwarded. */
  report(): ForwardingReport | null {
    const state = this.#state
    return state && { ...state, waiting: Math.max(0, this.#newest - state.place) }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#restart)
    this.#stopNews()
    await this.#turn
    await this.#end()
  }

  /** Settings that come after one which failed are followed all the same. */
  #adoptInTurn(): void {
    this.#turn = this.#turn
      .then(() => this.#adopt())
      .catch((error: unknown) => this.#options.log('warning', 'forwarding cannot follow its settings', { error }))
  }

  async #adopt(): Promise<void> {
    const target = this.#target
    if (this.#isStopped || target === undefined) return
    if (target !== null) {
      // Its answer means as well that the file is there.
      const { place } = await this.#options.logs.state()
      this.#newest = Math.max(this.#newest, place)
      this.#worker ??= this.#start()
      this.#post({ is: 'follow', target })
      return
    }
    clearTimeout(this.#restart)
    this.#post({ is: 'follow', target })
    await this.#end()
    // Of an earlier process too, which was killed, or whose collector was removed while it did not run.
    rmSync(this.#options.cursorPath, { force: true })
    this.#state = null
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    this.#post({ is: 'stop' })
    this.#worker = null
    await ended
  }

  #start(): Worker {
    const worker = new Worker(entry, {
      workerData: { logs: this.#options.logsPath, cursor: this.#options.cursorPath } satisfies ForwarderData,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
      env: compileCache,
    })
    worker.unref()
    worker.on('message', (message: FromForwarder) => this.#take(worker, message))
    worker.on('error', (error) => this.#options.log('warning', 'the thread that forwards the log failed', { error }))
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      if (this.#state)
        this.#state = { ...this.#state, isConnected: false, fault: say`Forwarding failed and starts again.` }
      this.#restart = setTimeout(() => {
        this.#adoptInTurn()
      }, restartMilliseconds).unref()
    })
    return worker
  }

  #take(worker: Worker, message: FromForwarder): void {
    if (message.is === 'state') {
      if (this.#worker === worker) this.#state = message.state
      return
    }
    // The store looks at its file when a question fails, and sets a damaged one aside.
    this.#options.logs.after(message.place, 1).catch(() => {})
  }

  #post(message: ToForwarder): void {
    if (this.#worker) send(this.#worker, message)
  }
}

const send = (worker: Worker, message: ToForwarder): void => worker.postMessage(message)
