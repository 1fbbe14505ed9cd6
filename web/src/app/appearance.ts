// How the console looks in this browser: theme and density, kept here and nowhere else.

import { createStore, useStore } from '../api/store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
export const densities = ['compact', 'normal'] as const
export type Density = (typeof densities)[number]

export interface Appearance {
  readonly theme: Theme
  readonly density: Density
  /** Single letters act while a grid has the focus. */
  readonly hasLetterKeys: boolean
}

const themeKey = 'portcullis.theme'
const densityKey = 'portcullis.density'
const lettersKey = 'portcullis.keys'

const read = <T extends string>(key: string, values: readonly T[], otherwise: T): T =>
  values.find((value) => value === localStorage.getItem(key)) ?? otherwise

export const appearance = createStore<Appearance>({ theme: 'system', density: 'compact', hasLetterKeys: true })

export const useAppearance = (): Appearance => useStore(appearance)

export function loadAppearance(): void {
  show({
    theme: read(themeKey, themes, 'system'),
    density: read(densityKey, densities, 'compact'),
    hasLetterKeys: localStorage.getItem(lettersKey) !== 'off',
  })
}

export function choose(change: Partial<Appearance>): void {
  const next = { ...appearance.get(), ...change }
  localStorage.setItem(themeKey, next.theme)
  localStorage.setItem(densityKey, next.density)
  localStorage.setItem(lettersKey, next.hasLetterKeys ? 'on' : 'off')
  show(next)
}

function show(next: Appearance): void {
  const { dataset } = document.documentElement
  if (next.theme === 'system') delete dataset.theme
  else dataset.theme = next.theme
  dataset.density = next.density
  dataset.letterKeys = next.hasLetterKeys ? 'on' : 'off'
  appearance.set(next)
}
