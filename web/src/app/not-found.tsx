// An address without a page. One that names a group, such as /ui/policy, leads to the first page below it.

import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'
import { pages } from '../pages/index.ts'
import { usePlace } from '../place.ts'
import { Link } from '../ui/link.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { t } from '../words.ts'
import { firstBelow } from './locate.ts'

export function NotFound(): ReactNode {
  const { path } = usePlace()
  const { may } = useSession()
  const first = firstBelow(
    pages.filter(({ access }) => may(access)),
    path,
  )
  if (first) return <Navigate to={`/${first.path}` as string} replace />
  return (
    <>
      <PageHead title={t('There is no such page')} />
      <p>
        <PlainText
          text={t('Nothing of the console has the address {path}. The list of pages opens with Ctrl K.', { path })}
          limit={400}
        />
      </p>
      <p>
        <Link to="">{t('Go to the overview')}</Link>
      </p>
    </>
  )
}
