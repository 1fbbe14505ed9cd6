// Whether the palette is open and what was typed before its code was loaded. Keys pressed meanwhile are kept, Enter included.

import { createStore } from '../../api/store.ts'

export interface PaletteState {
  readonly isOpen: boolean
  /** The view is on screen and takes the keys itself. */
  readonly isReady: boolean
  readonly typed: string
  readonly isEntered: boolean
}

const closed: PaletteState = { isOpen: false, isReady: false, typed: '', isEntered: false }

export const paletteStore = createStore<PaletteState>(closed)

let opener: Element | null = null

export function openPalette(): void {
  if (paletteStore.get().isOpen) return
  opener = document.activeElement
  paletteStore.set({ ...closed, isOpen: true })
}

/** Gives the focus back at once: later it would be taken from what was opened meanwhile. */
export function closePalette({ isLeaving = false } = {}): void {
  paletteStore.set(closed)
  const target = isLeaving || !opener?.isConnected ? document.getElementById('page') : opener
  opener = null
  if (target instanceof HTMLElement) queueMicrotask(() => target.focus({ preventScroll: true }))
}

export const notePaletteReady = (): void => paletteStore.update((state) => ({ ...state, isReady: true }))

/** What one key does to the text that waits; null when the key is not for it. */
export function typeEarly(state: PaletteState, key: string): PaletteState | null {
  if (key === 'Escape') return closed
  if (state.isEntered) return state
  if (key === 'Enter') return { ...state, isEntered: true }
  if (key === 'Backspace') return { ...state, typed: [...state.typed].slice(0, -1).join('') }
  return [...key].length === 1 ? { ...state, typed: state.typed + key } : null
}
