// The rules of the central console around the own ones: bands that say how many, what they do, and where they are written.

import type { Band } from '../../../ui/grid/types.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Link } from '../../../ui/link.tsx'
import { Popover } from '../../../ui/popover.tsx'
import type { ObjectIndex } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import styles from './around.module.css'
import { ruleSentence } from './rows.ts'
import type { Rule, RuleTable } from './tables.ts'
import type { Around } from './use-rule-table.ts'

export function aroundBands(
  around: Around | null,
  table: RuleTable,
  count: number,
  index: ObjectIndex,
): readonly Band[] {
  if (around === null) return []
  const { before, after } = around
  return [
    ...(before.length > 0
      ? [{ beforeIndex: 0, content: <AroundBand rules={before} place="before" table={table} index={index} /> }]
      : []),
    ...(after.length > 0
      ? [{ beforeIndex: count, content: <AroundBand rules={after} place="after" table={table} index={index} /> }]
      : []),
  ]
}

interface AroundBandProps {
  readonly rules: readonly Rule[]
  readonly place: 'before' | 'after'
  readonly table: RuleTable
  readonly index: ObjectIndex
}

const mostShown = 100

function AroundBand({ rules, place, table, index }: AroundBandProps) {
  const words =
    place === 'before'
      ? t('{count, plural, one {# rule} other {# rules}} of the central console before (read only)', {
          count: rules.length,
        })
      : t('{count, plural, one {# rule} other {# rules}} of the central console after (read only)', {
          count: rules.length,
        })
  return (
    <span className={styles.band}>
      <Icon name="central" size={14} />
      <Popover
        label={words}
        trigger={
          <button type="button" className={styles.words}>
            {words}
          </button>
        }
      >
        <ol className={styles.list}>
          {rules.slice(0, mostShown).map((rule) => (
            <li key={rule.id}>
              <span className={styles.id}>{rule.id}</span> {ruleSentence(rule, index)}
            </li>
          ))}
        </ol>
      </Popover>
      <Link to={`system/console/${table.name}-${place}`}>{t('Open')}</Link>
    </span>
  )
}
