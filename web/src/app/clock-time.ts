// A moment as the clock of the gateway shows it.

import { sessionStore } from '../api/session.ts'
import { currentLanguage } from '../words.ts'

export function clockTime(ms: number): string {
  const timeZone = sessionStore.get().gateway?.timeZone ?? undefined
  return new Intl.DateTimeFormat(currentLanguage(), { timeStyle: 'medium', ...(timeZone ? { timeZone } : {}) }).format(
    ms,
  )
}
