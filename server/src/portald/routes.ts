// What each page does: asks gatewayd and shows the answer. Decisions about users are all gatewayd's.

import type { PortalRefusal, Refused, SignInResult } from '../engines/portal/protocol.ts'
import { clearCookie, setCookie } from './cookies.ts'
import type { Form } from './forms.ts'
import type { Gateway } from './gateway-client.ts'
import type { Markup } from './html.ts'
import { notice, withWanted } from './layout.ts'
import {
  type FactorQuestion,
  faultNotice,
  faultPage,
  passwordPage,
  personalPage,
  refusalNotice,
  secondFactorPage,
  signInPage,
} from './pages.ts'
import { maxQrText } from './qr.ts'
import { pageReply, type Reply, redirect, textReply } from './replies.ts'
import type { Request } from './requests.ts'

type Handler = (request: Request, gateway: Gateway) => Promise<Reply>

/** What a body may hold of each field; longer values cannot be right. */
const longest: Readonly<Record<string, number>> = { login: 256, password: 256, current: 256, next: 256, repeat: 256 }
const longestOther = 512

/** Null when one is missing, empty or too long. */
function fieldsOf<const N extends readonly string[]>(
  form: Form,
  names: N,
): { readonly [K in N[number]]: string } | null {
  const values = names.map((name) => [name, form.get(name) ?? ''] as const)
  const areFit = values.every(([name, value]) => value !== '' && value.length <= (longest[name] ?? longestOther))
  return areFit ? (Object.fromEntries(values) as { readonly [K in N[number]]: string }) : null
}

const statuses: Readonly<Record<PortalRefusal, number>> = {
  wrong: 403,
  denied: 403,
  blocked: 429,
  closed: 403,
  busy: 503,
  over_limit: 403,
  taken: 409,
  no_second_factor: 503,
  weak: 422,
  expired: 403,
}

const refusedReply = (page: Markup, { reason, retrySeconds }: Refused): Reply => {
  const status = statuses[reason]
  const seconds = retrySeconds ?? (status === 503 ? 5 : null)
  return pageReply(status, page, seconds === null ? {} : { 'Retry-After': String(Math.ceil(seconds)) })
}

const showSignIn: Handler = async ({ address, token, view }, gateway) => {
  const host = await gateway.call('host', { address })
  // Who is signed in here and has access wants their own page, and who has too many sessions can end one there.
  const isAtHome = host.isAuthorized || !host.isEnforced || host.refusal === 'over_limit'
  if (token !== null && isAtHome) return redirect(303, withWanted('/me', view.wanted))
  return pageReply(200, signInPage(view, host, null))
}

const signIn: Handler = async ({ address, form, view }, gateway) => {
  const fields = fieldsOf(form, ['login', 'password'])
  if (fields === null) return pageReply(422, signInPage(view, null, faultNotice(view, 'empty')))
  const { login, password } = fields
  const result = await gateway.call('signIn', { address, login, password })
  if (result.status === 'refused')
    return refusedReply(signInPage(view, null, refusalNotice(view, result), login), result)
  return afterStep(view, result)
}

function afterStep(view: Request['view'], result: Exclude<SignInResult, Refused>): Reply {
  if (result.status === 'second_factor') return pageReply(200, secondFactorPage(view, result, null))
  return redirect(303, withWanted('/me', view.wanted), { 'Set-Cookie': [setCookie('token', result.token)] })
}

const confirm: Handler = async ({ address, form, view }, gateway) => {
  const question = questionOf(form)
  if (question === null) return pageReply(422, signInPage(view, null, faultNotice(view, 'malformed')))
  const { ticket } = question
  const fields = fieldsOf(form, ['code'])
  if (fields === null) return pageReply(422, secondFactorPage(view, question, faultNotice(view, 'empty')))
  const code = fields.code.replaceAll(/\s/g, '')
  const result = await gateway.call('confirm', { address, ticket, code })
  if (result.status !== 'refused') return afterStep(view, result)
  // A wrong code may be corrected; after anything else the sign-in begins again.
  const message = refusalNotice(view, result)
  const page = result.reason === 'wrong' ? secondFactorPage(view, question, message) : signInPage(view, null, message)
  return refusedReply(page, result)
}

const factors = ['totp', 'smssvc', 'multifactor'] as const

/** What the page before showed comes back with the form: gatewayd does not say it twice. */
function questionOf(form: Form): FactorQuestion | null {
  const fields = fieldsOf(form, ['ticket', 'factor'])
  const factor = factors.find((one) => one === fields?.factor)
  if (fields === null || factor === undefined) return null
  const own = fieldsOf(form, ['uri', 'secret'])
  const isKey =
    own?.uri.startsWith('otpauth://') === true && own.uri.length <= maxQrText && /^[A-Z2-7=]+$/.test(own.secret)
  return { ticket: fields.ticket, factor, enrolment: own !== null && isKey ? own : null }
}

/** No one is signed in with this browser (any more). */
const toSignIn = ({ view }: Request): Reply =>
  redirect(303, withWanted('/', view.wanted), { 'Set-Cookie': [clearCookie('token')] })

const showPersonal: Handler = async (request, gateway) => {
  const message =
    request.parameters.get('done') === 'password' ? notice('good', request.view.texts.passwordChanged) : null
  return personalReply(request, gateway, 200, message)
}

async function personalReply(
  request: Request,
  gateway: Gateway,
  status: number,
  message: Markup | null,
): Promise<Reply> {
  const { address, token, view } = request
  if (token === null) return toSignIn(request)
  const [person, host] = await Promise.all([
    gateway.call('personal', { address, token }),
    gateway.call('host', { address }),
  ])
  return person === null ? toSignIn(request) : pageReply(status, personalPage(view, person, host, message))
}

const endSession: Handler = async (request, gateway) => {
  const { address, token, form, view } = request
  const fields = fieldsOf(form, ['id'])
  if (token === null) return toSignIn(request)
  if (fields === null) return personalReply(request, gateway, 422, faultNotice(view, 'malformed'))
  const result = await gateway.call('endSession', { address, token, id: fields.id })
  if (result.status === 'done') return redirect(303, '/me')
  if (result.reason === 'expired') return toSignIn(request)
  return personalReply(request, gateway, statuses[result.reason], refusalNotice(view, result))
}

const showPassword: Handler = async (request, gateway) => {
  const { address, token, view } = request
  const person = token === null ? null : await gateway.call('personal', { address, token })
  if (person === null) return toSignIn(request)
  return person.canChangePassword
    ? pageReply(200, passwordPage(view, person.login, null))
    : pageReply(404, faultPage(view, 'notFound', '/me'))
}

const changePassword: Handler = async (request, gateway) => {
  const { address, token, form, view } = request
  if (token === null) return toSignIn(request)
  const login = form.get('login') ?? ''
  const fields = fieldsOf(form, ['current', 'next', 'repeat'])
  if (fields === null) return pageReply(422, passwordPage(view, login, faultNotice(view, 'empty')))
  const { current, next, repeat } = fields
  if (next !== repeat) return pageReply(422, passwordPage(view, login, faultNotice(view, 'mismatch')))
  const result = await gateway.call('changePassword', { address, token, current, next })
  if (result.status === 'refused') {
    const message = refusalNotice(view, result)
    return result.reason === 'expired'
      ? refusedReply(signInPage(view, null, message), result)
      : refusedReply(passwordPage(view, login, message), result)
  }
  return redirect(303, '/me?done=password')
}

const signOut: Handler = async ({ address, token }, gateway) => {
  await gateway.call('signOut', { address, token })
  return redirect(303, '/', { 'Set-Cookie': [clearCookie('token')] })
}

/** RFC 8908. There is no `seconds-remaining`: a session ends after a time without traffic, not at a known moment. */
const showCaptiveState: Handler = async ({ address, authority }, gateway) => {
  const { isEnforced, isAuthorized } = await gateway.call('host', { address })
  const state = {
    captive: isEnforced && !isAuthorized,
    'user-portal-url': `https://${authority}/`,
    'can-extend-session': false,
  }
  return textReply(200, 'application/captive+json', `${JSON.stringify(state)}\n`, {
    'Cache-Control': 'private, no-store',
  })
}

export const captivePath = '/captive-portal/api'

/** By path and method. */
export const routes: ReadonlyMap<string, Partial<Record<'GET' | 'POST', Handler>>> = new Map([
  ['/', { GET: showSignIn }],
  ['/sign-in', { POST: signIn }],
  ['/confirm', { POST: confirm }],
  ['/me', { GET: showPersonal }],
  ['/end', { POST: endSession }],
  ['/password', { GET: showPassword, POST: changePassword }],
  ['/sign-out', { POST: signOut }],
  [captivePath, { GET: showCaptiveState }],
])
