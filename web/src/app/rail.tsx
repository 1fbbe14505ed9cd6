// The rail: nine groups with icon and word; the group of the open page shows its sections. Narrow screens show icons only.

import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'
import { pages } from '../pages/index.ts'
import { usePlace } from '../place.ts'
import { cx } from '../ui/cx.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { t } from '../words.ts'
import { Brand } from './brand.tsx'
import { groupIcons, groupTitles, type RailGroup, railOf } from './groups.ts'
import styles from './rail.module.css'

export function Rail({ isOpen, onOpened }: { readonly isOpen: boolean; readonly onOpened: () => void }): ReactNode {
  const { may, hostName } = useSession()
  const { path } = usePlace()
  const groups = railOf(pages, may)
  return (
    <nav className={cx(styles.rail, isOpen && styles.open)} aria-label={t('Pages')} data-region="rail" tabIndex={-1}>
      <Link to="" className={styles.brand} onClick={onOpened}>
        <Brand />
        <span className={styles.host}>{hostName || t('Gateway')}</span>
      </Link>
      <ul className={styles.groups}>
        {groups.map((group) => (
          <GroupItem key={group.group} group={group} path={path} onOpened={onOpened} />
        ))}
      </ul>
    </nav>
  )
}

interface GroupProps {
  readonly group: RailGroup
  readonly path: string
  readonly onOpened: () => void
}

function GroupItem({ group: { group, sections }, path, onOpened }: GroupProps): ReactNode {
  const isHere = sections.some(({ pages: inside }) => inside.some((page) => page.path === path))
  const first = sections[0]?.pages[0]
  if (!first) return null
  const title = t(groupTitles[group])
  return (
    <li className={cx(styles.group, isHere && styles.here)}>
      <Link to={first.path} className={styles.title} onClick={onOpened} label={title}>
        <Icon name={groupIcons[group]} />
        <span className={styles.word}>{title}</span>
      </Link>
      {isHere && sections.length > 1 ? (
        <ul className={styles.sections}>
          {sections.map(({ title: section, pages: inside }) => {
            const isCurrent = inside.some((page) => page.path === path)
            return (
              <li key={section}>
                <Link
                  to={inside[0]?.path ?? ''}
                  className={cx(styles.section, isCurrent && styles.current)}
                  isCurrent={isCurrent}
                  onClick={onOpened}
                >
                  {t(section)}
                </Link>
              </li>
            )
          })}
        </ul>
      ) : null}
    </li>
  )
}
