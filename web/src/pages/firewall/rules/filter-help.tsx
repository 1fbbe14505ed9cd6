// What can be written in the filter, as a small menu that writes the usual terms.

import { IconButton } from '../../../ui/icon-button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { msg, t } from '../../../words.ts'
import { filterFields } from './filter.ts'
import styles from './filter-help.module.css'

const usual: readonly (readonly [term: string, words: string])[] = [
  ['is:off', msg('Switched off')],
  ['is:unhit', msg('Without hits')],
  ['is:shadowed', msg('Shadowed')],
  ['is:marked', msg('With a mark of hygiene')],
  ['action:drop', msg('Drop')],
]

export function FilterHelp({ onPick }: { readonly onPick: (term: string) => void }) {
  return (
    <Popover
      label={t('What can be filtered')}
      align="end"
      trigger={<IconButton icon="filter" label={t('What can be filtered')} />}
    >
      <div className={styles.help}>
        <div className={styles.usual}>
          {usual.map(([term, words]) => (
            <button key={term} type="button" className={styles.pick} onClick={() => onPick(term)}>
              {t(words)}
            </button>
          ))}
        </div>
        <dl className={styles.fields}>
          {Object.entries(filterFields).map(([field, words]) => (
            <div key={field} className={styles.field}>
              <dt>{field}:</dt>
              <dd>{t(words)}</dd>
            </div>
          ))}
        </dl>
        <p className={styles.hint}>{t('A dash in front excludes, quotes hold words together: -comment:"old app"')}</p>
      </div>
    </Popover>
  )
}
