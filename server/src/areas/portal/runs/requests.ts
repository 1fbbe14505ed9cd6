// Requests of the portal, judged before anything reads them: exactly the keys of the verb, each a text within its bounds.

import { isIPv4 } from 'node:net'
import type { PortalVerb, PortalVerbs } from '../../../engines/portal/protocol.ts'

/** The message is for the log of the portal: it says nothing of what was sent. */
export class PortalRefusal extends Error {}

/** A password of the interface has at most 128 characters, a login 32; a longer text is only refused later and costs as much. */
const limits = { login: 320, password: 256, ticket: 64, token: 64, code: 16, id: 64 } as const

type Field = (value: unknown, name: string) => string

const text =
  (limit: number): Field =>
  (value, name) => {
    if (typeof value === 'string' && value.length <= limit && value.isWellFormed()) return value
    throw new PortalRefusal(`The ${name} is not a text of at most ${limit} characters.`)
  }

/** Dotted decimal without leading zeros. */
const address: Field = (value) => {
  if (typeof value === 'string' && isIPv4(value)) return value
  throw new PortalRefusal('The address is not a valid IPv4 address.')
}

function fieldsOf<const F extends Readonly<Record<string, Field>>>(fields: F) {
  const names = Object.keys(fields)
  return (value: unknown): { readonly [K in keyof F]: string } => {
    const own = parseKeys(value, names)
    return Object.fromEntries(names.map((name) => [name, fields[name]?.(own[name], name)])) as {
      readonly [K in keyof F]: string
    }
  }
}

/** Exactly these keys, no more and no fewer. */
export function parseKeys(value: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const own = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : null
  if (own?.length === names.length && names.every((name) => own.includes(name)))
    return value as Readonly<Record<string, unknown>>
  throw new PortalRefusal(`The keys must be exactly these: ${names.join(', ')}.`)
}

const token = text(limits.token)

export type PortalParsers = { readonly [V in PortalVerb]: (args: unknown) => PortalVerbs[V]['args'] }

export const portalParsers: PortalParsers = {
  host: fieldsOf({ address }),
  signIn: fieldsOf({ address, login: text(limits.login), password: text(limits.password) }),
  confirm: fieldsOf({ address, ticket: text(limits.ticket), code: text(limits.code) }),
  personal: fieldsOf({ address, token }),
  endSession: fieldsOf({ address, token, id: text(limits.id) }),
  changePassword: fieldsOf({ address, token, current: text(limits.password), next: text(limits.password) }),
  signOut: (args) => {
    const own = parseKeys(args, ['address', 'token'])
    return { address: address(own.address, 'address'), token: own.token === null ? null : token(own.token, 'token') }
  },
}
