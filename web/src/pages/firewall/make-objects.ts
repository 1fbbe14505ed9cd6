// Objects that rules ask for by an address or a port are made in the same change as the rules: nothing is stored before Apply, and
// a review that is left leaves nothing behind. Pure.

import type { Endpoint } from '@gateway/server/contract'
import {
  ipAddressEndpoints,
  ipRangeEndpoints,
  listAll,
  networkEndpoints,
  portEndpoints,
  portRangeEndpoints,
} from '@gateway/server/contract/objects'
import type { IdOfCall, PlannedCall } from '../../api/change.ts'
import type { Problem } from '../../api/failure.ts'
import { bodyOfMissing, type MissingObject, missingOf } from './rules/exchange.ts'
import { kindsOfField, listFields } from './rules/tables.ts'

const endpoints = {
  ip: ipAddressEndpoints,
  ip_range: ipRangeEndpoints,
  subnet: networkEndpoints,
  port: portEndpoints,
  port_range: portRangeEndpoints,
} as const

export interface WithObjects {
  /** First the objects, then the rules that name them. */
  readonly calls: readonly PlannedCall[]
  /** How many of the calls make objects. */
  readonly made: number
  /** What is read again for the objects. */
  readonly reads: readonly Endpoint[]
}

const keyOf = ({ kind, text }: MissingObject): string => `${kind} ${text}`

/** Calls of rules whose lists may hold addresses and ports as they were written. */
export function withObjects(rules: readonly PlannedCall[]): WithObjects {
  const missing = new Map<string, { readonly at: number; readonly object: MissingObject }>()
  const filled = rules.map((rule): PlannedCall => {
    const ids: IdOfCall[] = []
    const body: Record<string, unknown> = { ...(rule.body as object) }
    for (const field of listFields) {
      const values = body[field]
      if (!Array.isArray(values)) continue
      body[field] = [...new Set(values)].map((value: string, place) => {
        const object = missingOf(value, kindsOfField[field] ?? [])
        if (object === null) return value
        const known = missing.get(keyOf(object)) ?? { at: missing.size, object }
        missing.set(keyOf(object), known)
        ids.push({ into: `${field}[${place}]`, of: known.at })
        return null
      })
    }
    return ids.length === 0 ? rule : { ...rule, body, ids }
  })
  const objects = [...missing.values()].map(({ object }) => object)
  return {
    calls: [...objects.map((one) => ({ endpoint: endpoints[one.kind].create, body: bodyOfMissing(one) })), ...filled],
    made: objects.length,
    reads: objects.length === 0 ? [] : [listAll, ...new Set(objects.map(({ kind }) => endpoints[kind].list))],
  }
}

/** Refusals of one call among several, as if it had been sent by itself; those of other calls keep their place. */
export function problemsOfCall(problems: readonly Problem[], at: number): readonly Problem[] {
  const own = `calls[${at}].body`
  return problems.map((problem) =>
    problem.field.startsWith(`${own}.`) ? { ...problem, field: problem.field.slice(own.length + 1) } : problem,
  )
}
