// The numbers of rules for people, read from the tables that a page mentions.

import type { Endpoint } from '@gateway/server/contract'
import { useMemo } from 'react'
import { type NumberedTable, type NumberOf, numbersOf } from '../util/rule-numbers.ts'
import { readAt } from './call.ts'
import { useRead } from './reads.ts'
import { useSession } from './session.ts'

const listOf = (table: NumberedTable): Endpoint => readAt(`/firewall/rules/${table}`)

const lists = {
  forward: listOf('forward'),
  input: listOf('input'),
  dnat: listOf('dnat'),
  snat: listOf('snat'),
  log: listOf('log'),
}

/** Of these tables; nothing is asked for the others. */
export function useRuleNumbers(tables: readonly NumberedTable[]): NumberOf {
  const { may } = useSession()
  const isAsked = (table: NumberedTable) => ({ isEnabled: may('view') && tables.includes(table) })
  const forward = useRead(lists.forward, isAsked('forward')).data
  const input = useRead(lists.input, isAsked('input')).data
  const dnat = useRead(lists.dnat, isAsked('dnat')).data
  const snat = useRead(lists.snat, isAsked('snat')).data
  const log = useRead(lists.log, isAsked('log')).data
  return useMemo(() => {
    const read = Object.entries({ forward, input, dnat, snat, log })
    return numbersOf(
      new Map(
        read.flatMap(([table, reply]) =>
          reply ? [[table as NumberedTable, reply.data as readonly { readonly id: number }[]] as const] : [],
        ),
      ),
    )
  }, [forward, input, dnat, snat, log])
}
