// The columns of a list of objects.

import { usePlace } from '../../place.ts'
import type { Column } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { kindOfId } from '../../util/objects.ts'
import { t } from '../../words.ts'
import { kindById } from './kinds.ts'
import styles from './page.module.css'
import type { ObjectRow } from './rows.ts'

export function objectColumns(isCounted: boolean, hasKinds: boolean): readonly Column<ObjectRow>[] {
  return [
    {
      id: 'title',
      title: t('Name'),
      width: 260,
      isSticky: true,
      text: ({ object }) => object.title,
      cell: ({ object, key }) => (
        <span className={styles.name}>
          <Icon name={kindById.get(kindOfId(key))?.icon ?? 'country'} size={14} />
          <PlainText text={object.title} limit={80} />
        </span>
      ),
    },
    ...(hasKinds
      ? [
          {
            id: 'kind',
            title: t('Kind'),
            width: 150,
            text: ({ key }: ObjectRow) => kindWord(key),
            cell: ({ key }: ObjectRow) => <span className={styles.quiet}>{kindWord(key)}</span>,
          },
        ]
      : []),
    {
      id: 'value',
      title: t('Stands for'),
      width: 250,
      text: ({ value }) => value,
      cell: ({ object, value }) =>
        object.values === undefined ? (
          <PlainText text={value} limit={80} isMono />
        ) : (
          <span className={styles.quiet}>{value}</span>
        ),
    },
    {
      id: 'used',
      title: t('Used'),
      width: 84,
      isNumber: true,
      sort: (a, b) => a.uses - b.uses,
      cell: ({ key, uses, isFixed }) => <Uses id={key} count={uses} isCounted={isCounted && !isFixed} />,
    },
    {
      id: 'comment',
      title: t('Comment'),
      width: 'rest',
      text: ({ object }) => object.comment,
      cell: ({ object }) => (
        <span className={styles.quiet}>
          <PlainText text={object.comment} limit={255} />
        </span>
      ),
    },
  ]
}

const kindWord = (id: string): string => t(kindById.get(kindOfId(id))?.word ?? 'country')

function Uses({ id, count, isCounted }: { readonly id: string; readonly count: number; readonly isCounted: boolean }) {
  const { path, search } = usePlace()
  if (!isCounted) return null
  if (count === 0) return <span className={styles.unused}>{t('unused')}</span>
  return (
    <Link
      to={`${path}/${encodeURIComponent(id)}`}
      search={{ ...search, tab: 'used' }}
      label={t('Used {count} times', { count })}
    >
      {count}
    </Link>
  )
}
