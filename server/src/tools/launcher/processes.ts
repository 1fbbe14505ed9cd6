// Keeps one process running: starts it, reads what it reports, starts it again when it dies, stops it on
// request. `programs.ts` defines the processes.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { existsSync, type FSWatcher, rmSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { tryStoring } from '../../shared/files/reserve.ts'

/** What a process reports when it serves; only gatewayd sets the optional fields. */
export interface ReadyMessage {
  readonly event: 'ready'
  readonly address?: string
  readonly firstLogin?: string
  readonly firstPassword?: string
  /** Whether hosts need authorization to reach external networks. */
  readonly authorization?: 'enforced' | 'not enforced'
}

/** How a process reports that it serves: by a line on a pipe, or by a file (its socket) that it makes then. */
export type Report =
  | {
      /** The index in `stdio` of the pipe. */
      readonly pipe: number
      readonly parse: (line: string) => ReadyMessage | null
    }
  | { readonly file: string }

export interface ProcessSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly stdio: StdioOptions & readonly unknown[]
  readonly report: Report
  /** Written to a pipe, because /proc shows an environment for as long as the process lives. Asked at every start. */
  readonly secret?: { readonly pipe: number; readonly read: () => string | null }
  readonly env: () => Readonly<Record<string, string>>
}

export interface ProcessEvents {
  readonly onStart: (name: string, pid: number) => void
  readonly onReady: (name: string, message: ReadyMessage) => void
  readonly onEnd: (name: string, how: string) => void
}

const firstDelayMs = 100
const maxDelayMs = 5000
/** A process that says nothing of itself but lived this long had no trouble starting. */
const healthyMs = 10_000
const lookMs = 100

/** The pause before the next start: prompt after one that served, longer each time after one that never did. */
export function nextDelay(lastDelayMs: number, livedMs: number, hasServed: boolean): number {
  if (hasServed || livedMs >= healthyMs || lastDelayMs === 0) return firstDelayMs
  return Math.min(lastDelayMs * 2, maxDelayMs)
}

export class SupervisedProcess {
  readonly #spec: ProcessSpec
  readonly #events: ProcessEvents
  #child: ChildProcess | null = null
  #timer: NodeJS.Timeout | undefined
  #delayMs = 0
  #starts = 0
  #hasServed = false
  #isStopping = false

  constructor(spec: ProcessSpec, events: ProcessEvents) {
    this.#spec = spec
    this.#events = events
  }

  get name(): string {
    return this.#spec.name
  }

  get starts(): number {
    return this.#starts
  }

  start(): void {
    const { command, args, cwd, stdio, env, name, report } = this.#spec
    const begun = performance.now()
    // One left by a predecessor that was killed would speak for it.
    if ('file' in report) tryStoring(() => rmSync(report.file, { force: true }))
    // An own session: Ctrl-C reaches the launcher alone, which then stops the others in order.
    const child = spawn(command, args, { cwd, stdio, env: env(), detached: true })
    this.#child = child
    this.#starts += 1
    this.#hasServed = false
    let isOver = false
    const end = (how: string) => {
      if (isOver) return
      isOver = true
      this.#afterEnd(how, performance.now() - begun)
    }
    child.once('error', (error) => end(error.message))
    child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : signal))
    if (child.pid === undefined) return
    this.#events.onStart(name, child.pid)
    this.#tellSecret(child)
    this.#listen(child)
  }

  /** Sends a stop signal, then kills. Resolves when the process is gone and will not come back. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    const force = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await gone
    clearTimeout(force)
  }

  #tellSecret(child: ChildProcess): void {
    const { secret } = this.#spec
    if (!secret) return
    const pipe = child.stdio[secret.pipe] as Writable
    // A process that ended before it read this is noticed by its end.
    pipe.on('error', () => {}).end(secret.read() ?? '')
  }

  #listen(child: ChildProcess): void {
    const { report } = this.#spec
    if ('file' in report) {
      const forget = whenExists(report.file, () => this.#welcome({ event: 'ready' }))
      child.once('exit', forget)
      return
    }
    createInterface({ input: child.stdio[report.pipe] as Readable }).on('line', (line) => {
      const message = report.parse(line)
      if (message !== null) this.#welcome(message)
    })
  }

  #welcome(message: ReadyMessage): void {
    this.#hasServed = true
    this.#events.onReady(this.#spec.name, message)
  }

  #afterEnd(how: string, livedMs: number): void {
    this.#child = null
    this.#events.onEnd(this.#spec.name, how)
    if (this.#isStopping) return
    this.#delayMs = nextDelay(this.#delayMs, livedMs, this.#hasServed)
    this.#timer = setTimeout(() => this.start(), this.#delayMs)
  }
}

/** Calls back once the file is there; the returned function gives up waiting. */
function whenExists(path: string, found: () => void): () => void {
  const forget = watchFolder(dirname(path), () => look())
  const look = () => {
    if (!existsSync(path)) return
    forget()
    found()
  }
  look()
  return forget
}

/** The machine has only so many watches; without one the folder is looked at again and again. */
function watchFolder(path: string, look: () => void): () => void {
  let watcher: FSWatcher | null = null
  if (
    !tryStoring(() => {
      watcher = watch(path, look)
    })
  ) {
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }
  return () => watcher?.close()
}
