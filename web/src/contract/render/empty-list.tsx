// What a list without rows says: that nothing fits the filter, or how the first entry is made.

import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words.ts'
import type { Collection } from '../define.ts'
import styles from './collection.module.css'
import type { Opener } from './opener.ts'

interface EmptyListProps {
  readonly collection: Collection
  readonly opener: Opener
  readonly canAdd: boolean
  readonly why: string | undefined
  readonly isFiltered: boolean
}

export function EmptyList({ collection, opener, canAdd, why, isFiltered }: EmptyListProps): ReactNode {
  const { empty, endpoints, itemName } = collection
  if (isFiltered)
    return (
      <Empty
        title={t('Nothing fits')}
        action={<Button onClick={() => opener.setQuery('')}>{t('Remove the filter')}</Button>}
      />
    )
  return (
    <Empty
      title={t('No entries yet')}
      action={
        endpoints.create ? (
          <span className={styles.actions}>
            <Button icon="add" kind="primary" isDisabled={!canAdd} why={why} onClick={() => opener.open('new')}>
              {t('Add {item}', { item: t(itemName) })}
            </Button>
            {empty.example ? (
              <Button isDisabled={!canAdd} why={why} onClick={() => opener.open('new', { from: 'example' })}>
                {t('Begin with an example')}
              </Button>
            ) : null}
            {empty.to ? <Link to={empty.to.page}>{t(empty.to.label)}</Link> : null}
          </span>
        ) : undefined
      }
    >
      {t(empty.text)}
    </Empty>
  )
}
