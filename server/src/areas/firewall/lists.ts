// The lists of the firewall and the bindings of its access control lists, each declared once.

import { unfoldBlock, withoutFields } from '../../core/contract/newer-forms.ts'
import {
  declareList,
  declareSettings,
  type ListDeclaration,
  mustExist,
  names,
  namesOne,
  type ReferenceField,
} from '../../core/model/declarations.ts'
import { findIn } from '../../core/model/item-index.ts'
import type { Config, ListSlot } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { profiles as preventionProfiles } from '../intrusion-prevention/public.ts'
import { connections, isInterfaceAlias, tunnels } from '../network/public.ts'
import { isAddressId, isKnownObject, isPortId, isTimeId, objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import * as stored from './config.ts'
import { type RuleTable, ruleDefaults, ruleSlots } from './config.ts'
import type { AccessBinding, AccessOrder, Bypass } from './contract-access-lists.ts'
import type { Check } from './contract-checks.ts'
import type { MacRule } from './contract-hardware.ts'
import { neutralFields, type Rule } from './contract-rules.ts'
import { profileFields } from './inspection-fields.ts'
import { foreignSlots } from './resolve-rules.ts'
import { addressForm, portForm, ruleProblems } from './rules.ts'
import { accessListProblems, macRuleProblems } from './rules-lists.ts'

/** What a rule can name. */
const namedSlots = [...foreignSlots, users, groups, applicationProfiles, preventionProfiles]

/** What a rule names by its id: it must be there, and its content does not matter. */
const idSlots: readonly ListSlot[] = [...objectSlots, users, groups]

const objectFault = mustExist('object', isKnownObject)

/** The fault of an id that must name an object of a kind, such as `an address`. */
const kindFault =
  (isOfKind: (id: string) => boolean, kind: string) =>
  (config: Config, id: string): SaidText | null =>
    isOfKind(id) ? objectFault(config, id) : say`${id} is not the id of ${sayText(kind)} object.`

const isDeviceProfile = (id: string): boolean => id.startsWith('hip_profile.')

const addresses = { allowsAny: true, faultOf: kindFault(isAddressId, 'an address') }
const ports = { allowsAny: true, faultOf: kindFault(isPortId, 'a port') }
const interfaceFault = mustExist('interface or zone', isInterfaceAlias)
const interfaces = { allowsAny: true, faultOf: interfaceFault }

type Translation = 'change_destination_address' | 'change_destination_port' | 'change_source_address'

/** A literal address or port is not an object. */
const translation = (field: Translation, form: RegExp): ReferenceField<Rule> => ({
  field,
  isList: false,
  idsOf: (rule) => {
    const value = rule[field]
    return value && form.test(value) ? [value] : []
  },
  faultOf: objectFault,
})

const ruleReferences: readonly ReferenceField<Rule>[] = [
  names('source_addresses', addresses),
  names('destination_addresses', addresses),
  names('source_ports', ports),
  names('destination_ports', ports),
  names('timetable', { allowsAny: true, faultOf: kindFault(isTimeId, 'a time') }),
  names('hip_profiles', { faultOf: kindFault(isDeviceProfile, 'a device profile') }),
  namesOne('incoming_interface', interfaces),
  namesOne('outgoing_interface', interfaces),
  translation('change_destination_address', addressForm),
  translation('change_destination_port', portForm),
  translation('change_source_address', addressForm),
  // Whether a profile is there is among the problems of inspection, which rules of the central console share.
  ...profileFields.map((field) => namesOne<Rule>(field)),
]

/** What newer clients send in blocks, in the places of this version. */
function ruleFields(body: object): object {
  const unfold = (fields: object, block: string, side: 'source' | 'destination'): object =>
    unfoldBlock(
      fields,
      block,
      { addresses: `${side}_addresses`, addresses_negate: `${side}_addresses_negate` },
      { [`${side}_addresses_negate`]: false },
    )
  const known = withoutFields(body, neutralFields)
  return unfold(unfold(known, 'sources', 'source'), 'destinations', 'destination')
}

const ruleList = (table: RuleTable): ListDeclaration<Rule> =>
  declareList({
    slot: ruleSlots[table],
    ids: { kind: 'number' },
    noun: `${table.toUpperCase()} rule`,
    defaults: ruleDefaults[table],
    fieldsOf: ruleFields,
    references: ruleReferences
      .filter(({ field }) => field in ruleDefaults[table])
      .map((reference) => ({ ...reference, slots: idSlots })),
    problemsOf: (config, rule) => ruleProblems(config, table, rule),
    reads: [connections, tunnels, applicationProfiles, preventionProfiles],
  })

export const ruleLists: Readonly<Record<RuleTable, ListDeclaration<Rule>>> = {
  forward: ruleList('forward'),
  input: ruleList('input'),
  dnat: ruleList('dnat'),
  snat: ruleList('snat'),
  log: ruleList('log'),
}

const defaults = { enabled: true, comment: '' }
const hardware = { noun: 'hardware rule', ids: { kind: 'uuid' }, defaults } as const

export const macList = declareList<MacRule>({
  ...hardware,
  slot: stored.macRules,
  problemsOf: (_, rule) => macRuleProblems(rule),
})
export const sourceList = declareList({ ...hardware, slot: stored.sourceRules })
export const destinationList = declareList({ ...hardware, slot: stored.destinationRules })
export const pairList = declareList({ ...hardware, slot: stored.pairRules })

export const accessList = declareList({
  slot: stored.accessLists,
  ids: { kind: 'uuid' },
  noun: 'access control list',
  nameOf: ({ name }) => `access control list “${name}”`,
  problemsOf: (_, list) => accessListProblems(list),
})

const isGroup = (id: string): boolean => /^(?:group\.id|security_group\.guid)\./.test(id)

/** A field of the bindings; faults and mentions say of which one. */
const inBindings = (
  field: keyof AccessBinding,
  faultOf: (config: Config, id: SaidText) => SaidText | null,
): ReferenceField<AccessOrder> => {
  const idsOf = (binding: AccessBinding): readonly string[] | string => binding[field]
  return {
    field: 'acl_ordered_list',
    isList: true,
    idsOf: ({ acl_ordered_list }) => acl_ordered_list.flatMap(idsOf),
    placesOf: ({ acl_ordered_list }) => {
      const starts: number[] = []
      let count = 0
      for (const binding of acl_ordered_list) {
        starts.push(count)
        const ids = idsOf(binding)
        count += typeof ids === 'string' ? 1 : ids.length
      }
      // There may be a million of them, and a refusal names a hundred. They are asked for in their order.
      let at = 0
      return (index) => {
        if (index < (starts[at] ?? 0)) at = 0
        while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= index) at++
        return `acl_ordered_list[${at}].${field}${field === 'acl' ? '' : `[${index - (starts[at] ?? 0)}]`}`
      }
    },
    faultOf,
  }
}

const isAccessList = (config: Config, id: string): boolean => findIn(config, stored.accessLists, id) !== undefined

export const accessBindings = declareSettings<AccessOrder>({
  slot: stored.accessOrder,
  noun: 'bindings of access control lists',
  references: [
    inBindings('src', kindFault(isGroup, 'a user group')),
    inBindings('hip', kindFault(isDeviceProfile, 'a device profile')),
    inBindings('acl', mustExist('access control list', isAccessList)),
  ],
  reads: [...namedSlots, stored.accessLists],
})

const isBypassId = (id: string): boolean =>
  /^(?:(?:ip|ip_range|subnet|domain|address_list|ip_address_list|user|group)\.id|security_group\.guid)\./.test(id)

export const exceptionList = declareList<Bypass>({
  slot: stored.bypassList,
  ids: { kind: 'uuid' },
  noun: 'exception from inspection',
  nameOf: ({ comment, id }) => `exception from inspection ${comment || id}`,
  defaults,
  references: [names('aliases', { faultOf: kindFault(isBypassId, 'an address, user or group') })],
  reads: namedSlots,
})

/**
 * The interface of a test may be removed: the result is then drop (docs/behaviour/firewall.md 6). So it is neither a
 * reference nor looked at in stored tests, only when a test is created or changed.
 */
export const checkList = declareList<Check>({
  slot: stored.checks,
  ids: { kind: 'uuid' },
  noun: 'rule test',
  defaults,
  problemsOf: (config, check, current) => {
    const fault = check === current ? null : interfaceFault(config, check.incoming_interface)
    return fault === null ? [] : [{ field: 'incoming_interface', message: fault }]
  },
  reads: namedSlots,
})

export const lists: readonly ListDeclaration[] = [
  ...Object.values(ruleLists),
  macList,
  sourceList,
  destinationList,
  pairList,
  accessList,
  exceptionList,
  checkList,
]
