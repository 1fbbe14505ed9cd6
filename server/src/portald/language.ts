// Which language a page is in: the one chosen by a link, else the first of the browser that the portal has.

import { type PortalLanguage, portalLanguages } from '../engines/portal/settings-file.ts'

export const asLanguage = (text: string | null): PortalLanguage | null =>
  portalLanguages.find((language) => language === text) ?? null

/** RFC 9110, 12.5.4: tags with weights; `ru-RU` counts as `ru`. */
export function preferredLanguage(header: string | undefined, other: PortalLanguage): PortalLanguage {
  const wishes = (header ?? '')
    .slice(0, 1_024)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
      const weight = parameters.find((word) => word.startsWith('q='))
      return {
        language: asLanguage(tag.split('-', 1)[0] ?? ''),
        weight: weight === undefined ? 1 : Number(weight.slice(2)),
      }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  return wishes.find(({ language }) => language !== null)?.language ?? other
}
