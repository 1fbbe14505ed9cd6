// Has the inspection engine check signatures before they are used. Files go through a folder that applyd knows; one check runs at a
// time, those that someone waits for come before others, and only some wait.

import { createHash, randomUUID } from 'node:crypto'
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../../contract/error.ts'

/** What the engine says; lines are counted from 1. Of thousands of faults it may name only the first ones. */
export type Verdict =
  | { readonly status: 'checked'; readonly faults: readonly { readonly line: number; readonly message: string }[] }
  | { readonly status: 'missing' }
  | { readonly status: 'timeout' }

/** Rules are checked again without those that were refused; what is left after so many times is taken. */
export const mostRounds = 10

export interface CheckerOptions {
  /** `inspection/candidates` of the state folder. */
  readonly folder: string
  /** Has `<id>.rules` of the folder checked. */
  readonly check: (id: string) => Promise<Verdict>
  readonly maxWaiting?: number
}

export interface CheckOptions {
  /** Ends the waiting when the client has gone. */
  readonly signal?: AbortSignal
  /** Nothing waits for it: requests come first, and it is never refused. */
  readonly isBackground?: boolean
}

interface Job {
  readonly run: () => Promise<void>
  readonly isBackground: boolean
}

/** A few administrators at once; each check takes about a second. */
const mostWaiting = 8
/** Verdicts on a few rules are kept: a dry run is followed by the change itself. */
const mostKept = 64
const keptBytes = 64 * 1024

export class SignatureChecker {
  readonly #options: CheckerOptions
  readonly #waiting: Job[] = []
  readonly #kept = new Map<string, Verdict>()
  #isRunning = false

  constructor(options: CheckerOptions) {
    this.#options = options
  }

  /** One rule a line. */
  async check(rules: readonly string[], options: CheckOptions = {}): Promise<Verdict> {
    if (rules.length === 0) return { status: 'checked', faults: [] }
    const text = `${rules.join('\n')}\n`
    const key = text.length > keptBytes ? null : createHash('sha256').update(text).digest('hex')
    const known = key === null ? undefined : this.#kept.get(key)
    if (known) return known
    const verdict = await this.#enqueue((path) => writeFile(path, text, { mode: 0o640, flag: 'wx' }), options)
    if (key !== null && verdict.status === 'checked') this.#keep(key, verdict)
    return verdict
  }

  checkFile(file: string, options: CheckOptions = {}): Promise<Verdict> {
    return this.#enqueue((path) => copyFile(file, path), options)
  }

  #keep(key: string, verdict: Verdict): void {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, verdict)
  }

  #enqueue(place: (path: string) => Promise<void>, { signal, isBackground = false }: CheckOptions): Promise<Verdict> {
    const asked = this.#waiting.filter((job) => !job.isBackground).length
    if (!isBackground && asked >= (this.#options.maxWaiting ?? mostWaiting)) return Promise.reject(tooMany())
    if (signal?.aborted) return Promise.reject(gone())
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
    const abort = (): void => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
      reject(gone())
    }
    const run = (): Promise<void> => this.#check(place).then(resolve, reject)
    const job: Job = { run, isBackground }
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(job)
    void this.#work()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (let job = this.#next(); job; job = this.#next()) await job.run()
    } finally {
      this.#isRunning = false
    }
  }

  #next(): Job | undefined {
    const asked = this.#waiting.findIndex(({ isBackground }) => !isBackground)
    return this.#waiting.splice(Math.max(asked, 0), 1)[0]
  }

  async #check(place: (path: string) => Promise<void>): Promise<Verdict> {
    const { folder } = this.#options
    const id = randomUUID()
    const path = join(folder, `${id}.rules`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o750 })
      await place(path)
      // The mode of the process hides it; the group of the folder reads it.
      await chmod(path, 0o640)
      return readable(await this.#options.check(id))
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'internal')
        throw new GatewayError('unavailable', `The inspection engine cannot check signatures: ${error.message}`, {
          cause: error,
        })
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
      throw new GatewayError('unavailable', 'The signatures cannot be checked: their file cannot be written.', {
        cause: error,
      })
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  }
}

/** The words of the engine as one sentence that can be shown anywhere. */
function readable(verdict: Verdict): Verdict {
  if (verdict.status !== 'checked') return verdict
  const faults = verdict.faults.map(({ line, message }) => {
    const words = message
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 400)
    return { line, message: `The inspection engine does not take it: ${words.replace(/\.$/, '')}.` }
  })
  return { status: 'checked', faults }
}

const tooMany = (): GatewayError =>
  new GatewayError('too_many_requests', 'Too many signatures are being checked. Try again in a moment.', {
    retryAfterSeconds: 5,
  })

const gone = (): GatewayError => new GatewayError('unavailable', 'The client has gone.')
