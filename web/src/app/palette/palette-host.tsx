// Loads the palette when it is first asked for.

import { lazy, type ReactNode, Suspense } from 'react'
import { useStore } from '../../api/store.ts'
import { paletteStore } from './palette-store.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: View }) => ({ default: View })))

export function PaletteHost(): ReactNode {
  const { isOpen } = useStore(paletteStore)
  if (!isOpen) return null
  return (
    <Suspense>
      <Palette />
    </Suspense>
  )
}
