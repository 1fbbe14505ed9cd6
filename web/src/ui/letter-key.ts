// Keys that are single letters: the same key in any keyboard layout, and the person's choice to go without them.

interface Pressed {
  readonly key: string
  readonly code: string
}

/** The Latin letter on the key, in lower case: G on a Russian keyboard is the same key. Empty for other keys. */
export function letterOf({ key, code }: Pressed): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase()
  // Another script: the place of the key counts. A sign such as `;` in a Latin layout is not a letter.
  return /^\p{L}$/u.test(key) && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : ''
}

export const hasLetterKeys = (): boolean => document.documentElement.dataset.letterKeys !== 'off'

const typed = 'input, textarea, select, [contenteditable], [role="combobox"], [role="menu"], [role="listbox"]'

/** The letter of a key that is pressed alone and where nothing is typed; empty otherwise. */
export function loneLetterOf(
  event: Pressed & {
    readonly ctrlKey: boolean
    readonly altKey: boolean
    readonly metaKey: boolean
    readonly target: EventTarget | null
  },
): string {
  if (event.ctrlKey || event.altKey || event.metaKey || !hasLetterKeys()) return ''
  if (event.target instanceof Element && event.target.closest(typed) !== null) return ''
  return letterOf(event)
}
