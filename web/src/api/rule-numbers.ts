// The numbers of rules for people, read from the tables that a page mentions.

import { dnatRules, forwardRules, inputRules, logRules, snatRules } from '@gateway/server/contract/firewall'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type NumberedTable, type NumberOf, numbersOf } from '../util/rule-numbers.ts'
import { call } from './call.ts'
import { keyOf } from './reads.ts'
import { useSession } from './session.ts'

const lists = {
  forward: forwardRules.list,
  input: inputRules.list,
  dnat: dnatRules.list,
  snat: snatRules.list,
  log: logRules.list,
} as const

/** Of these tables; nothing is asked for the others. */
export function useRuleNumbers(tables: readonly NumberedTable[]): NumberOf {
  const { may } = useSession()
  const asked = may('view') ? tables : []
  const answers = useQueries({
    queries: asked.map((table) => {
      const list = lists[table] as typeof forwardRules.list
      return {
        queryKey: keyOf(list),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call(list, { signal, isBackground: true }),
        staleTime: 10_000,
      }
    }),
  })
  const key = `${asked.join()} ${answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join()}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the answers
  return useMemo(
    () =>
      numbersOf(
        new Map(answers.flatMap(({ data }, at) => (data ? [[asked[at] as NumberedTable, data.data] as const] : []))),
      ),
    [key],
  )
}
