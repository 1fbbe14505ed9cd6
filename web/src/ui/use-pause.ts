// Live data that can be paused with the space bar, wherever the focus is not in a control that uses it.

import { useEffect, useState } from 'react'

const takesSpace = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest(
    'input, textarea, select, button, a, summary, [role="switch"], [role="checkbox"], [role="menu"], [role="dialog"]',
  ) !== null

/** Calls back for a space bar that nothing else uses. Also inside a grid, which has no selection on such pages. */
export function useSpace(onSpace: () => void, isOn = true): void {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== ' ' || event.ctrlKey || event.altKey || event.metaKey || takesSpace(event.target)) return
      event.preventDefault()
      event.stopPropagation()
      onSpace()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [onSpace, isOn])
}

export interface Pause {
  readonly isPaused: boolean
  readonly toggle: () => void
  /** For `everyMs`: nothing while paused. */
  readonly every: (ms: number) => { readonly everyMs?: number }
}

export function usePause(): Pause {
  const [isPaused, setPaused] = useState(false)
  const [toggle] = useState(() => () => setPaused((is) => !is))
  useSpace(toggle)
  return { isPaused, toggle, every: (everyMs) => (isPaused ? {} : { everyMs }) }
}
