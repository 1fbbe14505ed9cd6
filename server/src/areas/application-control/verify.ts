// What must hold for application control rules beyond the form of their fields, and whom they mention.

import type { Problem } from '../../contract/error.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { isAddressId, isKnownObject } from '../objects/public.ts'
import { originOf, rules } from './config.ts'
import type { ApplicationRule } from './contract.ts'

export const verify = (config: Config): Problem[] =>
  read(config, rules).flatMap((rule) =>
    ruleProblems(config, rule).map(({ field, message }) => ({ field: `${originOf(rule)}.${field}`, message })),
  )

/** `["any"]`, or ids of users, groups and addresses. Fields are named as in the body of a call. */
export function ruleProblems(config: Config, { aliases }: ApplicationRule): Problem[] {
  if (aliases.includes('any'))
    return aliases.length === 1 ? [] : [{ field: 'aliases', message: 'any must stand alone in its list.' }]
  return aliases.flatMap((id, index) => {
    const field = `aliases[${index}]`
    if (!isAddressId(id)) return [{ field, message: `${id} is not the id of a user, group or address object.` }]
    return isKnownObject(config, id) ? [] : [{ field, message: `There is no object with the id ${id}.` }]
  })
}

export const references = (config: Config): Reference[] =>
  read(config, rules).flatMap((rule) =>
    rule.aliases
      .filter((id) => id !== 'any')
      .map((id) => ({
        id,
        object: originOf(rule),
        field: 'aliases',
        title: `Application control rule "${rule.name}"`,
      })),
  )
