// Keys that work on every page. Single letters only act where no text is typed; after G a second letter names a page.

import { useEffect, useRef } from 'react'
import { useGo } from '../place.ts'
import { hasLetterKeys, letterOf } from '../ui/letter-key.ts'
import { t } from '../words.ts'

export const jumps: Readonly<Record<string, string>> = {
  d: 'overview/dashboard',
  r: 'policy/rules/forward',
  o: 'objects',
  t: 'policy/tracer',
  l: 'monitor/logs/firewall',
  h: 'system/history',
}

export interface KeyLine {
  readonly keys: string
  readonly what: string
}

export const keyLines = (): readonly { readonly title: string; readonly lines: readonly KeyLine[] }[] => [
  {
    title: t('Everywhere'),
    lines: [
      { keys: 'Ctrl K', what: t('Find or ask') },
      { keys: '/', what: t('Filter this page') },
      { keys: '?', what: t('This list') },
      { keys: 'G D', what: t('Dashboard') },
      { keys: 'G R', what: t('Rules') },
      { keys: 'G O', what: t('Objects') },
      { keys: 'G T', what: t('Tracer') },
      { keys: 'G L', what: t('Logs') },
      { keys: 'G H', what: t('History') },
      { keys: 'Esc', what: t('One step back') },
      { keys: 'F6', what: t('Next region') },
    ],
  },
  {
    title: t('In a table'),
    lines: [
      { keys: '↑ ↓ ← →', what: t('Move') },
      { keys: 'Space', what: t('Select; with Shift extend') },
      { keys: 'Ctrl A', what: t('Select all') },
      { keys: 'Enter', what: t('Open') },
      { keys: 'F2', what: t('Edit the cell') },
      { keys: 'O', what: t('Add below; with Shift above') },
      { keys: 'E', what: t('Edit many') },
      { keys: 'C', what: t('Copy') },
      { keys: 'M', what: t('Move to') },
      { keys: 'Del', what: t('Remove') },
      { keys: 'Alt ↑ ↓', what: t('Move the row') },
      { keys: 'L', what: t('Log') },
      { keys: 'T', what: t('Trace') },
      { keys: 'U', what: t('Used by') },
    ],
  },
  {
    title: t('In a form'),
    lines: [
      { keys: 'Ctrl Enter', what: t('Review, then apply') },
      { keys: 'Alt C', what: t('As command') },
    ],
  },
]

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'combobox')

/** What opened over the page has keys of its own. */
const isOver = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

const jumpMs = 1_500

export function useGlobalKeys({ onHelp }: { readonly onHelp: () => void }): void {
  const go = useGo()
  const latest = useRef({ go, onHelp })
  latest.current = { go, onHelp }
  useEffect(() => {
    let jumpUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented && event.key !== 'F6') return
      if (event.key === 'F6') {
        event.preventDefault()
        nextRegion(event.shiftKey)
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isOver(event.target)) return
      const letter = letterOf(event)
      if (jumpUntil > event.timeStamp) {
        jumpUntil = 0
        const path = jumps[letter]
        if (path === undefined) return
        event.preventDefault()
        event.stopPropagation()
        latest.current.go.open(path)
      } else if (letter === 'g' && hasLetterKeys()) {
        jumpUntil = event.timeStamp + jumpMs
      } else if (event.key === '?') {
        event.preventDefault()
        latest.current.onHelp()
      } else if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('main input[type="search"]')
        if (!filter) return
        event.preventDefault()
        filter.focus()
        filter.select()
      }
    }
    // Captured, so that the second letter of a jump does not act in a grid as well.
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
}

/** From rail to top bar to tabs to page, and around. */
function nextRegion(isBack: boolean): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => region.offsetParent !== null || region.getClientRects().length > 0,
  )
  if (regions.length === 0) return
  const at = regions.findIndex((region) => region.contains(document.activeElement))
  const step = isBack ? -1 : 1
  const next = regions[(at + step + regions.length) % regions.length] ?? regions[0]
  next?.focus()
}
