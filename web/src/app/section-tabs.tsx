// Pages of one section beside each other. They are links, so each opens in a tab of the browser too.

import { type ReactNode, useEffect, useRef } from 'react'
import { useSession } from '../api/session.ts'
import { pages } from '../pages/index.ts'
import { usePlace } from '../place.ts'
import { cx } from '../ui/cx.ts'
import { Link } from '../ui/link.tsx'
import { t } from '../words.ts'
import { railOf, siblingsOf } from './groups.ts'
import styles from './section-tabs.module.css'

export function SectionTabs(): ReactNode {
  const { may } = useSession()
  const { path } = usePlace()
  const list = useRef<HTMLElement>(null)
  const siblings = siblingsOf(railOf(pages, may), path)
  useEffect(() => {
    if (path !== '')
      list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  if (siblings.length < 2) return null
  return (
    <nav className={styles.tabs} aria-label={t(siblings[0]?.section ?? '')} data-region="tabs" tabIndex={-1} ref={list}>
      {siblings.map((page) => (
        <Link
          key={page.path}
          to={page.path}
          className={cx(styles.tab, page.path === path && styles.current)}
          isCurrent={page.path === path}
        >
          {t(page.title)}
        </Link>
      ))}
    </nav>
  )
}
