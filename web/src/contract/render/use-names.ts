// The names of everything that fields refer to, for pickers and cells. Each list is read once and shared.

import type { Endpoint } from '@gateway/server/contract'
import { type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { addressOf, call, type Reply } from '../../api/call.ts'
import type { Failure } from '../../api/failure.ts'
import { t } from '../../words.ts'
import type { Choices, Item } from '../define.ts'
import { rowsIn } from '../plan.ts'
import { bareNumber, type Source, sourceOf, sourcesOf } from '../references.ts'
import { valueWord } from '../words.ts'

export interface Choice {
  readonly value: string
  readonly label: string
  readonly kind?: string
  readonly hint?: string
}

export interface Names {
  readonly nameOf: (id: string, kinds: readonly string[]) => string | null
  readonly choicesFor: (kinds: readonly string[]) => readonly Choice[]
  readonly rowsOf: (choices: Choices) => readonly Item[]
  readonly isLoading: boolean
}

type Query = UseQueryOptions<Reply<unknown>, Failure>

const queryOf = (source: Source): Query => ({
  queryKey: [source.path, source.path],
  queryFn: async ({ signal }) => call(await source.load(), { signal, isBackground: true }),
  staleTime: 15_000,
})

const choicesQuery = ({ endpoint }: Choices): Query => ({
  queryKey: [endpoint.path, addressOf(endpoint)],
  queryFn: ({ signal }) => call(endpoint as Endpoint, { signal, isBackground: true }),
  staleTime: 15_000,
})

export function useNames(kinds: readonly string[], others: readonly Choices[] = []): Names {
  const sources = sourcesOf(kinds)
  const kept = sources.map(queryOf)
  const keptPaths = new Set(sources.map(({ path }) => path))
  const asked = others.filter(({ endpoint }) => !keptPaths.has(endpoint.path))
  const results = useQueries({ queries: [...kept, ...asked.map(choicesQuery)] })
  const stamp = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp says whether something was read again
  return useMemo(() => {
    const rows = new Map<string, readonly unknown[]>()
    for (const [at, source] of sources.entries()) rows.set(source.path, rowsIn(results[at]?.data?.data, source.rowsIn))
    const replies = new Map<string, unknown>(sources.map(({ path }, at) => [path, results[at]?.data?.data]))
    for (const [at, { endpoint }] of asked.entries())
      replies.set(endpoint.path, results[sources.length + at]?.data?.data)
    const labels = new Map<string, string>()
    for (const source of sources)
      for (const row of rows.get(source.path) ?? []) labels.set(source.value(row as Item), source.label(row as Item))
    const own = new Map<string, string>()
    for (const choices of others)
      for (const row of rowsIn(replies.get(choices.endpoint.path), choices.rowsIn))
        own.set(String(choices.value(row)), choices.label(row))
    return {
      nameOf: (id, wanted) => {
        const label = labels.get(id) ?? own.get(id)
        if (label !== undefined) return label
        if (!/^\d+$/.test(id)) return null
        return wanted.map((kind) => labels.get(`${kind}.id.${id}`)).find((name) => name !== undefined) ?? null
      },
      choicesFor: (wanted) => wanted.flatMap((kind) => choicesOf(kind, rows)),
      rowsOf: (choices) => rowsIn(replies.get(choices.endpoint.path), choices.rowsIn),
      isLoading: results.some(({ isPending }) => isPending),
    }
  }, [stamp, kinds.join()])
}

function choicesOf(kind: string, rows: ReadonlyMap<string, readonly unknown[]>): Choice[] {
  const source = sourceOf(kind)
  if (!source) return []
  const fits = (rows.get(source.path) ?? []) as readonly Item[]
  return fits
    .filter((row) => source.holds?.(row, kind) ?? true)
    .map((row) => ({
      value: source.value(row),
      label: source.label(row),
      kind: t(valueWord(kind)),
      ...(source.hint ? { hint: source.hint(row) } : {}),
    }))
}

/** An id as a field of this type has it: whole, or its number alone. */
export const asValue = (id: string, isNumber: boolean): string | number | null => (isNumber ? bareNumber(id) : id)

/** The id of a choice that a value of a field stands for. */
export function asChoice(value: unknown, choices: readonly Choice[]): string {
  if (typeof value !== 'number') return String(value ?? '')
  return choices.find((choice) => bareNumber(choice.value) === value)?.value ?? String(value)
}
