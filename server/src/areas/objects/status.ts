// What is known beyond the configuration: addresses of domains, and the country database.

import type { Services } from '../../core/area/handle.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { AddressBook } from '../../core/plan/facts.ts'
import { domains } from './config.ts'

export function showDomains(resolver: Services['domains'], config: Config, book: AddressBook) {
  const states = resolver?.status()
  return read(config, domains).map(({ id, value }) => ({
    id,
    value,
    addresses: [...(book.get(id) ?? [])],
    resolved_at: states?.get(id)?.resolvedAt ?? null,
    error: states?.get(id)?.error ?? null,
  }))
}

export function showCountries(countries: Services['countries']) {
  const state = countries?.status()
  return {
    loaded: state?.loaded ?? false,
    path: state?.path ?? '',
    countries: state?.countries ?? 0,
    build_time: state?.buildTime ?? null,
    msg: [...(state?.messages ?? ['No country database is read here.'])],
  }
}
