// Listens from the first moment of the page: Ctrl K works before anything is drawn, and what is typed after it is not lost.

import { openPalette, paletteStore, typeEarly } from './palette-store.ts'

export function catchEarlyKeys(): void {
  window.addEventListener(
    'keydown',
    (event) => {
      const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && event.code === 'KeyK'
      if (isAsked) {
        event.preventDefault()
        openPalette()
        return
      }
      const state = paletteStore.get()
      if (!state.isOpen || state.isReady || event.ctrlKey || event.metaKey || event.altKey) return
      const next = typeEarly(state, event.key)
      if (!next) return
      event.preventDefault()
      event.stopPropagation()
      paletteStore.set(next)
    },
    { capture: true },
  )
}
