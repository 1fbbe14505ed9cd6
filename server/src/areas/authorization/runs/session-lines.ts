// What the system journal says of the sessions of users: a line for each that began or ended.

import type { UnitLine } from '../../../domain/logs/unit-lines.ts'
import type { UserSession } from './session.ts'

export interface SessionEvent {
  readonly session: UserSession
  readonly login: string
  /** Null: it began. */
  readonly end: string | null
}

export const linesOf = (events: readonly SessionEvent[]): UnitLine[] =>
  events.map((event) => ({
    unit: programOf(event),
    level: 'info',
    message: messageOf(event),
    login: event.login,
    ip: event.session.address,
  }))

const programOf = ({ session }: SessionEvent): string => (session.type === 'web' ? 'web-authd' : 'auth-backend')

/** The form is fixed (docs/behaviour/logs.md 4). */
function messageOf({ session, login, end }: SessionEvent): string {
  const subnet = session.address.includes('/') ? session.address : `${session.address}/32`
  if (end !== null) return `Subnet ${subnet} is no longer authorized as user '${quoted(login)}'. ${end}`
  const from = session.type === 'web' ? `'${session.address}'` : 'None'
  return `Subnet ${subnet} is authorized as user '${quoted(login)}'. Connection made from ${from}, type '${session.type}'.`
}

/** Logins of directories can hold anything: no text ends the quotes or the line. */
const quoted = (login: string): string =>
  login.replaceAll(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}'\\]/gu
