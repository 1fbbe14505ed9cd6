// One conversation with a client agent: version first, then attempts to be authorized. Every message is answered; one of a
// wrong form ends it, one of an unknown type or too early does not (client-agent.md, open points). Agents can be told that
// their version will do; authorizing them comes with a later release, and until then nobody is let in.

import type { TSchema } from 'typebox'
import type { Problem } from '../../contract/error.ts'
import {
  type AgentMessageType,
  type AuthStateMessage,
  agentMessages,
  type ServiceMessage,
  type UpdateMessage,
  type VersionMessage,
} from './contract.ts'

export interface ExchangeParts {
  readonly isEnabled: () => boolean
  readonly faultsOf: (schema: TSchema, value: unknown) => readonly Problem[]
}

/** The answer to a message, if there is one, and whether the conversation is over. */
export interface Answer {
  readonly reply: ServiceMessage | null
  readonly isOver: boolean
}

const notYet = 'Stored users cannot be authorized through the agent: this release does not contain that part yet.'
const switchedOff = 'Authorization through the agent is switched off on this gateway.'

export function createExchange({ isEnabled, faultsOf }: ExchangeParts): (message: unknown) => Answer {
  let isVersionKnown = false

  return (message) => {
    const type = typeOf(message)
    if (type === null) return { reply: notAuthorized('This message is not known here.'), isOver: false }
    if (faultsOf(agentMessages[type], message).length > 0) return refusal(`The message ${type} has a wrong form.`)
    if (type === 'version') {
      if (isVersionKnown) return refusal('The version was told before.')
      isVersionKnown = true
      return { reply: updateFor(message as VersionMessage), isOver: false }
    }
    if (!isVersionKnown) return { reply: notAuthorized('The version must be told first.'), isOver: false }
    const reason = isEnabled() ? notYet : switchedOff
    if (type !== 'sso') return { reply: notAuthorized(reason), isOver: false }
    const { token } = message as { readonly token: string | null }
    // Nobody was ever challenged, so a token answers nothing.
    if (token !== null) return refusal('A token was not asked for.')
    const reply = { type, status: 'not_authorized', session_token: null, access_token: null, error: reason } as const
    return { reply, isOver: false }
  }
}

function typeOf(message: unknown): AgentMessageType | null {
  const type = typeof message === 'object' && message !== null && 'type' in message ? message.type : null
  return typeof type === 'string' && Object.hasOwn(agentMessages, type) ? (type as AgentMessageType) : null
}

/** Spec gap: no agent is offered for download here, so every version is the required one. */
const updateFor = ({ type: _, ...version }: VersionMessage): UpdateMessage => ({
  type: 'update',
  need_update: false,
  download_url: null,
  version,
})

const notAuthorized = (message: string): AuthStateMessage => ({
  type: 'auth_state',
  authorized: false,
  need_tunnel: false,
  timeout: 0,
  message,
})

/** The answer to what is no JSON; the socket closes after it. */
export const unreadable: AuthStateMessage = notAuthorized('The message is no JSON.')

const refusal = (message: string): Answer => ({ reply: notAuthorized(message), isOver: true })
