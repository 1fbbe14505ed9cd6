// What DNAT and SNAT rules change addresses to, for the records of their hits.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { Translations } from '../../domain/logs/hit-news.ts'
import { ruleSlots } from './config.ts'
import { addressSpan, portSpan } from './resolve-rules.ts'

export function translationsOf(config: Config, facts: Facts): Omit<Translations, 'deviceAddresses'> {
  const known = { config, facts }
  const dnat = read(config, ruleSlots.dnat)
    .filter(({ action }) => action === 'dnat')
    .map((rule) => {
      const addresses = addressSpan(known, rule.change_destination_address)
      return [`${rule.id}`, { addresses, ports: portSpan(known, rule.change_destination_port) }] as const
    })
  const snat = read(config, ruleSlots.snat)
    .filter(({ action }) => action === 'snat')
    .map((rule) => [`${rule.id}`, addressSpan(known, rule.change_source_address)] as const)
  return { dnat: new Map(dnat), snat: new Map(snat) }
}
