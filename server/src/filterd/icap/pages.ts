// What a client sees instead of a reply that was judged by its content. The text is ASCII, other characters are references,
// so it can be read in whatever encoding the replaced page announced.

import type { HttpHead } from './http-head.ts'

export type PageLanguage = 'en' | 'ru'

export interface Refusal {
  readonly status: 403 | 503
  readonly title: string
  readonly text: string
  /** A name that the text ends with: a dictionary or a virus. */
  readonly name: string | null
}

/** Russian when the client prefers it to English. */
export function languageOf(accepted: string | null): PageLanguage {
  const first = (accepted ?? '')
    .slice(0, 200)
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().slice(0, 2))
    .find((one) => one === 'ru' || one === 'en')
  return first === 'ru' ? 'ru' : 'en'
}

const words = {
  en: {
    title: 'Access denied',
    words: 'The content filter blocked this page: its text matches a dictionary.',
    virus: 'The antivirus blocked this file. It found:',
    unchecked: 'The antivirus cannot check this file now. Try again later.',
  },
  ru: {
    title: 'Доступ запрещён',
    words: 'Контент-фильтр заблокировал эту страницу: её текст совпадает со словарём.',
    virus: 'Антивирус заблокировал этот файл. Обнаружено:',
    unchecked: 'Антивирус сейчас не может проверить этот файл. Повторите попытку позже.',
  },
} as const

export const blockedByWords = (language: PageLanguage, dictionaryTitle: string): Refusal => ({
  status: 403,
  title: words[language].title,
  text: words[language].words,
  name: dictionaryTitle,
})

export const blockedByVirus = (language: PageLanguage, virus: string): Refusal => ({
  status: 403,
  title: words[language].title,
  text: words[language].virus,
  name: virus,
})

export const notChecked = (language: PageLanguage): Refusal => ({
  status: 503,
  title: words[language].title,
  text: words[language].unchecked,
  name: null,
})

/** Every character that is not plain becomes a reference. */
const inReferences = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9 .,:;()!?_-]/gu, (one) => `&#${one.codePointAt(0)};`)

export function printPage({ title, text, name }: Refusal): Buffer {
  const style = 'body{font:16px/1.5 sans-serif;max-width:40em;margin:15vh auto;padding:0 1em}h1{font-size:1.4em}'
  const lines = [
    '<!DOCTYPE html>',
    `<html><head><title>${inReferences(title)}</title>`,
    '<meta name="viewport" content="width=device-width">',
    `<style>${style}</style></head>`,
    `<body><h1>${inReferences(title)}</h1><p>${inReferences(text)}</p>${name === null ? '' : `<p><b>${inReferences(name)}</b></p>`}</body></html>`,
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1')
}

export const headOfPage = ({ status }: Refusal, body: Buffer): HttpHead => ({
  start: status === 403 ? 'HTTP/1.1 403 Forbidden' : 'HTTP/1.1 503 Service Unavailable',
  lines: [
    'Content-Type: text/html; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options: nosniff',
  ].map((line) => ({ name: '', line })),
})
