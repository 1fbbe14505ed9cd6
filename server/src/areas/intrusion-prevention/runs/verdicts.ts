// What the inspection engine says of the signatures that no upload has checked: those of rule files and, from before it was installed,
// those of administrators. Each text is checked once; verdicts are kept over restarts, because many thousands take a minute.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createSlices } from '../../../core/workers/slices.ts'
import { writeDurably } from '../../../shared/files/durable-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import type { SignatureChecker } from './checker.ts'

export interface VerdictOptions {
  readonly file: string
  readonly checker: Pick<SignatureChecker, 'check'>
  /** Other signatures are refused than before. */
  readonly onChange: () => void
  readonly onFault: (error: unknown) => void
}

/** What is needed of a rule. */
export interface Judged {
  readonly text: string
  readonly signature: { readonly sid: number }
}

export interface RefusedSignature {
  readonly sid: number
  readonly text: string
  readonly reason: string
}

interface Kept {
  readonly good: readonly string[]
  readonly bad: Readonly<Record<string, string>>
}

const form = 1

export class SignatureVerdicts {
  readonly #options: VerdictOptions
  #good = new Set<string>()
  #bad = new Map<string, string>()
  readonly #hashes = new WeakMap<Judged, string>()
  #refused: readonly RefusedSignature[] = []
  #texts: ReadonlySet<string> = new Set()
  #message: SaidText = ''
  #wanted: readonly Judged[] | null = null
  #looking: Promise<void> | null = null

  constructor(options: VerdictOptions) {
    this.#options = options
    const kept = readKept(options.file)
    this.#good = new Set(kept.good)
    this.#bad = new Map(Object.entries(kept.bad))
  }

  /** Signatures that are left out, because the engine does not take them. */
  refused(): readonly RefusedSignature[] {
    return this.#refused
  }

  /** Their texts. */
  get texts(): ReadonlySet<string> {
    return this.#texts
  }

  /** What the check waits for; empty when everything is checked. */
  get message(): SaidText {
    return this.#message
  }

  /** Checks what is new among all signatures there are; of several calls at once the last one counts. Never rejects. */
  look(rules: readonly Judged[]): Promise<void> {
    this.#wanted = rules
    this.#looking ??= this.#lookWanted().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookWanted(): Promise<void> {
    try {
      for (let rules = this.#taken(); rules; rules = this.#taken()) await this.#judge(rules)
    } catch (error) {
      this.#message = say`The signatures could not be checked by the inspection engine.`
      this.#options.onFault(error)
    }
  }

  #taken(): readonly Judged[] | null {
    const rules = this.#wanted
    this.#wanted = null
    return rules
  }

  async #judge(rules: readonly Judged[]): Promise<void> {
    const slices = createSlices()
    const known = new Map<string, Judged>()
    for (const rule of rules) {
      known.set(this.#hashOf(rule), rule)
      await slices()
    }
    const unknown = [...known].filter(([hash]) => !this.#good.has(hash) && !this.#bad.has(hash))
    const verdict = await this.#options.checker.check(
      unknown.map(([, { text }]) => text),
      { isBackground: true },
    )
    this.#message = messages[verdict.status]
    if (verdict.status === 'checked' && unknown.length > 0) {
      const faults = new Map(verdict.faults.map(({ line, message }) => [line - 1, message]))
      for (const [index, [hash]] of unknown.entries()) {
        const fault = faults.get(index)
        if (fault !== undefined) this.#bad.set(hash, fault)
        // The engine looks at some faults only when there are no others.
        else if (verdict.faults.length === 0) this.#good.add(hash)
      }
      this.#keep(known)
      if ([...faults.keys()].some((index) => index < unknown.length)) this.#wanted ??= rules
    }
    this.#show(known)
  }

  #hashOf(rule: Judged): string {
    return this.#hashes.getOrInsertComputed(rule, ({ text }) =>
      createHash('sha256').update(text).digest('base64url').slice(0, 22),
    )
  }

  /** Only of signatures that are still there. */
  #keep(known: ReadonlyMap<string, Judged>): void {
    this.#good = this.#good.intersection(known)
    this.#bad = new Map([...this.#bad].filter(([hash]) => known.has(hash)))
    mkdirSync(dirname(this.#options.file), { recursive: true, mode: 0o700 })
    const kept: Kept & { readonly form: number } = { form, good: [...this.#good], bad: Object.fromEntries(this.#bad) }
    writeDurably(this.#options.file, JSON.stringify(kept))
  }

  #show(known: ReadonlyMap<string, Judged>): void {
    const refused = [...this.#bad].flatMap(([hash, reason]) => {
      const rule = known.get(hash)
      return rule ? [{ sid: rule.signature.sid, text: rule.text, reason }] : []
    })
    const texts = new Set(refused.map(({ text }) => text))
    const isSame = texts.size === this.#texts.size && texts.isSubsetOf(this.#texts)
    this.#refused = refused
    if (isSame) return
    this.#texts = texts
    this.#options.onChange()
  }
}

const messages = {
  checked: '',
  missing: say`The inspection engine is not installed. Signatures are checked by it as soon as it is.`,
  timeout: say`The inspection engine did not finish checking the signatures in time.`,
} as const

/** A file that cannot be read means that everything is checked again. */
function readKept(file: string): Kept {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept & { readonly form?: number }
    if (kept.form === form) return kept
  } catch {
    // Below.
  }
  return { good: [], bad: {} }
}
