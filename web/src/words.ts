// The words of the console: English texts are the ids. Catalogs are compiled by the build, that of English for texts with values.
// Every text that a person reads is in `t('...')`, or in `msg('...')` where it is declared and shown later.

import { find } from '@gateway/server/shared/said'
import { setupI18n } from '@lingui/core'
import { useSyncExternalStore } from 'react'
import { exactOf, instantOf } from './ui/moment.ts'
import { gatewayZone } from './ui/zone.ts'

export const languages = { en: 'English', ru: 'Русский' } as const
export type Language = keyof typeof languages

export type Values = Readonly<Record<string, string | number | null>>

const storageKey = 'portcullis.language'
const i18n = setupI18n({ locale: 'en', messages: { en: {} } })
const listeners = new Set<() => void>()

/** A text in the language of the person, with `{name}` and ICU plurals filled in. */
export function t(text: string, values?: Values): string {
  if (!Object.hasOwn(i18n.messages, text) && !text.includes('{')) return text
  return i18n._(text, values === undefined ? unfilled : { ...values })
}

/** Braces of a text without values are part of it, as in "must contain {code}". */
const unfilled: Record<string, unknown> = new Proxy({}, { get: (_, name) => `{${String(name)}}` })

/** A moment as the gateway writes it, which is not part of a name or a path. */
const instants = /(?<![\w./-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?![\w/-]|\.\w)/g

/** Moments in the language of the person and in the time zone of the gateway, as everywhere else. */
const withMoments = (said: string): string =>
  said.replaceAll(instants, (iso) => {
    const instant = instantOf({ iso })
    return instant === null ? iso : exactOf(instant, currentLanguage(), gatewayZone())
  })

/** The text with its values, where no catalog has it: one of marks alone, such as `{0}: {1}`. */
const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (mark, name: string) => String(values[name] ?? mark))

/**
 * A sentence that the gateway said. What it was made of came with it: its text is looked up in the catalog, and its values may be
 * sentences too. What another program said is shown as it is.
 */
export function heard(said: string): string {
  if (currentLanguage() === 'en') return withMoments(said)
  const known = find(said)
  if (!known || known.values.length === 0) return Object.hasOwn(i18n.messages, said) ? i18n._(said) : withMoments(said)
  return show(known)
}

/** Values are in the order of their places. */
function show({ text, values }: Spoken): string {
  const names = text.match(/(?<=\{)\w+(?=\})/g) ?? []
  const shown = Object.fromEntries(names.map((name, at) => [name, heard(values[at] ?? '')]))
  return Object.hasOwn(i18n.messages, text) ? t(text, shown) : fill(text, shown)
}

interface Spoken {
  readonly text: string
  readonly values: readonly string[]
}

/** What the gateway said sentence by sentence. */
export function told(said: readonly Spoken[] | undefined, english: string): string {
  if (currentLanguage() === 'en' || !said || said.length === 0) return heard(english)
  return said.map(show).join(' ')
}

/** Marks a text that is translated where it is shown. */
export const msg = (text: string): string => text

export const currentLanguage = (): Language => i18n.locale as Language

export const useLanguage = (): Language =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => currentLanguage(),
  )

const isLanguage = (value: string | null): value is Language => value !== null && Object.hasOwn(languages, value)

/** The one that was chosen in this browser, or else that of the browser. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (isLanguage(chosen)) return chosen
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage)
  return spoken ?? 'en'
}

const load = {
  en: () => import('virtual:messages/en'),
  ru: () => import('virtual:messages/ru'),
}

export async function speak(language: Language, { isChoice = false } = {}): Promise<void> {
  i18n.load(language, (await load[language]()).messages)
  i18n.activate(language)
  document.documentElement.lang = language
  if (isChoice) localStorage.setItem(storageKey, language)
  for (const listener of listeners) listener()
}
