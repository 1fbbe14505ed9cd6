// How what objects offer is made.

import { join } from 'node:path'
import { type Host, type Run, run } from '../../core/area/run.ts'
import { read } from '../../core/model/slots.ts'
import { targetFault } from '../../shared/net/targets.ts'
import { dnsServers, serverDomains } from '../network/public.ts'
import { domains } from './config.ts'
import { countryEntries } from './countries.ts'
import { AddressBook } from './runs/address-book.ts'
import { lookUpAddress, lookUpAddresses } from './runs/address-lookup.ts'
import { createCountryFile } from './runs/geoip.ts'
import { DomainResolver } from './runs/resolver.ts'
import { addressBookService, countriesService, domainsService, namesService, targetsService } from './service.ts'

const serversOf = ({ engine, services }: Host) => dnsServers(engine.config, services.facts())

export const runs: readonly Run[] = [
  run(addressBookService, ({ factsChanged }) => {
    const book = new AddressBook()
    return { offers: book, start: () => void book.onChange(factsChanged) }
  }),
  run(countriesService, ({ services, settings }) => {
    if (!settings.isOnMachine) return null
    const book = services.of(addressBookService)
    const file = createCountryFile(join(settings.stateDir, 'geoip.mmdb'), (networks) =>
      book.set('countries', countryEntries(networks)),
    )
    // Before the first plan: rules must not miss countries for a moment.
    return { offers: file, start: () => file.refresh(), look: () => file.refresh() }
  }),
  run(domainsService, (host) => {
    const { services, engine, settings } = host
    if (!settings.isOnMachine) return null
    const book = services.of(addressBookService)
    const resolver = new DomainResolver({
      servers: () => serversOf(host),
      onAddresses: (addresses) => book.set('domains', addresses),
      clock: services.clock,
    })
    const look = (): void => resolver.update([...read(engine.config, domains), ...serverDomains(engine.config)])
    return { offers: resolver, start: look, follow: look, look, stop: () => resolver.stop() }
  }),
  run(namesService, (host) =>
    host.settings.isOnMachine ? { offers: { lookUp: (name) => lookUpAddresses(name, serversOf(host)) } } : null,
  ),
  run(targetsService, (host) => {
    const lookUp = (name: string) => lookUpAddress(name, serversOf(host))
    const own = (): string[] => host.services.facts().interfaces.flatMap(({ addresses }) => addresses)
    const lookUpOther = async (name: string) => {
      const found = await lookUp(name)
      const fault = 'fault' in found ? null : targetFault(found.address, own())
      return fault === null ? found : { fault }
    }
    return { offers: { lookUp, lookUpOther } }
  }),
]
