// Wiring only: words, looks, session and router.

import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './tokens/fonts.css'
import './tokens/tokens.css'
import './tokens/global.css'
import { happenings, startEvents } from './api/events.ts'
import { askBeforeCalls } from './api/fresh.ts'
import { queryClient } from './api/reads.ts'
import { loadAppearance } from './app/appearance.ts'
import { catchEarlyKeys } from './app/palette/early-keys.ts'
import { makeRouter } from './app/router.tsx'
import { root as base } from './place.ts'
import { LinkHandler } from './ui/link.tsx'
import { codeLost } from './ui/load-code.ts'
import { preferredLanguage, speak } from './words.ts'

/**
 * An update took away the files of the page that is open: the new ones are loaded. One that fails right away is an error, and
 * while the gateway does not answer nothing can be loaded at all.
 */
const settledMs = 10_000
addEventListener(codeLost, () => {
  if (performance.now() < settledMs || !happenings.get().isReached) return
  location.reload()
})

catchEarlyKeys()
loadAppearance()
askBeforeCalls()
startEvents()
const router = makeRouter()
const openHref = (href: string): boolean => {
  if (!href.startsWith(base)) return false
  router.history.push(href)
  return true
}
function show(): void {
  const root = document.getElementById('root')
  if (root)
    createRoot(root).render(
      <StrictMode>
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={queryClient}>
            <LinkHandler.Provider value={openHref}>
              <RouterProvider router={router} />
            </LinkHandler.Provider>
          </QueryClientProvider>
        </CSPProvider>
      </StrictMode>,
    )
}

// A console without its words is better than none.
void Promise.allSettled([speak(preferredLanguage())]).then(show)
