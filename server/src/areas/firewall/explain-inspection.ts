// What becomes of inspection for a packet, in an administrator's words: the profiles, or why there are none, and what happens while
// the engine does not inspect. Pure.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { InspectedChannel } from '../../core/plan/inspection-marks.ts'
import type { Outcome } from '../../domain/policy/evaluate-trace.ts'
import type { Step } from '../../domain/policy/explain.ts'
import type { Policy } from '../../domain/policy/model.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { profiles as preventionProfiles, state as preventionState, template } from '../intrusion-prevention/public.ts'
import { titleOf } from '../objects/public.ts'
import { askedBy, type NumberedChannel, numberedChannels } from './channels.ts'
import { bypassList, ruleSlots } from './config.ts'
import type { OutcomeInspection } from './contract-explain.ts'

export interface ExplainedInspection {
  /** Null where inspection is not in use. */
  readonly step: Step | null
  readonly inspection: OutcomeInspection | null
}

const nothing: ExplainedInspection = { step: null, inspection: null }

export function explainInspection(
  config: Config,
  facts: Facts,
  { inspection: stage }: Policy,
  outcome: Outcome,
): ExplainedInspection {
  const { inspection: result, verdict, decidedBy } = outcome
  if (verdict !== 'accept') return nothing
  if (result === null)
    return decidedBy.kind === 'rule' && asksFor(config, outcome) ? said(sayNone(config, outcome)) : nothing
  if (result.kind === 'none') return said(sayNone(config, outcome))
  if (result.kind === 'excepted') return said(sayException(config, result.origin))
  const channel = numberedChannels(config, facts).find(({ number }) => number === result.channel)
  const state = stage?.channels.find(({ number }) => number === result.channel)
  return channel === undefined || state === undefined ? nothing : inspected(config, channel, state)
}

const said = (text: string): ExplainedInspection => ({
  step: { stage: 'inspection', text, rule: null, passed: [], passed_count: 0 },
  inspection: null,
})

function inspected(config: Config, channel: NumberedChannel, state: InspectedChannel): ExplainedInspection {
  const { prevention, applications, older } = channel
  const parts = [
    ...(prevention === ''
      ? []
      : [`intrusion prevention with the profile ${quote(preventionName(config, prevention))}`]),
    ...(applications === ''
      ? []
      : [`application control with the profile ${quote(applicationName(config, applications))}`]),
    ...(older === null ? [] : [`the application control rules, from ${quote(olderName(config, older))} on`]),
  ]
  return {
    ...said(`The connection is inspected: ${parts.join(' and ')}. ${sayState(state)}`),
    inspection: {
      ips_profile: prevention === '' ? null : prevention,
      dpi_profile: applications === '' ? null : applications,
      application_rule: older,
      on_failure: state.isFailOpen ? 'pass' : 'block',
      ready: state.isReady,
    },
  }
}

function sayState({ isReady, isFailOpen }: InspectedChannel): string {
  const what = isFailOpen ? 'it passes without inspection' : 'it is dropped'
  return isReady
    ? `While the inspection engine does not run, ${what}.`
    : `The inspection engine is not ready for this yet: until it is, ${what}.`
}

const quote = (name: string): string => `"${name}"`

const preventionName = (config: Config, id: string): string =>
  id === template.id ? template.name : (findIn(config, preventionProfiles, id)?.name ?? id)

const applicationName = (config: Config, id: string): string => findIn(config, applicationProfiles, id)?.name ?? id

const olderName = (config: Config, id: number): string => findIn(config, olderRules, id)?.name ?? `${id}`

const ruleOf = (config: Config, { decidedBy }: Outcome) =>
  decidedBy.kind === 'rule' ? findIn(config, ruleSlots[decidedBy.rule.table], decidedBy.rule.id) : undefined

function asksFor(config: Config, outcome: Outcome): boolean {
  const rule = ruleOf(config, outcome)
  return rule !== undefined && askedBy(rule) !== ''
}

function sayNone(config: Config, outcome: Outcome): string {
  const { decidedBy } = outcome
  const none = 'The connection is not inspected'
  if (decidedBy.kind === 'default') return `${none}: it is accepted by default, and only rules ask for inspection.`
  if (decidedBy.kind !== 'rule') return `${none}: a system rule accepts it.`
  const { table, id } = decidedBy.rule
  const rule = `${table.toUpperCase()} rule ${id}`
  return asksFor(config, outcome) && !read(config, preventionState).enabled
    ? `${none}: ${rule} asks for intrusion prevention, which is switched off.`
    : `${none}: ${rule} does not ask for inspection.`
}

/** More are not named. */
const shownObjects = 3

function sayException(config: Config, origin: string): string {
  const id = /\[(.+)\]$/.exec(origin)?.[1] ?? ''
  const { aliases = [], comment = '' } = findIn(config, bypassList, id) ?? {}
  const named = aliases.slice(0, shownObjects).map((alias) => quote(titleOf(config, alias)))
  const more = aliases.length > named.length ? ` and ${aliases.length - named.length} more` : ''
  const which = comment === '' ? 'an exception' : `the exception ${quote(comment)}`
  return `The connection is not inspected: ${which} is for ${named.join(', ')}${more}.`
}
