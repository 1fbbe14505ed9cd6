// What can be done to the chosen rows together.

import type { ReactNode } from 'react'
import { useEditing } from '../../api/editing.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import { changeEndpoint, itemFields } from '../plan.ts'
import styles from './collection.module.css'

interface BulkBarProps {
  readonly collection: Collection
  readonly rows: readonly Item[]
  readonly onEnable: (field: string, isOn: boolean) => void
  readonly onRemove: () => void
  readonly onMove: (() => void) | undefined
  readonly onClear: () => void
  /** Actions of the page that take several rows. */
  readonly actions: ReactNode
}

export function BulkBar({ collection, rows, onEnable, onRemove, onMove, onClear, actions }: BulkBarProps): ReactNode {
  const { remove } = collection.endpoints
  const change = changeEndpoint(collection)
  const mayChange = useEditing(change?.access ?? 'configure')
  const mayRemove = useEditing(remove?.access ?? 'configure')
  const hasSwitch =
    change !== undefined &&
    itemFields(collection, false).some(({ name, kind }) => name === 'enabled' && kind === 'switch')
  return (
    <Bar
      tone="accent"
      actions={
        <span className={styles.actions}>
          {hasSwitch ? (
            <>
              <Button
                size="small"
                isDisabled={!mayChange.isAllowed}
                why={mayChange.why}
                onClick={() => onEnable('enabled', true)}
              >
                {t('Switch on')}
              </Button>
              <Button
                size="small"
                isDisabled={!mayChange.isAllowed}
                why={mayChange.why}
                onClick={() => onEnable('enabled', false)}
              >
                {t('Switch off')}
              </Button>
            </>
          ) : null}
          {onMove ? (
            <Button size="small" icon="move" keys="M" onClick={onMove}>
              {t('Move to …')}
            </Button>
          ) : null}
          {actions}
          {remove ? (
            <Button
              size="small"
              icon="remove"
              keys="Del"
              isDisabled={!mayRemove.isAllowed}
              why={mayRemove.why}
              onClick={onRemove}
            >
              {t('Remove')}
            </Button>
          ) : null}
          <Button size="small" kind="quiet" onClick={onClear}>
            {t('Clear the choice')}
          </Button>
        </span>
      }
    >
      {t('{count, plural, one {# entry is chosen} other {# entries are chosen}}', { count: rows.length })}
    </Bar>
  )
}
