// Where the focus goes when something that opened over the page closes: to what had it before, or else to what had it before that.
// Every dialog, drawer and the palette ask here, so that the focus is never lost to nothing.

import { useState } from 'react'

/** What had the focus, oldest first. */
type Places = readonly WeakRef<HTMLElement>[]

const most = 12
let places: Places = []

/** What opens over the page and is gone when it closes. */
const isPassing = (element: Element): boolean =>
  element.closest('[role="menu"], [role="listbox"], [data-focus-guard]') !== null

function note({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement) || isPassing(target)) return
  places = [...places.filter((one) => one.deref() !== target), new WeakRef(target)].slice(-most)
}

if (typeof document !== 'undefined') document.addEventListener('focusin', note, { capture: true })

/** The places of this moment: what opens now takes the focus itself. */
export const rememberFocus = (): Places => places

const canFocus = (element: HTMLElement): boolean =>
  element.isConnected &&
  element.getClientRects().length > 0 &&
  !element.matches(':disabled') &&
  element.closest('[inert]') === null

/** The newest of the places that is still there; the page itself when none is. */
export function giveFocusBack(from: Places): HTMLElement | null {
  for (const place of from.toReversed()) {
    const element = place.deref()
    if (element && canFocus(element)) return element
  }
  return document.getElementById('page')
}

/** For `finalFocus` of a window: called when it closes. Remembers at its first drawing, before its fields take the focus. */
export function useFocusReturn(): () => HTMLElement | null {
  const [from] = useState(rememberFocus)
  return () => giveFocusBack(from)
}
