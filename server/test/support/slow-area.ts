// A throw-away area with a slow engine, and a machine on which the test decides the state of that engine.

import { type Area, defineArea } from '../../src/core/area/handle.ts'
import { strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { type Config, read, single, write } from '../../src/core/model/slots.ts'
import type {
  Artifact,
  Attempt,
  CheckReport,
  Observation,
  Outcome,
  Plan,
  UnitObservation,
} from '../../src/core/plan/artifacts.ts'
import { type SaidText, say } from '../../src/shared/said.ts'
import { FakeApplier } from './fake-applier.ts'

export const slowSettings = single('slow.settings', strictObject({ text: Type.String() }), { text: '' })

export const withText = (config: Config, text: string): Config => write(config, slowSettings, { text })

/** Without a text its engine does not run. `file` and `unit` are names in the tables of applyd. */
export const slowAreaOf = (file: string, unit: string): Area =>
  defineArea({
    name: 'slow',
    apply: 'background',
    slots: [slowSettings],
    render: (config): Artifact[] => {
      const { text } = read(config, slowSettings)
      if (text === '') return []
      return [
        { kind: 'file', name: file, text: `${text}\n` },
        { kind: 'unit', name: unit },
      ]
    },
    routes: [],
  })

export const slowArea = slowAreaOf('slow.conf', 'slow')

type State = UnitObservation['state']

/** Handles the artifacts of the slow area itself; the rest goes to the fake applier. */
export class SlowMachine extends FakeApplier {
  /** The applied text of the slow area; null: nothing. */
  text: string | null = null
  /** All applied texts, in order. */
  readonly texts: (string | null)[] = []
  /** The state of the engine for each text. */
  readonly states = new Map<string, { readonly state: State; readonly message: SaidText }>()
  /** Texts that fail while they are applied, and that applyd refuses to read. */
  readonly reverting = new Set<string>()
  readonly refusing = new Set<string>()
  /** Texts that the checker refuses. */
  readonly invalid = new Set<string>()
  refusal: Error = new Error('refused')

  override async check(plan: Plan): Promise<CheckReport> {
    const text = textIn(plan)
    const report = await super.check(withoutSlow(plan))
    if (text === null || !this.invalid.has(text)) return report
    return { ...report, problems: [{ field: 'slow.settings.text', message: say`The checker does not accept it.` }] }
  }

  override async apply(plan: Plan): Promise<Outcome> {
    const text = textIn(plan)
    if (text !== null && this.refusing.has(text)) throw this.refusal
    if (text !== null && this.reverting.has(text))
      return { status: 'put_back', problems: [{ field: 'slow', message: say`${text} failed.` }], restored: true }
    const outcome = await super.apply(withoutSlow(plan))
    if (outcome.status === 'applied' && text !== this.text) {
      this.text = text
      this.texts.push(text)
    }
    return outcome
  }

  override async attempt(plan: Plan): Promise<Attempt> {
    return textIn(plan) === this.text ? super.attempt(withoutSlow(plan)) : { status: 'mixed' }
  }

  override async observe(): Promise<Observation> {
    const observation = await super.observe()
    if (this.text === null) return observation
    const { state, message } = this.states.get(this.text) ?? { state: 'active', message: '' as const }
    return { ...observation, units: [...observation.units, { name: 'slow', state, message, pid: 1 }] }
  }
}

const isSlow = ({ name }: Artifact): boolean => name === 'slow.conf' || name === 'slow'
const withoutSlow = (plan: Plan): Plan => ({ ...plan, artifacts: plan.artifacts.filter((one) => !isSlow(one)) })

function textIn({ artifacts }: Plan): string | null {
  const file = artifacts.find((one) => one.kind === 'file' && one.name === 'slow.conf')
  return file?.kind === 'file' ? file.text.trim() : null
}
