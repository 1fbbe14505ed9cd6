// What the reader of firewall hits knows beyond the packets: users, zones, countries and what rules translate to. It is sent to
// the thread that reads hits whenever it changes; a hit gets what was true at its time.

import type {
  ChannelNames,
  CountryTable,
  DnatTarget,
  HitNews,
  NamedProfile,
  Person,
  SignatureTable,
  Span,
  Translations,
} from '../../../domain/logs/hit-news.ts'
import { noNumber } from '../../../domain/logs/kinds.ts'
import { parseAddress, parseNetwork, printAddress } from '../../../shared/net/ipv4.ts'

interface Country {
  readonly code: string
  readonly name: string
}

interface Presence {
  readonly person: Person | null
  readonly since: number
  readonly before: Person | null
}

const noCountry: Country = { code: '', name: '' }
/** People who left are forgotten after this time: hits are read within seconds. */
const rememberedMicroseconds = 60_000_000

export class HitKnowledge {
  readonly #hosts = new Map<string, Presence>()
  readonly #networks = new Map<string, Presence & { readonly low: number; readonly high: number }>()
  /** Who left, oldest first. */
  readonly #left: (readonly [place: string, time: number])[] = []
  #zones: ReadonlyMap<string, string> = new Map()
  #countries: CountryTable | null = null
  #translations: Translations = { dnat: new Map(), snat: new Map(), deviceAddresses: new Map() }

  #channels: ReadonlyMap<number, ChannelNames> = new Map()
  #applications: ReadonlyMap<number, NamedProfile> = new Map()
  #signatures: SignatureTable | null = null

  learn({ time, zones, people, countries, translations, channels, applications, signatures }: HitNews): void {
    if (channels) this.#channels = channels
    if (applications) this.#applications = applications
    if (signatures) this.#signatures = signatures
    if (zones) this.#zones = zones
    if (countries !== undefined) this.#countries = countries
    if (translations) this.#translations = translations
    for (const [place, person] of people ?? []) this.#place(place, person, time)
    this.#forget(time)
  }

  zoneOf(device: string): string {
    return this.#zones.get(device) ?? device
  }

  personAt(host: string, time: number): Person | null {
    const own = this.#hosts.get(host)
    const known = own && presentAt(own, time)
    if (known || this.#networks.size === 0) return known ?? null
    const number = parseAddress(host)
    if (number === null) return null
    for (const network of this.#networks.values())
      if (network.low <= number && number <= network.high) return presentAt(network, time)
    return null
  }

  countryOf(address: string): Country {
    const table = this.#countries
    const number = table === null ? null : parseAddress(address)
    if (table === null || number === null) return noCountry
    let [from, to] = [0, table.lows.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (number < (table.lows[middle] ?? 0)) to = middle
      else if (number > (table.highs[middle] ?? 0)) from = middle + 1
      else {
        const which = table.which[middle] ?? -1
        return { code: table.codes[which] ?? '', name: table.names[which] ?? '' }
      }
    }
    return noCountry
  }

  channelOf(number: number): ChannelNames | undefined {
    return this.#channels.get(number)
  }

  applicationOf(number: number): NamedProfile | undefined {
    return this.#applications.get(number)
  }

  /** Empty words for a signature that is not known. */
  signatureOf(sid: number): { readonly classtype: string; readonly tactic: string } {
    const table = this.#signatures
    let [from, to] = [0, table?.sids.length ?? 0]
    while (table && from < to) {
      const middle = (from + to) >>> 1
      const known = table.sids[middle] ?? 0
      if (known === sid) {
        const word = (which: Uint16Array): string => table.words[which[middle] ?? 0] ?? ''
        return { classtype: word(table.classtypes), tactic: word(table.tactics) }
      }
      if (known < sid) from = middle + 1
      else to = middle
    }
    return { classtype: '', tactic: '' }
  }

  /** Undefined for a rule that is not known. */
  dnatTarget(rule: string): DnatTarget | undefined {
    return this.#translations.dnat.get(rule)
  }

  /** Can a hit of an SNAT rule follow that of a filter rule? */
  get hasSnat(): boolean {
    return this.#translations.snat.size > 0
  }

  /** Empty when it is not known: the rule is gone, or it chooses from several addresses. */
  snatAddress(rule: string, device: string): string {
    const { snat, deviceAddresses } = this.#translations
    const span = snat.get(rule)
    if (span === null) return deviceAddresses.get(device) ?? ''
    return span === undefined ? '' : oneOf(span)
  }

  #place(place: string, person: Person | null, time: number): void {
    const network = place.includes('/') ? parseNetwork(place) : null
    const known = network ? this.#networks.get(place) : this.#hosts.get(place)
    const presence = { person, since: time, before: known?.person ?? null }
    if (network) this.#networks.set(place, { ...presence, low: network.low, high: network.high })
    else this.#hosts.set(place, presence)
    if (person === null) this.#left.push([place, time])
  }

  #forget(now: number): void {
    const isRecent = ([, time]: readonly [string, number]): boolean => time >= now - rememberedMicroseconds
    const kept = this.#left.findIndex(isRecent)
    for (const [place, time] of this.#left.splice(0, kept < 0 ? this.#left.length : kept))
      for (const places of [this.#hosts, this.#networks]) if (places.get(place)?.since === time) places.delete(place)
  }
}

/** The first packets of a host can be older than what is known of it. */
const presentAt = ({ person, since, before }: Presence, time: number): Person | null =>
  time >= since ? person : (before ?? person)

const oneOf = ([low, high]: Span): string => (low === high ? printAddress(low) : '')

/** Where a rule sends this destination, as far as that is known without the packet behind it. */
export function translated(
  target: DnatTarget,
  address: string,
  port: number,
): { readonly ip: string; readonly port: number } {
  const ip = target.addresses === null ? address : oneOf(target.addresses)
  if (target.ports === null || port === noNumber) return { ip, port }
  const [low, high] = target.ports
  return { ip, port: low === high ? low : port >= low && port <= high ? port : noNumber }
}

/** May a packet with this destination have been sent there by the rule? */
export function leadsTo(target: DnatTarget, address: string, port: number): boolean {
  const number = parseAddress(address)
  if (number === null) return false
  const { addresses, ports } = target
  if (addresses !== null && (number < addresses[0] || number > addresses[1])) return false
  return ports === null || port === noNumber || (port >= ports[0] && port <= ports[1])
}
