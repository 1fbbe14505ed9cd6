// Shows one page of the registry: its module is loaded when it is opened, and pages made from the contract get the view of
// their kind. A page that breaks says so and leaves the rest of the console working.

import { type ComponentType, lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { happenings, untilReached } from '../api/events.ts'
import { useSession } from '../api/session.ts'
import type { ContractPage } from '../contract/define.ts'
import type { PageEntry } from '../page.ts'
import { loadCode } from '../ui/load-code.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Forbidden } from './forbidden.tsx'

const loaded = new Map<string, ReturnType<typeof lazyPage>>()

const lazyPage = (entry: PageEntry) =>
  lazy(async () => {
    const wasReached = happenings.get().isReached
    try {
      return await loadView(entry)
    } catch (error) {
      if (wasReached && happenings.get().isReached) throw error
      // Opened while the gateway does not answer, which may come back as another version: then the console is loaded again.
      await untilReached()
      location.reload()
      return new Promise<never>(() => {})
    }
  })

async function loadView(entry: PageEntry): Promise<{ default: ComponentType }> {
  const { page } = await loadCode(entry.load)
  if (page.kind === 'hand') return { default: page.Component }
  return { default: await contractView(page, entry) }
}

/** The views of contract pages are code of their own: pages by hand do not load it. */
async function contractView(page: ContractPage, entry: PageEntry): Promise<ComponentType> {
  const { ContractPageView } = await loadCode(() => import('../contract/render/contract-page.tsx'))
  return () => <ContractPageView page={page} entry={entry} />
}

function viewOf(entry: PageEntry): ReturnType<typeof lazyPage> {
  const known = loaded.get(entry.path)
  if (known) return known
  const made = lazyPage(entry)
  loaded.set(entry.path, made)
  return made
}

export function PageView({ entry }: { readonly entry: PageEntry }): ReactNode {
  const { may } = useSession()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try loads it again
  const View = useMemo(() => viewOf(entry), [entry, attempt])
  if (!may(entry.access)) return <Forbidden access={entry.access} />
  return (
    <ErrorBoundary
      key={`${entry.path} ${attempt}`}
      onRetry={() => {
        loaded.delete(entry.path)
        setAttempt(attempt + 1)
      }}
    >
      <Suspense fallback={<Skeleton lines={8} />}>
        <View />
      </Suspense>
    </ErrorBoundary>
  )
}
