// Which columns are shown, chosen by the person and kept in this browser.

import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Popover } from '../../ui/popover.tsx'
import { t } from '../../words.ts'
import type { ShownColumn } from '../columns.ts'
import styles from './collection.module.css'
import { columnTitle } from './grid-columns.tsx'
import type { ChosenColumns } from './use-chosen-columns.ts'

interface ColumnChoiceProps {
  readonly columns: readonly ShownColumn[]
  readonly chosen: ChosenColumns
}

export function ColumnChoice({ columns, chosen }: ColumnChoiceProps): ReactNode {
  return (
    <Popover
      label={t('Columns')}
      align="end"
      trigger={
        <Button kind="quiet" size="small" icon="columns">
          {t('Columns')}
        </Button>
      }
    >
      <div className={styles.columns}>
        {columns.map((column) => (
          <Checkbox
            key={column.id}
            label={columnTitle(column)}
            isOn={chosen.isShown(column.id)}
            isDisabled={chosen.shown.length === 1 && chosen.isShown(column.id)}
            onChange={(isOn) => chosen.choose(column.id, isOn)}
          />
        ))}
        <Button size="small" kind="quiet" onClick={chosen.reset}>
          {t('As usual')}
        </Button>
      </div>
    </Popover>
  )
}
