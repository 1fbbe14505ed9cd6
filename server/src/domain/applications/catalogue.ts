// The catalogue of application control: every application with its group, its number and its patterns.

import { applicationGroup, firstApplicationSid, patternsPerApplication } from '../signatures/numbering.ts'
import type { Application, Pattern } from './application.ts'
import { groupOf } from './groups.ts'
import { names } from './names.ts'
import type { How } from './pattern.ts'
import { protocols } from './protocols.ts'
import { namePatterns, serviceDomains } from './services.ts'

export interface CataloguedApplication extends Application {
  /** Ways in which it is recognised; empty for an application without patterns. */
  readonly how: readonly How[]
}

/** Spec gap (docs/behaviour/application-profiles.md 2.2): an id is the name in lower case, with underscores for other characters. */
const idOf = (name: string): string => `id.l7.${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`

function catalogued(name: string, index: number): CataloguedApplication {
  const protocol = protocols[name]
  const isService = serviceDomains.has(name)
  let patterns: readonly Pattern[] | null = null
  return {
    id: idOf(name),
    name,
    group: groupOf(name),
    number: index + 1,
    /** Compared with the names of every other service, so made when inspection first asks: many gateways never do. */
    get patterns(): readonly Pattern[] {
      patterns ??= [...(protocol?.patterns ?? []), ...(isService ? namePatterns(name) : [])]
      return patterns
    },
    how: [...(protocol ? [protocol.how] : []), ...(isService ? (['name'] as const) : [])],
  }
}

export const applications: readonly CataloguedApplication[] = names.map(catalogued)

const byId = new Map(applications.map((application) => [application.id, application]))

export const findApplication = (id: string): CataloguedApplication | undefined => byId.get(id)

/** Of an id that the catalogue does not have: none. */
export const patternsOf = (id: string): readonly Pattern[] => byId.get(id)?.patterns ?? []

/** The application of an event, by the sid of its rule. */
export const applicationOfSid = (sid: number): CataloguedApplication | undefined =>
  applications[Math.floor((sid - firstApplicationSid) / patternsPerApplication) - 1]

/** Rules that refuse the application in connections that have one of the bits, one for each pattern. `action` overrides the refusal. */
export const rulesOf = (application: Application, bits: readonly string[], action?: 'alert'): readonly string[] =>
  application.patterns.map(({ protocol, options, refusal }, index) => {
    const sid = firstApplicationSid + application.number * patternsPerApplication + index
    const bit = bits.length > 0 ? `flowbits:isset,${bits.join('|')}; ` : ''
    const rest = `gid:${applicationGroup}; sid:${sid}; rev:1;`
    return `${action ?? refusal} ${protocol} any any -> any any (msg:"APP ${application.name}"; ${bit}${options} ${rest})`
  })
