// The applier as the configuration engine sees it: secrets of files are revealed on the way to applyd and nowhere before.

import { createHmac, randomBytes } from 'node:crypto'
import type { Log } from '../../core/log.ts'
import type { Artifact, Plan, PlanApplier } from '../../core/plan/artifacts.ts'
import { fillMarks, type SealedPart, type SecretForm } from '../../core/plan/sealed.ts'

export interface SecretTools {
  readonly reveal: (sealed: string, place: string) => string
  readonly printers: Readonly<Record<SecretForm, (secret: string) => string>>
  readonly log: Log
}

export function createSecretFiller({ reveal, printers, log }: SecretTools): (plan: Plan) => Plan {
  const filled = new WeakMap<Artifact, Artifact>()
  const key = randomBytes(32)
  /** One secret that cannot be opened or written must not stop the gateway. Its place is taken by one that no one knows. */
  const unknown = (sealed: string): string => createHmac('sha256', key).update(sealed).digest('hex')
  const textOf = ({ form, place, sealed }: SealedPart): string => {
    try {
      return printers[form](reveal(sealed, place))
    } catch (fault) {
      log('error', 'A secret of the configuration cannot be used', { place, fault })
      return printers[form](unknown(sealed))
    }
  }
  /** The same object for the same file, so that what did not change is not sent again. */
  const fill = (artifact: Artifact): Artifact => {
    if (artifact.kind !== 'file') return artifact
    const known = filled.get(artifact)
    if (known) return known
    const text = fillMarks(artifact.text, textOf)
    const made = text === artifact.text ? artifact : { ...artifact, text }
    filled.set(artifact, made)
    return made
  }
  return (plan) => {
    const artifacts = plan.artifacts.map(fill)
    return artifacts.every((one, index) => one === plan.artifacts[index]) ? plan : { ...plan, artifacts }
  }
}

/** The same applier, to which plans are passed with their secrets. */
export function withSecrets(applier: PlanApplier, tools: SecretTools): PlanApplier {
  const fill = createSecretFiller(tools)
  return {
    check: (plan) => applier.check(fill(plan)),
    apply: (plan) => applier.apply(fill(plan)),
    attempt: (plan) => applier.attempt(fill(plan)),
    settle: (revision) => applier.settle(revision),
    undo: (revision) => applier.undo(revision),
    observe: () => applier.observe(),
  }
}
