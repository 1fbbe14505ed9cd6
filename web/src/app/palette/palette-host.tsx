// The code of the palette is fetched when the browser has nothing else to do, and drawn when it is asked for.

import type { ReactNode } from 'react'
import { useStore } from '../../api/store.ts'
import { later } from '../../ui/later.tsx'
import { loadCode } from '../../ui/load-code.ts'
import { paletteStore } from './palette-store.ts'

const Palette = later(async () => (await loadCode(() => import('./palette.tsx'))).Palette)

export function PaletteHost(): ReactNode {
  return useStore(paletteStore).isOpen ? <Palette /> : null
}
