// What opens over the table of rules. It is code of its own, fetched when the table stands: the table is there sooner, and a drawer
// opens without waiting.

import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

function later<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ReactNode {
  const View = lazy(async () => ({ default: await load() }))
  requestIdleCallback(() => void load().catch(() => undefined))
  return (props) => (
    <Suspense>
      <View {...props} />
    </Suspense>
  )
}

export const RuleDrawer = later(async () => (await import('./rule-drawer.tsx')).RuleDrawer)
export const BulkDrawer = later(async () => (await import('./bulk-drawer.tsx')).BulkDrawer)
export const ImportDrawer = later(async () => (await import('./import-drawer.tsx')).ImportDrawer)
export const MoveDialog = later(async () => (await import('./move-dialog.tsx')).MoveDialog)
