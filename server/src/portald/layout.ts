// The frame of every page: title, heading, languages. No scripts, no style in the markup.

import { type PortalFile, type PortalLanguage, portalLanguages } from '../engines/portal/settings-file.ts'
import { html, type Markup, type Part } from './html.ts'
import { type Texts, texts } from './texts.ts'
import type { WantedUrl } from './wanted.ts'

/** What a page depends on beside its own content. */
export interface View {
  readonly language: PortalLanguage
  readonly texts: Texts
  readonly file: PortalFile
  readonly stylePath: string
  /** Every form carries it (see requests.ts). */
  readonly formToken: string
  readonly wanted: WantedUrl | null
}

export interface PageParts {
  readonly title: string
  /** The page that links to other languages lead to: one that can be asked for again. */
  readonly path: string
  readonly body: Part
  readonly isWide?: boolean
  /** The browser asks again after so many seconds. */
  readonly retrySeconds?: number
}

export const titleOf = ({ file, language, texts: { title } }: View): string => file.words[language].title || title

export function layout(view: View, { title, path, body, isWide, retrySeconds }: PageParts): Markup {
  const heading = titleOf(view)
  return html`<!DOCTYPE html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${retrySeconds === undefined ? null : html`<meta http-equiv="refresh" content="${retrySeconds}">`}
<title>${title} · ${heading}</title>
<link rel="stylesheet" href="${view.stylePath}">
<link rel="icon" href="data:,">
</head>
<body${isWide === true ? html` class="wide"` : null}>
<header><p>${heading}</p></header>
<main>
${body}
</main>
<footer><ul>${portalLanguages.map((language) => languageLink(view, language, path))}</ul></footer>
</body>
</html>
`
}

function languageLink(view: View, language: PortalLanguage, path: string): Markup {
  const name = texts[language].languageName
  if (language === view.language) return html`<li aria-current="true" lang="${language}">${name}</li>`
  const address = withWanted(`${path}?lang=${language}`, view.wanted)
  return html`<li><a href="${address}" lang="${language}" hreflang="${language}">${name}</a></li>`
}

/** `path` may have parameters already. */
export const withWanted = (path: string, wanted: WantedUrl | null): string =>
  wanted === null ? path : `${path}${path.includes('?') ? '&' : '?'}wanted=${encodeURIComponent(wanted)}`

/** A message about what was asked for: screen readers say it at once. */
export const notice = (kind: 'bad' | 'good', title: string, ...paragraphs: readonly Part[]): Markup =>
  html`<div class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}"><h1>${title}</h1>
${paragraphs.filter(Boolean).map((text) => html`<p>${text}</p>`)}</div>`

/** Text of others: it has its own direction of writing and cannot turn that of the sentence around it. */
export const foreign = (text: string): Markup => html`<bdi>${text}</bdi>`

export const form = (view: View, action: string, body: Part): Markup =>
  html`<form method="post" action="${action}">
<input type="hidden" name="form" value="${view.formToken}">
${view.wanted === null ? null : html`<input type="hidden" name="wanted" value="${view.wanted}">`}
${body}</form>`
