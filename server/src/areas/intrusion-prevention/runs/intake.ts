// Everything by which signatures come in: the check by the inspection engine, archives of rules, and verdicts on what is there.

import { join } from 'node:path'
import type { SignatureCheck } from '../../../engines/inspection/request.ts'
import { RuleArchives } from './archives.ts'
import { type CheckOptions, type CheckProgress, SignatureChecker, type Verdict } from './checker.ts'
import { FileRefusals } from './file-refusals.ts'
import { type Judged, SignatureVerdicts } from './verdicts.ts'

export interface IntakeOptions {
  /** `signatures` of the folder of the gateway. */
  readonly folder: string
  /** `inspection/candidates` of the state folder. */
  readonly candidates: string
  /** Has `<id>.rules` of the candidates checked; the signal ends that. */
  readonly check: (id: string, signal: AbortSignal) => Promise<SignatureCheck>
  readonly maxArchives: number
  readonly now: () => Date
  readonly room: () => number
  /** The signatures in use are others: they have to be read again. */
  readonly onChange: () => void
  readonly onFault: (error: unknown) => void
}

export class SignatureIntake {
  readonly #checker: SignatureChecker
  readonly archives: RuleArchives
  readonly verdicts: SignatureVerdicts
  readonly fileRefusals: FileRefusals

  constructor({ folder, candidates, check, ...options }: IntakeOptions) {
    const checker = new SignatureChecker({ folder: candidates, check, now: options.now })
    this.#checker = checker
    this.archives = new RuleArchives({ ...options, folder: join(folder, 'archives'), checker })
    this.fileRefusals = new FileRefusals(folder)
    this.verdicts = new SignatureVerdicts({ ...options, file: join(folder, 'verdicts.json'), checker })
  }

  /** Before signatures are stored. */
  check(rules: readonly string[], options?: CheckOptions): Promise<Verdict> {
    return this.#checker.check(rules, options)
  }

  /** Checks of many rules that wait or run. */
  running(): CheckProgress[] {
    return this.#checker.running()
  }

  /** Checks what is not checked yet; `rules` are all signatures that are in no archive. Never rejects. */
  async look(rules: readonly Judged[]): Promise<void> {
    await Promise.all([this.verdicts.look(rules), this.archives.look()])
  }

  close(): Promise<void> {
    return this.archives.close()
  }
}
