// Whether the palette is open, and its text. The text is here and not in the view, so that it does not matter to a key whether the
// code of the palette is loaded, drawn and focused already.

import { createStore } from '../../api/store.ts'
import { giveFocusBack, rememberFocus } from '../../ui/focus-return.ts'

export interface PaletteState {
  readonly isOpen: boolean
  readonly typed: string
  /** Enter was pressed before there was anything to choose. */
  readonly isEntered: boolean
}

const closed: PaletteState = { isOpen: false, typed: '', isEntered: false }

export const longestText = 200

export const paletteStore = createStore<PaletteState>(closed)

let opener: ReturnType<typeof rememberFocus> = []

export function openPalette(): void {
  if (paletteStore.get().isOpen) return
  opener = rememberFocus()
  paletteStore.set({ ...closed, isOpen: true })
}

/** Gives the focus back at once: later it would be taken from what was opened in the meantime. */
export function closePalette({ isLeaving = false } = {}): void {
  paletteStore.set(closed)
  const places = isLeaving ? [] : opener
  opener = []
  queueMicrotask(() => giveFocusBack(places)?.focus({ preventScroll: true }))
}

export const setTyped = (typed: string): void => paletteStore.update((state) => ({ ...state, typed }))

export const noteChosen = (): void => paletteStore.update((state) => ({ ...state, isEntered: false }))

/** What a key does that did not reach the input; null when it is not for the text. */
export function typeEarly(state: PaletteState, key: string): PaletteState | null {
  if (key === 'Escape') return closed
  if (state.isEntered) return state
  if (key === 'Enter') return { ...state, isEntered: true }
  if (key === 'Backspace') return { ...state, typed: [...state.typed].slice(0, -1).join('') }
  return [...key].length === 1 ? { ...state, typed: (state.typed + key).slice(0, longestText) } : null
}
