// Listens from the first moment of the page: Ctrl K works before anything is drawn, and every key after it belongs to the palette.
// A key that arrives while the input of the palette does not have the focus is written into its text here: its code may still be
// loading, its window may be drawn in steps, and something else may take the focus for a moment.

import { closePalette, openPalette, paletteStore, typeEarly } from './palette-store.ts'

export function catchEarlyKeys(): void {
  window.addEventListener('keydown', onKey, { capture: true })
}

function onKey(event: KeyboardEvent): void {
  const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && event.code === 'KeyK'
  if (isAsked) {
    event.preventDefault()
    openPalette()
    return
  }
  const state = paletteStore.get()
  if (!state.isOpen || !event.isTrusted || event.isComposing) return
  const input = document.querySelector<HTMLInputElement>('[data-palette] input')
  if (input !== null && event.target === input) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  input?.focus()
  const next = typeEarly(state, event.key)
  // Arrows mean something only where there is something to choose from.
  if (next === null && input === null) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (next === null || (input !== null && event.key === 'Enter'))
    input?.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true }))
  else if (next.isOpen) paletteStore.set(next)
  else closePalette()
}
