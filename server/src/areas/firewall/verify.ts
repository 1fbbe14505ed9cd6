// What must hold over the whole firewall, whatever way it came about: each stored item by itself and the limits of the
// lists. Ten thousand rules are verified at every change, so an item that held is not looked at again before it or the
// objects change.

import type { Problem } from '../../contract/error.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { profiles as preventionProfiles } from '../intrusion-prevention/public.ts'
import { groups, users } from '../users/public.ts'
import {
  accessLists,
  accessOrder,
  bypassList,
  destinationRules,
  macRules,
  originOf,
  pairRules,
  ruleSlots,
  ruleTables,
  sourceRules,
} from './config.ts'
import { maxEntriesOverAll } from './contract-access-lists.ts'
import { maxHardwareRules } from './contract-hardware.ts'
import { foreignSlots } from './resolve.ts'
import { accessListProblems, bindingProblems, bypassProblems, macRuleProblems } from './verify-lists.ts'
import { ruleProblems } from './verify-rules.ts'

export function verify(config: Config): Problem[] {
  return [
    ...ruleTables.flatMap((table) => held(config, ruleSlots[table], (rule) => ruleProblems(config, table, rule))),
    ...held(config, macRules, macRuleProblems),
    ...held(config, accessLists, accessListProblems),
    ...held(config, bypassList, (item) => bypassProblems(config, item)),
    ...read(config, accessOrder).acl_ordered_list.flatMap((binding, index) =>
      bindingProblems(config, binding, `${accessOrder.key}.acl_ordered_list[${index}]`),
    ),
    ...limits(config),
  ]
}

/** Per item, the state of the objects under which it held. */
const sound = new WeakMap<Item, object>()

function held<T extends Item>(config: Config, slot: ListSlot<T>, problemsOf: (item: T) => Problem[]): Problem[] {
  const objects = objectsOf(config)
  return read(config, slot).flatMap((item) => {
    if (sound.get(item) === objects) return []
    const problems = problemsOf(item)
    if (problems.length === 0) sound.set(item, objects)
    return problems.map(({ field, message }) => ({ field: `${originOf(slot, item.id)}.${field}`, message }))
  })
}

/** What a rule can name. */
export const namedSlots = [...foreignSlots, users, groups, applicationProfiles, preventionProfiles]

let lastObjects: readonly unknown[] = []

/** The values of all slots that rules refer to; the same list as long as none of them changed. */
function objectsOf(config: Config): readonly unknown[] {
  const values = namedSlots.map((slot) => config[slot.key])
  if (values.length !== lastObjects.length || values.some((value, index) => value !== lastObjects[index]))
    lastObjects = values
  return lastObjects
}

function limits(config: Config): Problem[] {
  const hardware = [macRules, sourceRules, destinationRules, pairRules].filter(
    (slot) => read(config, slot as ListSlot).length > maxHardwareRules,
  )
  const entries = read(config, accessLists).reduce((sum, { value }) => sum + value.length, 0)
  return [
    ...hardware.map(({ key }) => ({ field: key, message: `At most ${maxHardwareRules} rules of a kind are allowed.` })),
    ...(entries > maxEntriesOverAll
      ? [{ field: accessLists.key, message: `At most ${maxEntriesOverAll} entries over all lists are allowed.` }]
      : []),
  ]
}
