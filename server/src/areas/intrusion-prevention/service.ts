// What runs for intrusion prevention, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { Catalogue } from '../../domain/signatures/catalogue.ts'
import type { Rule } from '../../domain/signatures/rule.ts'
import type { SaidText } from '../../shared/said.ts'
import type { SignatureIntake } from './runs/intake.ts'

/** What the rule files on this machine hold, and how they were read. */
export interface SignatureBase {
  refresh(): Promise<void>
  current(): Catalogue
  /** Rules of files that are in no archive. */
  ownRules(): readonly Rule[]
  state(): {
    /** Where the operator puts rule files. */
    readonly folder: string
    /** Unix seconds of the newest file of a source, null when it has none. */
    readonly updatedAt: Readonly<Record<'standard' | 'advanced', number | null>>
    readonly messages: readonly SaidText[]
    readonly isReading: boolean
    /** Why files were not read; empty when they were. */
    readonly fault: string
  }
}

/** Signatures of the rule files on this machine. */
export const signaturesService = optionalService<SignatureBase>('signatures')
/** How signatures come in: their check, archives of rules, and what was refused. */
export const signatureIntakeService = service<SignatureIntake>('signature intake')
