// Every mention of an object or a category in the rules, so that nobody removes what a rule stands on.

import type { Reference } from '../../model/references.ts'
import type { Config } from '../../model/slots.ts'
import { listRules, originOf } from './config.ts'

const fields = ['aliases', 'categories', 'timetable'] as const

export const references = (config: Config): Reference[] =>
  listRules(config).flatMap((rule) => {
    const user = { object: originOf(rule), title: `Content filter rule "${rule.name}"` }
    return fields.flatMap((field) => rule[field].filter((id) => id !== 'any').map((id) => ({ ...user, id, field })))
  })
