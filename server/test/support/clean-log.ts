// A service log that has to stay clean: what it says at level warning or error fails the test, unless the test declared it.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'

export interface LogEntry {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

const print = ({ level, message, fields }: LogEntry): string =>
  `${level}: ${message} ${inspect(fields, { depth: 4, breakLength: Number.POSITIVE_INFINITY })}`

export class CleanLog {
  #entries: LogEntry[] = []
  readonly #expected = new Map<RegExp, boolean>()
  readonly #allowed: RegExp[] = []

  /** A pattern is matched against level, message and fields, and has to match some entry before the end. */
  expect(...patterns: readonly RegExp[]): void {
    for (const pattern of patterns) this.#expected.set(pattern, false)
  }

  /** For faults that may hit several places, so that no single entry is certain. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns)
  }

  add(entry: LogEntry): void {
    if (entry.level === 'warning' || entry.level === 'error') this.#entries.push(entry)
  }

  /** Warnings and errors so far, for a test that looks at them itself; they are not judged again. */
  take(): readonly LogEntry[] {
    const taken = this.#entries
    this.#entries = []
    return taken
  }

  assertClean(): void {
    const texts = this.take().map(print)
    const patterns = [...this.#expected.keys()]
    for (const pattern of patterns) if (texts.some((text) => pattern.test(text))) this.#expected.set(pattern, true)
    const known = [...patterns, ...this.#allowed]
    const unexpected = texts.filter((text) => !known.some((pattern) => pattern.test(text)))
    assert.deepEqual(unexpected, [], 'The log holds entries that the test did not expect.')
    const unseen = patterns.filter((pattern) => !this.#expected.get(pattern)).map(String)
    assert.deepEqual(unseen, [], 'The log holds no entry for these patterns.')
  }
}
