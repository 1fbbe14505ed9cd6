// The lists of objects, one for each kind: what must hold of an object beyond the form of its fields, and what it names.

import { invalid, type Problem } from '../../core/contract/error.ts'
import { declareList, type ListDeclaration, names } from '../../core/model/declarations.ts'
import type { ListSlot } from '../../core/model/slots.ts'
import { parseMoment } from '../../domain/policy/schedule.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { zoneList } from '../network/public.ts'
import {
  addressLists,
  countryLists,
  domains,
  findObject,
  ipAddresses,
  ipAddressLists,
  ipRanges,
  kindOfSlot,
  networks,
  portLists,
  portRanges,
  ports,
  type StoredList,
  type StoredObject,
  timeLists,
  timeRanges,
} from './config.ts'
import { isCountry } from './known.ts'

const common = <T extends StoredObject>(slot: ListSlot<T>) => {
  const { prefix, noun } = kindOfSlot(slot)
  return {
    slot,
    noun,
    ids: { kind: 'prefixed', prefix },
    nameOf: ({ title }: StoredObject) => `${noun} "${title}"`,
    defaults: { comment: '' },
  } as const
}

/** Bodies may say `value` for `values`. */
const withValues = <T extends StoredList>(slot: ListSlot<T>) => ({
  ...common(slot),
  fieldsOf: valuesOf,
  problemsOf: (_: unknown, { values }: Partial<StoredList>): Problem[] =>
    values === undefined ? [{ field: 'values', message: say`This field is missing.` }] : [],
})

function valuesOf(body: { readonly value?: unknown; readonly values?: unknown }): object {
  if (!('value' in body)) return body
  if ('values' in body) throw invalid('value', say`Send either values or value, not both: they mean the same.`)
  const { value, ...rest } = body
  return { ...rest, values: value }
}

/** A list whose members are objects of these kinds. */
const withMembers = <T extends StoredList>(slot: ListSlot<T>, kinds: readonly ListSlot[]) =>
  declareList<T>({
    ...withValues(slot),
    references: [
      names<StoredList>('values', {
        prefixes: kinds.map((kind) => `${kindOfSlot(kind).prefix}.`),
        slots: kinds,
        faultOf: (config, id) => (findObject(config, id) ? null : unknownObject(id)),
      }),
    ],
  })

const unknownObject = (id: string): SaidText => say`There is no object with the id ${id}.`

const ipRangeList = declareList({
  ...common(ipRanges),
  problemsOf: (_, { start, end }) =>
    (parseAddress(start) ?? 0) <= (parseAddress(end) ?? 0)
      ? []
      : [{ field: 'end', message: say`The last address must not come before the first one.` }],
})

const portRangeList = declareList({
  ...common(portRanges),
  problemsOf: (_, { start, end }) =>
    start <= end ? [] : [{ field: 'end', message: say`The last port must not come before the first one.` }],
})

const timeRangeList = declareList({
  ...common(timeRanges),
  defaults: { comment: '', period: null },
  problemsOf: (_, { period }) => (period ? periodProblems(period) : []),
})

function periodProblems({ first, last }: { readonly first: number; readonly last: number }): readonly Problem[] {
  const unreal = Object.entries({ first, last }).filter(([, stamp]) => parseMoment(stamp) === null)
  if (unreal.length > 0) {
    return unreal.map(([name]) => ({
      field: `period.${name}`,
      message: say`This day or time does not exist. Write YYYYMMDDhhmmss, such as 20260215000000.`,
    }))
  }
  return first <= last ? [] : [{ field: 'period.last', message: say`The period must not end before it begins.` }]
}

const countryListList = declareList({
  ...withValues(countryLists),
  references: [
    names('values', { prefixes: ['iplist.'], faultOf: (_, id) => (isCountry(id) ? null : unknownObject(id)) }),
  ],
})

/** Lists that can be long, whose values can be changed one by one. */
export const valueLists: readonly ListDeclaration<StoredList>[] = [
  withMembers(addressLists, [ipAddresses, ipRanges, networks, domains]),
  declareList(withValues(ipAddressLists)),
]

export const ipAddressObjects = declareList(common(ipAddresses))

/** In the order in which objects are listed. */
export const objectLists: readonly ListDeclaration<StoredObject>[] = [
  ipAddressObjects,
  ipRangeList,
  declareList(common(networks)),
  declareList(common(domains)),
  declareList(common(ports)),
  portRangeList,
  timeRangeList,
  ...valueLists,
  withMembers(portLists, [ports, portRanges]),
  withMembers(timeLists, [timeRanges]),
  zoneList,
  countryListList,
]

/** Zones belong to the network, which declares them. */
export const ownLists = objectLists.filter((list) => list !== zoneList)
