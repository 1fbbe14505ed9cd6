// Has the inspection engine check signatures before they are used. Files go through a folder that applyd knows. Few rules are checked
// at once, beside many: those are checked in pieces, one after the other, so that each check is short, its progress is known and
// several that are large take turns. A check ends with the one who asked for it.

import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../../../core/contract/error.ts'
import type { SignatureCheck } from '../../../engines/inspection/request.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import { Lane } from './lane.ts'

export interface Fault {
  /** Counted from 1. */
  readonly line: number
  readonly message: SaidText
}

/** What the engine says. */
export type Verdict =
  | { readonly status: 'checked'; readonly faults: readonly Fault[] }
  | { readonly status: 'missing' }
  | { readonly status: 'timeout' }

/** Rules are checked again without those that were refused; what is left after so many times is taken. */
const mostRounds = 10

export interface CheckerOptions {
  /** `inspection/candidates` of the state folder. */
  readonly folder: string
  /** Has `<id>.rules` of the folder checked; the signal ends that. */
  readonly check: (id: string, signal: AbortSignal) => Promise<SignatureCheck>
  readonly now: () => Date
  /** Rules that are checked together. */
  readonly pieceRules?: number
}

export interface CheckOptions {
  /** Ends the check when the client has gone. */
  readonly signal?: AbortSignal
  /** No one waits for it: it is never refused. */
  readonly isBackground?: boolean
  readonly subject?: CheckSubject
}

/** What is checked: an archive with its id, a file of custom signatures, or signatures that are there already. */
export interface CheckSubject {
  readonly kind: 'archive' | 'file' | 'known'
  readonly id: string
  readonly name: string
}

/** How far a check of many rules is. */
export interface CheckProgress extends CheckSubject {
  /** Unix seconds. */
  readonly startedAt: number
  readonly total: number
  readonly done: number
  readonly refused: number
}

/** So many rules take the engine less than a second on an idle machine. */
const defaultPieceRules = 2_000
/** More are checked in the lane of many. */
const mostFew = 100
/** Verdicts on a few rules are kept: a dry run is followed by the change itself. */
const mostKept = 64
const keptBytes = 64 * 1024

export class SignatureChecker {
  readonly #options: CheckerOptions
  readonly #pieceRules: number
  /** A few administrators at once; each check takes about a second. */
  readonly #few = new Lane({ atOnce: 2, maxWaiting: 8 })
  /** Each holds all its rules in memory while it waits. */
  readonly #many = new Lane({ atOnce: 1, maxWaiting: 4 })
  readonly #kept = new Map<string, Verdict>()
  readonly #running = new Map<symbol, CheckProgress>()

  constructor(options: CheckerOptions) {
    this.#options = options
    this.#pieceRules = options.pieceRules ?? defaultPieceRules
  }

  /** Checks of many rules that wait or run. */
  running(): CheckProgress[] {
    return [...this.#running.values()]
  }

  /** One rule a line. */
  async check(rules: readonly string[], options: CheckOptions = {}): Promise<Verdict> {
    if (rules.length === 0) return { status: 'checked', faults: [] }
    if (rules.length > mostFew || options.isBackground)
      return this.#checkMany(piecesOf(rules, this.#pieceRules), rules.length, options, 1)
    const text = textOf(rules)
    const key = text.length > keptBytes ? null : createHash('sha256').update(text).digest('hex')
    const known = key === null ? undefined : this.#kept.get(key)
    if (known) return known
    const leave = this.#few.join(options)
    try {
      const verdict = await this.#few.turn(() => this.#perform(text, options.signal), options)
      if (key !== null && verdict.status === 'checked') this.#keep(key, verdict)
      return verdict
    } finally {
      leave()
    }
  }

  /** A file with `count` rules, one a line; all its faults, also those that the engine sees only when there are no others. */
  checkFile(file: string, count: number, options: CheckOptions = {}): Promise<Verdict> {
    return this.#checkMany(piecesOfFile(file, this.#pieceRules), count, options, mostRounds)
  }

  async #checkMany(
    pieces: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
    total: number,
    options: CheckOptions,
    rounds: number,
  ): Promise<Verdict> {
    const { subject = { kind: 'known', id: '', name: '' } } = options
    const key = Symbol()
    const leave = this.#many.join(options)
    const startedAt = Math.floor(this.#options.now().getTime() / 1000)
    const faults: Fault[] = []
    let done = 0
    try {
      this.#running.set(key, { ...subject, startedAt, total, done, refused: 0 })
      for await (const piece of pieces) {
        const verdict = await this.#checkPiece(piece, options, rounds)
        if (verdict.status !== 'checked') return verdict
        for (const { line, message } of verdict.faults) faults.push({ line: line + done, message })
        done += piece.length
        this.#running.set(key, { ...subject, startedAt, total, done, refused: faults.length })
      }
      return { status: 'checked', faults }
    } finally {
      this.#running.delete(key)
      leave()
    }
  }

  /** Again without the rules that were refused, until none is: the engine looks at some faults only when there are no others. */
  async #checkPiece(piece: readonly string[], options: CheckOptions, rounds: number): Promise<Verdict> {
    const found = new Map<number, SaidText>()
    for (let round = 1; round <= rounds && found.size < piece.length; round++) {
      // A rule that is left out keeps its line, so that others keep theirs.
      const text = textOf(piece.map((rule, index) => (found.has(index + 1) ? '#' : rule)))
      const verdict = await this.#many.turn(() => this.#perform(text, options.signal), options)
      if (verdict.status !== 'checked') return verdict
      if (verdict.faults.length === 0) break
      for (const { line, message } of verdict.faults) found.set(line, message)
    }
    const faults = [...found].map(([line, message]) => ({ line, message }))
    return { status: 'checked', faults: faults.toSorted((one, other) => one.line - other.line) }
  }

  #keep(key: string, verdict: Verdict): void {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, verdict)
  }

  async #perform(text: string, signal = new AbortController().signal): Promise<Verdict> {
    const { folder } = this.#options
    const id = randomUUID()
    const path = join(folder, `${id}.rules`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o750 })
      // A new file, never a copy: that would keep the group of what it is a copy of, and the group of the folder reads it.
      await writeFile(path, text, { mode: 0o640, flag: 'wx' })
      // The mode of the process hides it.
      await chmod(path, 0o640)
      signal.throwIfAborted()
      return readable(await this.#options.check(id, signal))
    } catch (error) {
      if (signal.aborted) throw gone(error)
      if (error instanceof GatewayError && error.code === 'internal')
        throw new GatewayError('unavailable', say`The inspection engine cannot check signatures: ${error.message}`, {
          cause: error,
        })
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
      throw new GatewayError('unavailable', say`The signatures cannot be checked: their file cannot be written.`, {
        cause: error,
      })
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  }
}

const textOf = (rules: readonly string[]): string => `${rules.join('\n')}\n`

function* piecesOf(rules: readonly string[], size: number): Generator<readonly string[]> {
  for (let at = 0; at < rules.length; at += size) yield rules.slice(at, at + size)
}

async function* piecesOfFile(path: string, size: number): AsyncGenerator<readonly string[]> {
  const piece: string[] = []
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    piece.push(...lines)
    while (piece.length >= size) yield piece.splice(0, size)
  }
  if (rest !== '') piece.push(rest)
  if (piece.length > 0) yield piece
}

/** The words of the engine as one sentence that can be shown anywhere. */
function readable(verdict: SignatureCheck): Verdict {
  if (verdict.status !== 'checked') return verdict
  const faults = verdict.faults.map(({ line, message }) => {
    const words = message
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 400)
    return { line, message: say`The inspection engine does not take it: ${words.replace(/\.$/, '')}.` }
  })
  return { status: 'checked', faults }
}

const gone = (cause: unknown): GatewayError => new GatewayError('unavailable', say`The client has gone.`, { cause })
