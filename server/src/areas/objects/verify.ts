// What must hold of an object beyond the form of its fields: ends after starts, real dates, members that exist.

import type { Problem } from '../../contract/error.ts'
import type { Config } from '../../model/slots.ts'
import { parseAddress } from '../../net/ipv4.ts'
import { parseMoment } from '../../policy/schedule.ts'
import type { StoredObject } from './config.ts'
import { isKnownObject } from './known.ts'

const maxProblems = 100

interface Values {
  readonly start?: string | number
  readonly end?: string | number
  readonly values?: readonly string[]
  readonly period?: { readonly first: number; readonly last: number } | null
}

/** `prefix` is the kind of the object; fields are named as in a body. */
export function verifyObject(config: Config, prefix: string, object: StoredObject & Values): readonly Problem[] {
  const { start = 0, end = 0, values = [], period } = object
  switch (prefix) {
    case 'ip_range':
      return (parseAddress(String(start)) ?? 0) <= (parseAddress(String(end)) ?? 0)
        ? []
        : [{ field: 'end', message: 'The last address must not come before the first one.' }]
    case 'port_range':
      return start <= end ? [] : [{ field: 'end', message: 'The last port must not come before the first one.' }]
    case 'time_range':
      return period ? verifyPeriod(period) : []
    case 'ip_address_list':
      return []
    default:
      return verifyMembers(config, values)
  }
}

function verifyPeriod({ first, last }: { readonly first: number; readonly last: number }): readonly Problem[] {
  const unreal = Object.entries({ first, last }).filter(([, stamp]) => parseMoment(stamp) === null)
  if (unreal.length > 0) {
    return unreal.map(([name]) => ({
      field: `period.${name}`,
      message: 'There is no such day or time; write YYYYMMDDhhmmss, such as 20260215000000.',
    }))
  }
  return first <= last ? [] : [{ field: 'period.last', message: 'The period must not end before it begins.' }]
}

const verifyMembers = (config: Config, values: readonly string[]): readonly Problem[] =>
  values
    .map((id, index) => ({ id, field: `values[${index}]` }))
    .filter(({ id }) => !isKnownObject(config, id))
    .slice(0, maxProblems)
    .map(({ id, field }) => ({ field, message: `There is no object with the id ${id}.` }))
