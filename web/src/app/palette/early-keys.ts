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
      if (state.isOpen && state.isReady) {
        bringBack(event)
        return
      }
      if (!state.isOpen || event.ctrlKey || event.metaKey || event.altKey) return
      const next = typeEarly(state, event.key)
      if (!next) return
      event.preventDefault()
      event.stopPropagation()
      paletteStore.set(next)
    },
    { capture: true },
  )
}

/** A page that was still loading may open something that takes the focus; the keys belong to the palette while it is open. */
function bringBack(event: KeyboardEvent): void {
  if (!event.isTrusted || (event.target instanceof Element && event.target.closest('[data-palette]'))) return
  const input = document.querySelector<HTMLInputElement>('[data-palette] input')
  if (!input) return
  input.focus()
  // A letter now goes into the input by itself; other keys went to what had the focus.
  if ([...event.key].length === 1) return
  event.preventDefault()
  event.stopPropagation()
  input.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true }))
}
