// Tells the reader of firewall hits what packets do not say: who is at an address, zones, countries, and what rules translate to.
// Only what changed is sent.

import type { Services } from '../../http/handle.ts'
import type { HitNews, Person, Translations } from '../../logs/hit-news.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import { ruleSlots, translationsOf } from '../firewall/public.ts'
import { addressesOf, connections, deviceOf, tunnels, zones } from '../network/public.ts'
import { countryName, ipAddresses, ipRanges, networks } from '../objects/public.ts'
import { findGroup, findUser, groups, users } from '../users/public.ts'

export interface HitTeller {
  /** Call when the reader begins: it knows nothing yet. */
  begin(): void
  /** Call when the configuration, the machine or the country database can be another one. */
  look(): void
  stop(): void
}

const lookMilliseconds = 15_000

type Parts = Pick<Services, 'clock' | 'countries' | 'engine' | 'facts' | 'userSessions'>

export function tellHitReader(services: Parts, tell: (news: HitNews) => void): HitTeller {
  const { clock, countries, engine, facts, userSessions } = services
  /** Users by address or network. */
  const present = new Map(userSessions.list().map(({ address, userId }) => [address, userId]))
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
  }
  userSessions.onEvents((events) => {
    for (const { session, end } of events) {
      const { address, userId } = session
      if (end === null) present.set(address, userId)
      else if (present.get(address) === userId) present.delete(address)
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
  a?.login === b?.login && a?.name === b?.name && a?.group === b?.group

function personIn(config: Config, userId: string | undefined): Person | null {
  const user = userId === undefined ? undefined : findUser(config, userId)
  if (!user) return null
  return { login: user.login, name: user.name, group: findGroup(config, user.parent_id)?.name ?? '' }
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
  ...[read(config, ipAddresses), read(config, ipRanges), read(config, networks), read(config, connections)],
  ...[JSON.stringify(facts.leases), devicesIn(facts)],
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
