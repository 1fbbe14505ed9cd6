// Ids of items that an earlier call of the same change creates: the body of a call has null at a place, and beside it is which
// call's item belongs there. Text of a body is never read as a reference. Pure.

import { say } from '../../shared/said.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError, type Problem } from '../contract/error.ts'

/** The id of what call `of` creates goes to the place `into` of the body. */
export interface IdOfCall {
  readonly into: string
  readonly of: number
}

interface CallWithIds {
  readonly index: number
  readonly endpoint: Endpoint
  readonly call: { readonly body?: unknown; readonly ids?: readonly IdOfCall[] }
}

export const idsOf = ({ call }: Pick<CallWithIds, 'call'>): readonly IdOfCall[] => call.ids ?? []

const refusedIds = ({ index }: CallWithIds, problems: readonly Problem[]): GatewayError =>
  new GatewayError('invalid', say`calls[${index}]: ${problems[0]?.message}`, {
    problems: problems.map(({ field, message }) => ({ field: `calls[${index}].ids${field}`, message })),
  })

/** Everything that can be said about the ids before the first call is made. */
export function checkIds(one: CallWithIds, all: readonly { readonly endpoint: Endpoint }[]): void {
  const problems: Problem[] = []
  const places = new Set<string>()
  for (const [at, { into, of }] of idsOf(one).entries()) {
    const creating = of < one.index ? all[of]?.endpoint : undefined
    if (!creating || !givesId(creating))
      problems.push({ field: `[${at}].of`, message: say`Must be the number of an earlier call that creates an item.` })
    if (places.has(into)) problems.push({ field: `[${at}].into`, message: say`Duplicate entry.` })
    places.add(into)
    if (printPlace(stepsTo(into)) !== into)
      problems.push({ field: `[${at}].into`, message: say`Not a place of a body, such as source_addresses[0].` })
    else if (valueAt(one.call.body, stepsTo(into)) !== null)
      problems.push({ field: `[${at}].into`, message: say`The body must have null at this place.` })
  }
  if (problems.length > 0) throw refusedIds(one, problems)
}

const givesId = ({ method, reply }: Endpoint): boolean => {
  const fields = (reply as { readonly properties?: object } | null)?.properties
  return method === 'POST' && fields !== undefined && Object.hasOwn(fields, 'id')
}

/** `a.b[2]` as `['a', 'b', 2]`. */
const stepsTo = (place: string): readonly (string | number)[] =>
  [...place.matchAll(/[^.[\]]+/g)].map(([step], at) => (at > 0 && /^\d+$/.test(step) ? Number(step) : step))

const printPlace = (steps: readonly (string | number)[]): string =>
  steps.map((step, at) => (typeof step === 'number' ? `[${step}]` : at > 0 ? `.${step}` : step)).join('')

function valueAt(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number'))
    return undefined
  return Object.hasOwn(value, step) ? valueAt((value as Record<string | number, unknown>)[step], rest) : undefined
}

/** A copy of the body with the ids at their places. */
export function bodyWithIds(one: CallWithIds, results: readonly unknown[]): unknown {
  const ids = idsOf(one)
  if (ids.length === 0) return one.call.body
  const body = structuredClone(one.call.body)
  for (const [at, { into, of }] of ids.entries()) {
    const id = idIn(results[of])
    if (id === undefined) throw refusedIds(one, [{ field: `[${at}].of`, message: say`That call creates no item.` }])
    const steps = stepsTo(into)
    const holder = valueAt(body, steps.slice(0, -1)) as Record<string | number, unknown>
    holder[steps.at(-1) as string | number] = id
  }
  return body
}

function idIn(result: unknown): string | number | undefined {
  if (typeof result !== 'object' || result === null || !Object.hasOwn(result, 'id')) return undefined
  const { id } = result as { readonly id: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Whether the calls got other ids than those that are in the bodies of the calls behind them. */
export const hasOtherIds = (
  calls: readonly Pick<CallWithIds, 'call'>[],
  before: readonly unknown[],
  now: readonly unknown[],
): boolean => calls.some((one) => idsOf(one).some(({ of }) => idIn(before[of]) !== idIn(now[of])))
