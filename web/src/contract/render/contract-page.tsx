// The view of a page that is declared from the contract, by its kind. The views are loaded when a page of the kind is opened.

import { lazy, type ReactNode, Suspense } from 'react'
import type { PageEntry } from '../../page.ts'
import { loadCode } from '../../ui/load-code.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { ContractPage } from '../define.ts'

const Collection = lazy(() =>
  loadCode(() => import('./collection-page.tsx')).then((code) => ({ default: code.CollectionPageView })),
)
const Profile = lazy(() =>
  loadCode(() => import('./profile-page.tsx')).then((code) => ({ default: code.ProfilePageView })),
)
const Stack = lazy(() => loadCode(() => import('./stack-page.tsx')).then((code) => ({ default: code.StackPageView })))

export interface ContractPageViewProps {
  readonly page: ContractPage
  readonly entry: PageEntry
}

export function ContractPageView({ page, entry }: ContractPageViewProps): ReactNode {
  return <Suspense fallback={<Skeleton lines={8} />}>{viewOf(page, entry)}</Suspense>
}

function viewOf(page: ContractPage, entry: PageEntry): ReactNode {
  switch (page.kind) {
    case 'collection':
    case 'ordered':
      return <Collection page={page} entry={entry} />
    case 'profile':
      return <Profile page={page} entry={entry} />
    default:
      return <Stack page={page} entry={entry} />
  }
}
