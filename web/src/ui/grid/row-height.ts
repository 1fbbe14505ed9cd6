// The height of a row in pixels, as the tokens have it: by density and by the pointer.

import { useSyncExternalStore } from 'react'

const usual = 28

/** Kept between changes: asking the browser at every scroll step would make it work out all styles. */
let known: number | null = null

function read(): number {
  known ??= measure()
  return known
}

function measure(): number {
  const value = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'))
  return Number.isFinite(value) && value > 0 ? value : usual
}

function listen(onChange: () => void): () => void {
  const listener = () => {
    known = null
    onChange()
  }
  const pointer = matchMedia('(pointer: coarse)')
  const density = new MutationObserver(listener)
  pointer.addEventListener('change', listener)
  density.observe(document.documentElement, { attributeFilter: ['data-density'] })
  return () => {
    pointer.removeEventListener('change', listener)
    density.disconnect()
  }
}

export const useRowHeight = (): number => useSyncExternalStore(listen, read)
