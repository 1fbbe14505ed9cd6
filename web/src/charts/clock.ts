// Moments on an axis and in a table, in the gateway's zone.

import { gatewayZone } from '../ui/zone.ts'
import { currentLanguage } from '../words.ts'

const locale = (): string => (currentLanguage() === 'en' ? 'en-GB' : currentLanguage())

export function clockOf(unix: number, span: number): string {
  const options: Intl.DateTimeFormatOptions =
    span > 2 * 86_400
      ? { day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit', ...(span <= 600 ? { second: '2-digit' } : {}) }
  return new Intl.DateTimeFormat(locale(), { ...options, timeZone: gatewayZone() }).format(unix * 1000)
}

export const momentOf = (unix: number): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone: gatewayZone() }).format(
    unix * 1000,
  )
