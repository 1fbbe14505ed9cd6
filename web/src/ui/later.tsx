// A component that is code of its own: fetched when the browser has nothing else to do, so that the first load is small and what
// opens later opens without waiting.

import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ReactNode {
  const View = lazy(async () => ({ default: await load() }))
  requestIdleCallback(() => void load().catch(() => undefined))
  return function Later(props) {
    return (
      <Suspense>
        <View {...props} />
      </Suspense>
    )
  }
}
