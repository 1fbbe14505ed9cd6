// What objects mean: addresses, ports and times as numbers. Ten thousand rules ask here at every change, so results are
// remembered, and the same ids give the identical result while nothing behind them has changed. Pure.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, commonEnds, type Slot } from '../../core/model/slots.ts'
import type { AddressBook, Facts } from '../../core/plan/facts.ts'
import { scheduleRanges, type TimeSpan } from '../../domain/policy/schedule.ts'
import { type AddressList, changeAddresses, readAddresses, uniteAddresses } from '../../shared/net/address-list.ts'
import { everyAddress } from '../../shared/net/ipv4.ts'
import { noRanges, type Ranges, unite } from '../../shared/net/ranges.ts'
import {
  addressLists,
  countryLists,
  ipAddresses,
  ipAddressLists,
  ipRanges,
  networks,
  portLists,
  portRanges,
  ports,
  timeLists,
  timeRanges,
} from './config.ts'

const everyPort: Ranges = [0, 65_535]

/** IPv4 addresses of the objects together. What does not exist, or is not resolved yet, adds nothing. */
export const addressesOf = (config: Config, facts: Facts, ids: readonly string[]): Ranges =>
  addresses({ config, book: facts.addressBook }, ids)

/** Port numbers of the objects together. */
export const portsOf = (config: Config, ids: readonly string[]): Ranges => portNumbers({ config }, ids)

/** Unix seconds from facts.scheduleDay on; null means always. */
export const timesOf = (config: Config, facts: Facts, ids: readonly string[]): Ranges | null =>
  ids.length === 0 || ids.includes('any')
    ? null
    : times({ config, timeZone: facts.timeZone, day: facts.scheduleDay }, ids)

interface AddressWorld {
  readonly config: Config
  readonly book: AddressBook
}

const addressSlots = [ipAddresses, ipRanges, networks, addressLists, ipAddressLists, countryLists]

const addresses: Union<AddressWorld> = createUnion(
  ({ config, book }) => [book, ...valuesOf(config, addressSlots)],
  (world, id) => {
    const { config, book } = world
    switch (prefixOf(id)) {
      case 'any':
        return everyAddress
      case 'ip':
        return meaningOf(findIn(config, ipAddresses, id), ({ value }) => spansOf([value]))
      case 'ip_range':
        return meaningOf(findIn(config, ipRanges, id), ({ start, end }) => spansOf([`${start}-${end}`]))
      case 'subnet':
        return meaningOf(findIn(config, networks, id), ({ value }) => spansOf([value]))
      case 'ip_address_list':
        return meaningOf(findIn(config, ipAddressLists, id), listOf)
      case 'address_list':
        return addresses(world, findIn(config, addressLists, id)?.values ?? [])
      case 'list_of_iplists':
        return addresses(world, findIn(config, countryLists, id)?.values ?? [])
      default:
        return meaningOf(book.get(id), spansOf)
    }
  },
  uniteAddresses,
)

interface PortWorld {
  readonly config: Config
}

const portNumbers: Union<PortWorld> = createUnion(
  ({ config }) => valuesOf(config, [ports, portRanges, portLists]),
  (world, id) => {
    const { config } = world
    switch (prefixOf(id)) {
      case 'any':
        return everyPort
      case 'port':
        return meaningOf(findIn(config, ports, id), ({ value }) => [value, value])
      case 'port_range':
        return meaningOf(findIn(config, portRanges, id), ({ start, end }) => [start, end])
      case 'port_list':
        return portNumbers(world, findIn(config, portLists, id)?.values ?? [])
      default:
        return noRanges
    }
  },
)

interface TimeWorld {
  readonly config: Config
  readonly timeZone: string
  readonly day: number
}

const times: Union<TimeWorld> = createUnion(
  ({ config, timeZone, day }) => [timeZone, day, ...valuesOf(config, [timeRanges, timeLists])],
  (world, id) => {
    const { config } = world
    switch (prefixOf(id)) {
      case 'time_range':
        return scheduleOf(findIn(config, timeRanges, id), world)
      case 'time_list':
        return times(world, findIn(config, timeLists, id)?.values ?? [])
      default:
        return noRanges
    }
  },
)

const schedules = new WeakMap<TimeSpan, { timeZone: string; day: number; ranges: Ranges }>()

function scheduleOf(time: TimeSpan | undefined, { timeZone, day }: TimeWorld): Ranges {
  if (!time) return noRanges
  const known = schedules.get(time)
  if (known?.timeZone === timeZone && known.day === day) return known.ranges
  const ranges = scheduleRanges([time], timeZone, day)
  schedules.set(time, { timeZone, day, ranges })
  return ranges
}

const prefixOf = (id: string): string => {
  const end = id.indexOf('.')
  return end < 0 ? id : id.slice(0, end)
}

const valuesOf = (config: Config, slots: readonly Slot[]): unknown[] => slots.map((slot) => config[slot.key])

const spansOf = (texts: readonly string[]): Ranges => readAddresses(texts).ranges

interface StoredList {
  readonly id: string
  readonly values: readonly string[]
}

/** By the stored list, so that it is forgotten with it. */
const readLists = new WeakMap<StoredList, AddressList>()
/** The list of each id that was read last. */
const lastRead = new Map<string, WeakRef<StoredList>>()

/** Only the entries that differ from the last time are parsed. */
function listOf(list: StoredList): Ranges {
  const read = readChanged(list) ?? readAddresses(list.values)
  if (lastRead.size >= maxRemembered) lastRead.clear()
  lastRead.set(list.id, new WeakRef(list))
  readLists.set(list, read)
  return read.ranges
}

function readChanged({ id, values }: StoredList): AddressList | null {
  const last = lastRead.get(id)?.deref()
  const read = last && readLists.get(last)
  if (!read) return null
  const [head, tail] = commonEnds(last.values, values)
  if (head + tail < last.values.length / 2) return null
  const [removed = [], added] = [last.values, values].map((list) => list.slice(head, list.length - tail))
  return changeAddresses(read, removed, added ?? [])
}

const meanings = new WeakMap<object, Ranges>()

/** Ranges of a stored object or address book entry, once per immutable value. */
function meaningOf<T extends object>(value: T | undefined, turn: (value: T) => Ranges): Ranges {
  if (value === undefined) return noRanges
  const known = meanings.get(value)
  if (known) return known
  const ranges = turn(value)
  meanings.set(value, ranges)
  return ranges
}

/** What a list of ids means together. */
type Union<W> = (world: W, ids: readonly string[]) => Ranges

/** The last answer for one list of ids, and what it was made of. */
interface Answer {
  inputs: readonly unknown[]
  parts: readonly Ranges[]
  result: Ranges
}

/** Lists of ids that are remembered by their content; more than that and remembering starts again. */
const maxRemembered = 50_000

function createUnion<W>(
  inputsOf: (world: W) => readonly unknown[],
  one: (world: W, id: string) => Ranges,
  join: (parts: readonly Ranges[]) => Ranges = unite,
): Union<W> {
  const byList = new WeakMap<readonly string[], Answer>()
  const byContent = new Map<string, Answer>()

  const answerFor = (ids: readonly string[]): Answer => {
    const known = byList.get(ids)
    if (known) return known
    const content = ids.join(' ')
    if (byContent.size >= maxRemembered) byContent.clear()
    const answer = byContent.get(content) ?? { inputs: [], parts: [], result: noRanges }
    byContent.set(content, answer)
    byList.set(ids, answer)
    return answer
  }

  return (world: W, ids: readonly string[]): Ranges => {
    const [first, second] = ids
    if (first === undefined) return noRanges
    if (second === undefined) return one(world, first)
    const answer = answerFor(ids)
    const inputs = inputsOf(world)
    if (isSame(answer.inputs, inputs)) return answer.result
    const parts = ids.map((id) => one(world, id))
    if (!isSame(answer.parts, parts)) answer.result = join(parts)
    answer.parts = parts
    answer.inputs = inputs
    return answer.result
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index])
