// The page of a collection or an ordered list: head with the state of the engine, actions of the page, and the grid.

import type { ReactNode } from 'react'
import { useEditing } from '../../api/editing.ts'
import type { PageEntry } from '../../page.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { t } from '../../words.ts'
import type { CollectionPage } from '../define.ts'
import { ActionButton } from './action-view.tsx'
import styles from './collection.module.css'
import { CollectionView } from './collection-view.tsx'
import { usePageOpener } from './opener.ts'
import { EngineBars, EngineMark, useEngine } from './page-status.tsx'
import { ReadView } from './read-view.tsx'

export const isAtOnce = (entry: PageEntry, confirmWithin: number | undefined): boolean =>
  entry.group !== 'policy' && entry.group !== 'network' && confirmWithin === undefined

export function CollectionPageView({
  page,
  entry,
}: {
  readonly page: CollectionPage
  readonly entry: PageEntry
}): ReactNode {
  const { collection } = page
  const opener = usePageOpener()
  const items = useEngine(page.status)
  return (
    <div className={styles.page}>
      <PageHead
        title={t(entry.title)}
        over={entry.section === entry.title ? null : t(entry.section)}
        status={<EngineMark items={items} />}
        lead={page.lead === undefined ? undefined : t(page.lead)}
      >
        {(page.actions ?? []).map((action) => (
          <ActionButton key={action.title} action={action} reads={[collection.endpoints.list]} />
        ))}
        <AddButton page={page} onAdd={() => opener.open('new')} />
      </PageHead>
      <div className={styles.bars}>
        <EngineBars items={items} />
        {page.notice ? <page.notice /> : null}
      </div>
      {(page.reads ?? []).map((read) => (
        <ReadView key={read.endpoint.path} read={read} around={{}} />
      ))}
      <CollectionView
        collection={collection}
        around={{}}
        opener={opener}
        name={entry.path}
        isAtOnce={isAtOnce(entry, page.confirmWithin)}
        label={t(entry.title)}
        hasOwnAdd
      />
    </div>
  )
}

interface AddButtonProps {
  readonly page: Pick<CollectionPage, 'collection'>
  readonly onAdd: () => void
}

export function AddButton({ page: { collection }, onAdd }: AddButtonProps): ReactNode {
  const { create } = collection.endpoints
  const { isAllowed, why } = useEditing(create?.access ?? 'configure')
  if (!create) return null
  return (
    <Button kind="primary" icon="add" keys="O" isDisabled={!isAllowed} why={why} onClick={onAdd}>
      {t('Add {item}', { item: t(collection.itemName) })}
    </Button>
  )
}
