// The pages of the portal, as functions of what is known.

import type { HostState, OwnSession, PersonalPage, Refused, SecondFactor } from '../engines/portal/protocol.ts'
import { html, type Markup, type Part } from './html.ts'
import { foreign, form, layout, notice, type View, withWanted } from './layout.ts'
import { qrPicture } from './qr.ts'
import type { PortalFault } from './texts.ts'

export function refusalNotice({ texts }: View, { reason, retrySeconds, weakness }: Refused): Markup {
  const { title, text } = texts.refusals[reason]
  const more = weakness === undefined ? null : texts.weaknesses[weakness]
  return notice('bad', title, text, more, retrySeconds === undefined ? null : texts.retryIn(Math.ceil(retrySeconds)))
}

export const faultNotice = ({ texts }: View, fault: PortalFault): Markup =>
  notice('bad', texts.faults[fault].title, texts.faults[fault].text)

/** `host` is null when it could not be asked for. */
export function signInPage(view: View, host: HostState | null, message: Markup | null, login = ''): Markup {
  const { texts } = view
  const refusal =
    message === null && host?.refusal ? refusalNotice(view, { status: 'refused', reason: host.refusal }) : null
  const isIn = host?.isAuthorized === true && host.user !== null
  const top = message ?? refusal ?? (isIn ? connectedNotice(view, host) : null)
  const heading = isIn ? texts.personalPage : refusal !== null ? texts.signInAsOther : texts.signIn
  const body = html`${top}
${isIn && host.isSignedIn ? html`<div class="card">${form(view, '/sign-out', html`<button class="stretch">${texts.signOut}</button>`)}</div>` : null}
<div class="card">
${top === null ? html`<h1>${heading}</h1>` : html`<h2>${heading}</h2>`}
${isIn ? html`<p class="soft">${texts.introPersonal}</p>` : introOf(view, host)}
${form(
  view,
  '/sign-in',
  html`<label for="login">${texts.login}</label>
<input id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
${wantedLater(view)}
<button class="main">${texts.signIn}</button>`,
)}
</div>`
  return layout(view, { title: heading, path: '/', body })
}

/** The text of the administrator has a paragraph for each line. */
function introOf({ texts, file, language }: View, host: HostState | null): Part {
  const own = file.words[language].text
  if (own !== '')
    return own
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => html`<p>${line}</p>`)
  return html`<p class="soft">${host?.isEnforced === false ? texts.introPersonal : texts.intro}</p>`
}

const wantedLater = ({ texts, wanted }: View): Part =>
  wanted === null ? null : html`<p class="soft">${texts.wantedLater} ${foreign(shortened(wanted))}</p>`

const connectedNotice = ({ texts }: View, { user }: HostState): Markup =>
  notice(
    'good',
    texts.connected,
    texts.connectedText,
    user === null ? null : html`${texts.signedInAs}: ${foreign(user.name || user.login)}`,
  )

export interface FactorQuestion {
  readonly ticket: string
  readonly factor: SecondFactor
  readonly enrolment: { readonly uri: string; readonly secret: string } | null
}

export function secondFactorPage(view: View, { ticket, factor, enrolment }: FactorQuestion, message: Markup | null) {
  const { texts } = view
  const title = enrolment === null ? texts.secondFactor : texts.enrol
  const shown = enrolment === null ? null : qrPicture(enrolment.uri, texts.qrTitle)
  const body = html`${message}
<div class="card">
${message === null ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
${
  enrolment === null
    ? html`<p class="soft">${texts.factors[factor]}</p>`
    : html`<p class="soft">${texts.enrolText}</p>
${shown}
<p>${texts.enrolSecret}: <span class="key">${groupsOf(enrolment.secret)}</span></p>`
}
${form(
  view,
  '/confirm',
  html`<input type="hidden" name="ticket" value="${ticket}">
<input type="hidden" name="factor" value="${factor}">
${enrolment === null ? null : html`<input type="hidden" name="uri" value="${enrolment.uri}"><input type="hidden" name="secret" value="${enrolment.secret}">`}
<label for="code">${texts.code}</label>
<input id="code" class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="32" required autofocus>
<button class="main">${texts.confirm}</button>`,
)}
</div>
<p><a href="${withWanted('/', view.wanted)}">${texts.cancel}</a></p>`
  return layout(view, { title, path: '/', body })
}

const groupsOf = (secret: string): string => secret.replace(/(.{4})(?=.)/gu, '$1 ')

export function personalPage(view: View, person: PersonalPage, host: HostState, message: Markup | null): Markup {
  const { texts, wanted } = view
  const body = html`${message ?? hostNotice(view, host)}
${
  wanted === null || !mayGo(host)
    ? null
    : html`<div class="card"><div class="row"><p>${texts.wanted} ${foreign(shortened(wanted))}</p><a class="button main" href="${wanted}" rel="noreferrer">${texts.open}</a></div></div>`
}
<section class="card" aria-labelledby="person">
<h2 id="person">${texts.personalPage}</h2>
<p>${texts.signedInAs}: ${foreign(person.name || person.login)}${
    person.name === '' || person.name === person.login ? null : html` (${foreign(person.login)})`
  }</p>
<div class="row">
${person.canChangePassword ? html`<a class="button" href="/password">${texts.changePassword}</a>` : null}
${form({ ...view, wanted: null }, '/sign-out', html`<button>${texts.signOut}</button>`)}
</div>
</section>
<section class="card" aria-labelledby="sessions">
<h2 id="sessions">${texts.sessions}</h2>
${person.sessions.length === 0 ? html`<p>${texts.sessionsNone}</p>` : sessionTable(view, person.sessions)}
</section>`
  return layout(view, { title: texts.personalPage, path: '/me', body, isWide: true })
}

const mayGo = ({ isEnforced, isAuthorized }: HostState): boolean => isAuthorized || !isEnforced

function hostNotice(view: View, host: HostState): Markup {
  const { texts } = view
  if (!host.isEnforced) return notice('good', texts.connected, texts.notEnforced)
  if (host.isAuthorized) return notice('good', texts.connected, texts.connectedText)
  const reason = host.refusal === null ? null : texts.refusals[host.refusal]
  // Who has too many sessions ends one here; another sign-in would not help.
  const again =
    host.refusal === 'over_limit' ? null : html`<a href="${withWanted('/', view.wanted)}">${texts.signIn}</a>`
  return notice('bad', reason?.title ?? texts.notConnected, reason?.text ?? texts.notConnectedText, again)
}

/** On narrow screens a row becomes a block; the attributes then show what the head of the table would. */
const sessionTable = (view: View, sessions: readonly OwnSession[]): Markup => html`<table>
<thead><tr><th scope="col">${view.texts.address}</th><th scope="col">${view.texts.type}</th><th scope="col">${view.texts.state}</th><th scope="col">${view.texts.since}</th><th scope="col"><span class="hidden">${view.texts.action}</span></th></tr></thead>
<tbody>${sessions.map((session) => sessionRow(view, session))}</tbody>
</table>`

function sessionRow(view: View, { id, type, address, state, startedAt, isThis }: OwnSession): Markup {
  const { texts } = view
  const end = html`<input type="hidden" name="id" value="${id}">
<button class="small" aria-label="${`${texts.endSession}: ${address}`}">${texts.endSession}</button>`
  return html`<tr><th scope="row">${foreign(address)}${isThis ? html` <span class="soft">(${texts.thisDevice})</span>` : null}</th>
<td data-name="${texts.type}">${texts.sessionTypes[type] ?? type}</td>
<td data-name="${texts.state}">${texts.sessionStates[state] ?? state}</td>
<td data-name="${texts.since}">${timeOf(view, startedAt)}</td>
<td>${form({ ...view, wanted: null }, '/end', end)}</td></tr>`
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** A zone that the runtime does not know is shown as UTC. */
function clockOf({ file: { timeZone }, language }: View): Intl.DateTimeFormat {
  const make = (zone: string): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: zone,
    })
  const key = `${language} ${timeZone}`
  let clock = clocks.get(key)
  try {
    clock ??= make(timeZone)
  } catch {
    clock = make('UTC')
  }
  clocks.set(key, clock)
  return clock
}

function timeOf(view: View, seconds: number): Markup {
  const time = new Date(seconds * 1000)
  return html`<time datetime="${time.toISOString()}">${clockOf(view).format(time)}</time>`
}

/** The login is for the password store of the browser. */
export function passwordPage(view: View, login: string, message: Markup | null): Markup {
  const { texts } = view
  const field = (name: string, label: string, complete: string) =>
    html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${complete}" maxlength="256" required>`
  const body = html`${message}
<div class="card">
${message === null ? html`<h1>${texts.changePassword}</h1>` : html`<h2>${texts.changePassword}</h2>`}
${form(
  { ...view, wanted: null },
  '/password',
  html`<input class="hidden" name="login" value="${login}" autocomplete="username" tabindex="-1" aria-hidden="true" readonly>
${field('current', texts.currentPassword, 'current-password')}
${field('next', texts.newPassword, 'new-password')}
<p class="soft hint" id="hint">${texts.passwordRule}</p>
${field('repeat', texts.repeatPassword, 'new-password')}
<button class="main">${texts.changePassword}</button>`,
)}
</div>
<p><a href="/me">${texts.back}</a></p>`
  return layout(view, { title: texts.changePassword, path: '/password', body })
}

/** A page with nothing but a message. With `retrySeconds` the browser asks for the same page again by itself. */
export function faultPage(view: View, fault: PortalFault, path: string, retrySeconds?: number): Markup {
  const { texts } = view
  const body = html`${faultNotice(view, fault)}
<p><a href="${withWanted(path, view.wanted)}">${retrySeconds === undefined ? texts.back : texts.retryIn(retrySeconds)}</a></p>`
  return layout(view, {
    title: texts.faults[fault].title,
    path,
    body,
    ...(retrySeconds === undefined ? {} : { retrySeconds }),
  })
}

const maxShown = 200

/** Addresses can be very long; the whole one is behind the link. */
const shortened = (url: string): string => (url.length > maxShown ? `${url.slice(0, maxShown)}…` : url)
