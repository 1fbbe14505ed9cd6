// The six tables of console rules, declared. They hold what the gateway's own rules must, belong to a server group and are
// removed with it (docs/behaviour/central-console.md 2.4).

import type { Problem } from '../../core/contract/error.ts'
import { declareList, mustBeOfKind, mustExist, names, namesOne } from '../../core/model/declarations.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type ListSlot, perState } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { listCategories, start, userCategories } from '../content-filter/public.ts'
import type { FilterRule } from '../firewall/contract.ts'
import { filterDefaults, inspectionProblems, profileFields } from '../firewall/public.ts'
import { profiles as preventionProfiles } from '../intrusion-prevention/public.ts'
import { connections, isInterfaceAlias, tunnels } from '../network/public.ts'
import { isAddressId, isKnownObject, isPortId, isTimeId, objectSlots } from '../objects/public.ts'
import { groups as userGroups, users } from '../users/public.ts'
import * as stored from './config.ts'
import type { ContentRule } from './contract-content.ts'
import { faultOfGroup } from './lists.ts'

/** What rules name by its id: it must be there, and its content does not matter. Zones are among the objects. */
const namedSlots: readonly ListSlot[] = [...objectSlots, users, userGroups]
const anyOrNamed = { allowsAny: true, slots: namedSlots }

const faultOfTime = mustBeOfKind('a time object', isTimeId, isKnownObject)
const faultOfAddress = mustBeOfKind('a user, group or address object', isAddressId, isKnownObject)
const faultOfPort = mustBeOfKind('a port object', isPortId, isKnownObject)
const faultOfDevice = mustBeOfKind('a device profile', (id) => id.startsWith('hip_profile.'), isKnownObject)
const faultOfInterface = mustExist('interface or zone', isInterfaceAlias)

/** At the root the rules of a removed group would reach every gateway, so they are removed. */
const ofGroup = { faultOf: faultOfGroup, isRemovedAlong: true }

const knownCategories = perState(
  [userCategories, start],
  (config) => new Set(listCategories(config).map(({ id }) => id)),
)

const declareContentRules = (slot: typeof stored.contentBefore) =>
  declareList<ContentRule>({
    slot,
    noun: 'content filter rule',
    nameOf: ({ id }) => `content filter rule ${id} of the central console`,
    mentionedAs: ({ id }) => pathOf(slot, id),
    ids: { kind: 'number' },
    defaults: {
      parent_id: stored.root.id,
      comment: '',
      aliases: ['any'],
      categories: [],
      http_methods: [],
      content_types: [],
      redirect_url: null,
      enabled: true,
      timetable: ['any'],
    },
    references: [
      namesOne('parent_id', ofGroup),
      names('aliases', { ...anyOrNamed, faultOf: faultOfAddress }),
      names('timetable', { ...anyOrNamed, faultOf: faultOfTime }),
      names('categories', { faultOf: mustExist('category', (config, id) => knownCategories(config).has(id)) }),
    ],
    problemsOf: (_config, rule) => redirectProblems(rule),
    reads: [stored.groups, userCategories, start],
  })

function redirectProblems({ access, redirect_url: url }: ContentRule): Problem[] {
  const problem = (message: SaidText): Problem[] => [{ field: 'redirect_url', message }]
  if (access !== 'redirect') return url === null ? [] : problem(say`Must be null unless access is redirect.`)
  return url !== null && isWebAddress(url)
    ? []
    : problem(say`Must be an address such as https://example.com/page when access is redirect.`)
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

const declareFirewallRules = (slot: typeof stored.forwardBefore) =>
  declareList<FilterRule>({
    slot,
    noun: 'firewall rule',
    nameOf: ({ id }) => `firewall rule ${id} of the central console`,
    mentionedAs: ({ id }) => pathOf(slot, id),
    ids: { kind: 'number' },
    defaults: filterDefaults,
    references: [
      namesOne('parent_id', ofGroup),
      names('source_addresses', { ...anyOrNamed, faultOf: faultOfAddress }),
      names('destination_addresses', { ...anyOrNamed, faultOf: faultOfAddress }),
      names('source_ports', { ...anyOrNamed, faultOf: faultOfPort }),
      names('destination_ports', { ...anyOrNamed, faultOf: faultOfPort }),
      names('timetable', { ...anyOrNamed, faultOf: faultOfTime }),
      names('hip_profiles', { ...anyOrNamed, faultOf: faultOfDevice }),
      namesOne('incoming_interface', { ...anyOrNamed, faultOf: faultOfInterface }),
      namesOne('outgoing_interface', { ...anyOrNamed, faultOf: faultOfInterface }),
      // What is wrong with a profile depends on whether it is used: inspectionProblems() decides.
      ...profileFields.map((field) => namesOne<FilterRule>(field)),
    ],
    problemsOf: (config, rule) => [...portProblems(rule), ...inspectionProblems(config, rule)],
    reads: [stored.groups, connections, tunnels, applicationProfiles, preventionProfiles],
  })

function portProblems(rule: FilterRule): Problem[] {
  if (rule.protocol === 'protocol.tcp' || rule.protocol === 'protocol.udp') return []
  const fields = ['source_ports', 'destination_ports'] as const
  return fields
    .filter((field) => rule[field].length !== 1 || rule[field][0] !== 'any')
    .map((field) => ({ field, message: say`Ports can be given only with the protocol TCP or UDP.` }))
}

export const contentBefore = declareContentRules(stored.contentBefore)
export const contentAfter = declareContentRules(stored.contentAfter)
export const forwardBefore = declareFirewallRules(stored.forwardBefore)
export const forwardAfter = declareFirewallRules(stored.forwardAfter)
export const inputBefore = declareFirewallRules(stored.inputBefore)
export const inputAfter = declareFirewallRules(stored.inputAfter)
