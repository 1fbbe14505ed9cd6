// What is known beyond the configuration: addresses of domains, and the country database.

import type { Offered } from '../../core/area/service.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { AddressBook } from '../../core/plan/facts.ts'
import { say } from '../../shared/said.ts'
import { domains } from './config.ts'
import type { countriesService, domainsService } from './service.ts'

export function showDomains(resolver: Offered<typeof domainsService> | undefined, config: Config, book: AddressBook) {
  const states = resolver?.status()
  return read(config, domains).map(({ id, value }) => ({
    id,
    value,
    addresses: [...(book.get(id) ?? [])],
    resolved_at: states?.get(id)?.resolvedAt ?? null,
    error: states?.get(id)?.error ?? null,
  }))
}

export function showCountries(countries: Offered<typeof countriesService> | undefined) {
  const state = countries?.status()
  return {
    loaded: state?.loaded ?? false,
    path: state?.path ?? '',
    countries: state?.countries ?? 0,
    build_time: state?.buildTime ?? null,
    msg: [...(state?.messages ?? [say`No country database is read here.`])],
  }
}
