// The web traffic journal in the explorer, with the names of categories.

import { categories } from '@gateway/server/contract/content-filter'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import type { HandPage } from '../../page.ts'
import { LogExplorer } from './explorer.tsx'
import { webLogSource } from './source-web.ts'

export function WebJournal(): ReactNode {
  const { may } = useSession()
  const { data } = useRead(categories.list, { isEnabled: may('view') })
  const source = useMemo(() => {
    const names = new Map(data?.data.map(({ id, name }) => [id, name]))
    return webLogSource((id) => names.get(id) ?? id)
  }, [data])
  return <LogExplorer source={source} />
}

export const page: HandPage = { kind: 'hand', Component: WebJournal }
