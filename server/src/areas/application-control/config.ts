// What application control stores: its rules, none at the start.

import { list } from '../../model/slots.ts'
import { ApplicationRule } from './contract.ts'

export const rules = list('application_control.rules', ApplicationRule)

/** `application_control.rules[7]` */
export const originOf = (rule: ApplicationRule): string => `${rules.key}[${rule.id}]`
