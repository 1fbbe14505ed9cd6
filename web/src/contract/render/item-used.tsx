// What uses one item, each with a link to where it is.

import type { Endpoint } from '@gateway/server/contract'
import type { ReactNode } from 'react'
import { readAt } from '../../api/call.ts'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { renumber, tablesIn } from '../../util/rule-numbers.ts'
import { t } from '../../words.ts'
import type { Item } from '../define.ts'
import { rowsIn } from '../plan.ts'
import { labelOf } from '../words.ts'
import styles from './collection.module.css'
import { linkOfStored } from './stored-link.ts'

/** How many things use an item; undefined while it is not known. */
export function useUses(endpoint: Endpoint | undefined, id: string): readonly Item[] | undefined {
  const params = Object.fromEntries((endpoint?.params ?? []).map((name) => [name, id]))
  const read = useRead(endpoint ?? none, { params, isEnabled: endpoint !== undefined && id !== '' })
  return read.data ? rowsIn(read.data.data, undefined) : undefined
}

const none = readAt('')

export function ItemUses({ endpoint, id }: { readonly endpoint: Endpoint; readonly id: string }): ReactNode {
  const params = Object.fromEntries(endpoint.params.map((name) => [name, id]))
  const read = useRead(endpoint, { params })
  const numberOf = useRuleNumbers(
    tablesIn((read.data ? rowsIn(read.data.data, undefined) : []).map(({ object }) => String(object ?? ''))),
  )
  if (read.error) return <ProblemBox failure={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton lines={3} />
  const uses = rowsIn(read.data.data, undefined)
  if (uses.length === 0)
    return <Empty title={t('Nothing uses it.')}>{t('It can be removed without consequences.')}</Empty>
  return (
    <ul className={styles.used}>
      {uses.map((use) => {
        const link = linkOfStored(String(use.object ?? ''))
        const title = renumber(String(use.title ?? use.name ?? use.object ?? ''), numberOf)
        return (
          <li key={`${String(use.object)} ${String(use.field)}`}>
            {link ? (
              <Link to={link.path}>
                <PlainText text={title} />
              </Link>
            ) : (
              <PlainText text={title} />
            )}
            {use.field ? <span className={styles.faint}> {t(labelOf(String(use.field)))}</span> : null}
          </li>
        )
      })}
    </ul>
  )
}
