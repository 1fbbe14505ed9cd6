// Tells the reader of firewall hits what packets do not say: who is at an address, zones, countries, and what rules translate to.
// Only what changed is sent.

import type { Services } from '../../core/area/handle.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { createSlices } from '../../core/workers/slices.ts'
import type { HitNews, Person, Translations } from '../../domain/logs/hit-news.ts'
import type { Catalogue } from '../../domain/signatures/catalogue.ts'
import { userSessionsService } from '../authorization/service.ts'
import { ruleSlots, translationsOf } from '../firewall/public.ts'
import { catalogueOf } from '../intrusion-prevention/public.ts'
import { signaturesService } from '../intrusion-prevention/service.ts'
import { addressesOf, connections, deviceOf, tunnels, zones } from '../network/public.ts'
import { countryName, ipAddresses, ipRanges, networks } from '../objects/public.ts'
import { countriesService } from '../objects/service.ts'
import { applicationNames, channelNames, signatureTable } from '../security-events/public.ts'
import { findGroup, findUser, groups, users } from '../users/public.ts'

export interface HitTeller {
  /** Call when the reader begins: it knows nothing yet. */
  begin(): void
  /** Call when the configuration, the machine or the country database can be another one. */
  look(): void
  stop(): void
}

const lookMilliseconds = 15_000

type Parts = Pick<Services, 'clock' | 'engine' | 'facts' | 'of'>

export function tellHitReader(services: Parts, tell: (news: HitNews) => void): HitTeller {
  const { clock, engine, facts } = services
  const countries = services.of(countriesService)
  const signatures = services.of(signaturesService)
  const userSessions = services.of(userSessionsService)
  /** Users and their sessions by address or network. */
  const present = new Map(userSessions.list().map(({ address, userId, id }) => [address, { userId, session: id }]))
  const told = new Map<string, Person>()
  const inputs = new Map<keyof HitNews, readonly unknown[]>()
  /** Is one of the values that this part is made of another one than last time? */
  const isOther = (part: keyof HitNews, ...values: readonly unknown[]): boolean => {
    const known = inputs.get(part)
    inputs.set(part, values)
    return known === undefined || values.some((value, index) => value !== known[index])
  }

  const tellNews = (news: Omit<HitNews, 'time'>): void => tell({ time: clock.now().getTime() * 1000, ...news })
  const tellPeople = (places: Iterable<string>): void => {
    const people: [string, Person | null][] = []
    for (const place of new Set(places)) {
      const person = personIn(engine.config, present.get(place))
      if (isSame(person, told.get(place) ?? null)) continue
      people.push([place, person])
      if (person) told.set(place, person)
      else told.delete(place)
    }
    if (people.length > 0) tellNews({ people })
  }
  const look = (): void => {
    const [config, now] = [engine.config, facts()]
    if (isOther('zones', read(config, connections), read(config, tunnels), read(config, zones), devicesIn(now)))
      tellNews({ zones: zonesOf(config, now) })
    if (isOther('translations', ...targetInputs(config, now))) tellNews({ translations: translationsIn(config, now) })
    if (isOther('people', read(config, users), read(config, groups))) tellPeople(present.keys())
    const spans = countries?.spans() ?? null
    if (isOther('countries', spans)) tellNews({ countries: spans && { ...spans, names: spans.codes.map(countryName) } })
    const channels = channelNames(config, now)
    if (isOther('channels', JSON.stringify([...channels]))) tellNews({ channels })
    if (isOther('applications', applicationNames)) tellNews({ applications: applicationNames })
    const catalogue = catalogueOf(config, signatures?.current())
    if (isOther('signatures', catalogue)) void tellSignatures(catalogue)
  }
  const tellSignatures = async (catalogue: Catalogue): Promise<void> => {
    const table = await signatureTable(catalogue.signatures, createSlices())
    // Others may have come in the meantime, and may be told already.
    if (inputs.get('signatures')?.[0] === catalogue) tellNews({ signatures: table })
  }
  userSessions.onEvents((events) => {
    for (const { session, end } of events) {
      const { address, userId, id } = session
      if (end === null) present.set(address, { userId, session: id })
      else if (present.get(address)?.userId === userId) present.delete(address)
    }
    tellPeople(events.map(({ session }) => session.address))
  })
  const begin = (): void => {
    inputs.clear()
    told.clear()
    look()
  }
  const timer = setInterval(look, lookMilliseconds)
  timer.unref()
  return { begin, look, stop: () => clearInterval(timer) }
}

const isSame = (a: Person | null, b: Person | null): boolean =>
  (['login', 'name', 'group', 'id', 'session'] as const).every((field) => a?.[field] === b?.[field])

interface Presence {
  readonly userId: string
  readonly session: string
}

function personIn(config: Config, presence: Presence | undefined): Person | null {
  const user = presence && findUser(config, presence.userId)
  if (!user) return null
  const group = findGroup(config, user.parent_id)?.name ?? ''
  return { login: user.login, name: user.name, group, id: presence.userId, session: presence.session }
}

/** By device: the zone of its interface, or the name of an interface without zone. */
function zonesOf(config: Config, facts: Facts): ReadonlyMap<string, string> {
  const titles = new Map(read(config, zones).map(({ id, title }) => [id, title]))
  const nameOf = ({ zone, title }: { readonly zone: string | null; readonly title: string }): string =>
    (zone === null ? undefined : titles.get(zone)) ?? title
  return new Map([
    ...read(config, tunnels).map((tunnel) => [tunnel.osdevname, nameOf(tunnel)] as const),
    ...read(config, connections).flatMap((connection) => {
      const device = deviceOf(facts, connection)
      return device === null ? [] : [[device, nameOf(connection)] as const]
    }),
  ])
}

/** What the translations depend on. */
const targetInputs = (config: Config, facts: Facts): readonly unknown[] => [
  ...[ruleSlots.dnat, ruleSlots.snat].map((slot) => read(config, slot)),
  read(config, ipAddresses),
  read(config, ipRanges),
  read(config, networks),
  read(config, connections),
  JSON.stringify(facts.leases),
  devicesIn(facts),
]

const devicesIn = ({ interfaces }: Facts): string => interfaces.map(({ name, mac }) => `${name} ${mac}`).join()

function translationsIn(config: Config, facts: Facts): Translations {
  const deviceAddresses = read(config, connections).flatMap((connection) => {
    const device = deviceOf(facts, connection)
    const [address] = addressesOf(facts, connection)
    return device === null || address === undefined ? [] : [[device, address.split('/')[0] ?? ''] as const]
  })
  return { ...translationsOf(config, facts), deviceAddresses: new Map(deviceAddresses) }
}
