// Ends connections. The process that does it is not root and has one right (exporters/connection-cutter.ts); it starts with the
// first request and ends when there was none for a while. Requests that come while it works are answered together by one reading
// of the kernel's table.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { programEnvironment } from '../../engines/kit/processes.ts'
import type { Tables } from '../../engines/kit/tables.ts'
import { oneLine } from '../../engines/kit/text.ts'
import { parseCount, parseKeys, parseList, Refusal } from '../../engines/kit/values.ts'
import { patient } from '../../shared/pace.ts'
import type { Context } from '../context.ts'

const idleMs = 10_000
/** A reading of half a million connections takes a second. */
const answerMs = 30_000
/** A number for each request. */
const mostAnswerChars = 1024 * 1024
/** The kernel lets go of connections soon after the way that they took is closed. */
const heldTurns = 200
const heldMs = 25

interface Cut {
  readonly ended: number
  readonly held: number
}

interface Waiting {
  readonly targets: readonly CutTarget[]
  readonly resolve: (cut: Cut) => void
  readonly reject: (fault: Error) => void
}

type CutterParts = Pick<Context, 'plane' | 'log'> & {
  readonly tables: Pick<Tables, 'cutter'>
  /** Closes the way that keeps connections from being ended; false when none is open. */
  readonly giveUp?: () => Promise<boolean>
}

export class Cutter {
  readonly #parts: CutterParts
  readonly #longestMs: number
  #program: ChildProcessWithoutNullStreams | null = null
  #waiting: Waiting[] = []
  #working: readonly Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(parts: CutterParts, longestMs = patient(answerMs)) {
    this.#parts = parts
    this.#longestMs = longestMs
  }

  /** How many connections ended. */
  async cut(targets: readonly CutTarget[]): Promise<number> {
    if (targets.length === 0 || this.#parts.plane === 'none') return 0
    let { ended, held } = await this.#ask(targets)
    if (held === 0) return ended
    const isClosed = await this.#parts.giveUp?.()
    this.#parts.log('warning', 'The kernel cannot end connections that pass by the rules: they do so no more', {
      isClosed,
    })
    for (let turn = 0; held > 0 && turn < heldTurns; turn++) {
      await pause(heldMs)
      const again = await this.#ask(targets)
      ended += again.ended
      held = again.held
    }
    if (held > 0) throw refusal('the kernel holds them')
    return ended
  }

  #ask(targets: readonly CutTarget[]): Promise<Cut> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ targets, resolve, reject })
      this.#next()
    })
  }

  close(): void {
    this.#end(this.#program, 'applyd ends')
  }

  #start(): ChildProcessWithoutNullStreams {
    const [command = '', ...args] = this.#parts.tables.cutter
    const started = spawn(command, args, { cwd: '/', env: programEnvironment, stdio: ['pipe', 'pipe', 'pipe'] })
    let [text, words] = ['', '']
    started.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (this.#program !== started || (!text.includes('\n') && text.length <= mostAnswerChars)) return
      const answer = text
      text = ''
      this.#take(answer)
    })
    started.stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString('latin1')).slice(-4096)
    })
    // What it did not read is answered by its end.
    started.stdin.on('error', () => {})
    started.on('error', (fault) => this.#end(started, fault.message))
    started.on('close', () => this.#end(started, faultIn(words) || 'the process for it ended'))
    return started
  }

  /** Of one line and nothing else, and a number for each request; a process that answers anything else is not asked again. */
  #take(text: string): void {
    const answered = this.#working
    try {
      const { counts, held, fault } = parseKeys(JSON.parse(text), ['counts', 'held', 'fault'])
      const [ended, kept] = [counts, held].map((list) =>
        parseList(list, answered.length, 'counts', (one) => parseCount(one, 'count')),
      ) as [number[], number[]]
      if (fault === null && (ended.length !== answered.length || kept.length !== ended.length))
        throw new Refusal('There are fewer counts than requests.')
      this.#working = []
      if (fault === null)
        for (const [index, { resolve }] of answered.entries())
          resolve({ ended: ended[index] ?? 0, held: kept[index] ?? 0 })
      else this.#refuse(answered, oneLine(String(fault)))
      this.#next()
    } catch {
      this.#end(this.#program, 'the answer of the process for it is not valid')
    }
  }

  /** A process that ended by itself, or is of no use. */
  #end(ended: ChildProcessWithoutNullStreams | null, reason: string): void {
    if (ended === null || this.#program !== ended) return
    this.#program = null
    clearTimeout(this.#timer)
    ended.kill('SIGKILL')
    const left = [...this.#working, ...this.#waiting]
    this.#working = []
    this.#waiting = []
    this.#refuse(left, reason)
  }

  #refuse(requests: readonly Waiting[], reason: string): void {
    if (requests.length > 0) this.#parts.log('error', 'Connections cannot be ended', { reason })
    for (const { reject } of requests) reject(refusal(reason))
  }

  #next(): void {
    if (this.#working.length > 0) return
    clearTimeout(this.#timer)
    if (this.#waiting.length === 0) {
      this.#timer = setTimeout(() => this.#end(this.#program, 'it had nothing to do'), idleMs).unref()
      return
    }
    this.#working = this.#waiting
    this.#waiting = []
    const asked = this.#program ?? this.#start()
    this.#program = asked
    this.#timer = setTimeout(() => this.#end(asked, 'the process for it does not answer'), this.#longestMs).unref()
    asked.stdin.write(`${JSON.stringify(this.#working.map(({ targets }) => targets))}\n`)
  }
}

/** The message of what ended it, or its last words. */
const faultIn = (words: string): string => {
  const lines = words.split('\n').filter((line) => line.trim() !== '')
  return oneLine(lines.findLast((line) => /^\w*Error: /.test(line))?.replace(/^\w*Error: /, '') ?? lines.at(-1) ?? '')
}

const refusal = (reason: string): Refusal =>
  new Refusal(`Connections cannot be ended here: ${reason.replace(/\.$/, '')}. They stay until they end by themselves.`)
