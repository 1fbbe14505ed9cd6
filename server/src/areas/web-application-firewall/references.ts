// Every object that a rule of the web application firewall mentions.

import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { profiles, rules } from './config.ts'

export function references(config: Config): Reference[] {
  const names = new Map(read(config, profiles).map(({ id, name }) => [id, name]))
  return read(config, rules).flatMap((rule) =>
    rule.aliases.map((id) => ({
      id,
      object: `${rules.key}[${rule.id}]`,
      field: 'aliases',
      title: `Rule ${rule.id} of the web application firewall profile "${names.get(rule.profile_id) ?? ''}"`,
    })),
  )
}
