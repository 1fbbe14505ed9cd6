// The words of the console: English texts are the ids. Catalogs are compiled by the build, that of English for texts with values.
// Every text that a person reads stands in `t('...')`, or in `msg('...')` where it is declared and shown later.

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

interface Learnt {
  readonly pattern: RegExp
  readonly text: string
}
const learnt: Learnt[] = []
/** Longer ones are lists or output of programs, and none of ours. */
const longestHeard = 2_000

/** Sentences of the gateway with `{name}` where it says a value. Of two that fit, the one that was declared first is meant. */
export function learn(texts: readonly string[]): void {
  for (const text of texts)
    learnt.push({
      text,
      pattern: new RegExp(
        `^${text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>.*?)`)}$`,
        's',
      ),
    })
}

/** Which text with values a sentence is, or null. */
export function recognise(said: string): { readonly text: string; readonly values: Values } | null {
  if (said.length > longestHeard) return null
  for (const { pattern, text } of learnt) {
    const found = pattern.exec(said)
    if (found) return { text, values: { ...found.groups } }
  }
  return null
}

/** A moment as the gateway writes it, which is not part of a name or a path. */
const instants = /(?<![\w./-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?![\w/-]|\.\w)/g

/** Moments in the language of the person and in the time zone of the gateway, as everywhere else. */
const withMoments = (said: string): string =>
  said.replaceAll(instants, (iso) => {
    const instant = instantOf({ iso })
    return instant === null ? iso : exactOf(instant, currentLanguage(), gatewayZone())
  })

/**
 * A sentence that the gateway said: translated where the catalog has it, as it is or with values, which may be sentences too. It is
 * never read as a pattern itself, since it may hold anything.
 */
export function heard(said: string): string {
  if (Object.hasOwn(i18n.messages, said)) return i18n._(said)
  const known = currentLanguage() === 'en' ? null : recognise(said)
  if (!known) return withMoments(said)
  const values = Object.entries(known.values).map(([name, value]) => [name, heard(String(value))])
  return t(known.text, Object.fromEntries(values) as Values)
}

interface Sentence {
  readonly text: string
  readonly values: readonly string[]
}

/**
 * What the gateway said sentence by sentence, each with its values. A sentence that consists of one value is that of another program;
 * without sentences there is only what it said in English.
 */
export function told(said: readonly Sentence[] | undefined, english: string): string {
  if (currentLanguage() === 'en') return withMoments(english)
  if (!said || said.length === 0) return heard(english)
  return said
    .map(({ text, values }) =>
      text === '{0}'
        ? heard(values[0] ?? '')
        : t(text, Object.fromEntries(values.map((value, at) => [at, heard(value)]))),
    )
    .join(' ')
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
