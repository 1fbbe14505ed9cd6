// What must hold of the RADIUS servers, and the security groups that administrator rules mention.

import type { Problem } from '../../contract/error.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { adRules, aldRules, radius, type StoredRadius, type StoredServer } from './config.ts'

const isConfigured = ({ server, secret }: StoredServer): boolean => server !== '' && secret !== null

/** Fields are named as in a body. */
export function radiusProblems({ primary, secondary }: StoredRadius): Problem[] {
  if (!isConfigured(secondary)) return []
  return [
    ...(isConfigured(primary)
      ? []
      : [{ field: 'secondary', message: 'Needs a primary server with a secret: there is none.' }]),
    ...(secondary.port === null
      ? [{ field: 'secondary.port', message: 'Must be set: there is no default for the secondary server.' }]
      : []),
  ]
}

export const verify = (config: Config): readonly Problem[] =>
  radiusProblems(read(config, radius)).map(({ field, message }) => ({ field: `${radius.key}.${field}`, message }))

const ruleLists = [
  { slot: adRules, title: 'AD administrator rule' },
  { slot: aldRules, title: 'ALD administrator rule' },
]

export const references = (config: Config): readonly Reference[] =>
  ruleLists.flatMap(({ slot, title }) =>
    read(config, slot).map((rule) => ({
      id: rule.group_alias,
      object: `${slot.key}[${rule.id}]`,
      field: 'group_alias',
      title: rule.comment === '' ? title : `${title} "${rule.comment}"`,
    })),
  )
