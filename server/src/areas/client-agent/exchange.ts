// One conversation with a client agent: the version first, then attempts to be authorized. Every message is answered; a
// malformed one ends the conversation, one of an unknown type or too early does not (docs/behaviour/client-agent.md 2). This
// release accepts every version and authorizes no agent.

import type { TSchema } from 'typebox'
import type { Problem } from '../../core/contract/error.ts'
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

const notYet = 'Users cannot be authorized through the agent: this release does not contain that part yet.'
const switchedOff = 'Authorization through the agent is switched off on this gateway.'

export function createExchange({ isEnabled, faultsOf }: ExchangeParts): (message: unknown) => Answer {
  let isVersionKnown = false

  return (message) => {
    const type = typeOf(message)
    if (type === null) return { reply: notAuthorized('Unknown message type.'), isOver: false }
    if (faultsOf(agentMessages[type], message).length > 0) return refusal(`The message ${type} is not valid.`)
    if (type === 'version') {
      if (isVersionKnown) return refusal('The version was already sent.')
      isVersionKnown = true
      return { reply: updateFor(message as VersionMessage), isOver: false }
    }
    if (!isVersionKnown) return { reply: notAuthorized('Send the version first.'), isOver: false }
    const reason = isEnabled() ? notYet : switchedOff
    if (type !== 'sso') return { reply: notAuthorized(reason), isOver: false }
    const { token } = message as { readonly token: string | null }
    // No agent was challenged, so there is nothing that a token could answer.
    if (token !== null) return refusal('Unexpected token: no challenge was sent.')
    const reply = { type, status: 'not_authorized', session_token: null, access_token: null, error: reason } as const
    return { reply, isOver: false }
  }
}

function typeOf(message: unknown): AgentMessageType | null {
  const type = typeof message === 'object' && message !== null && 'type' in message ? message.type : null
  return typeof type === 'string' && Object.hasOwn(agentMessages, type) ? (type as AgentMessageType) : null
}

/** No agent can be downloaded here, so every version is accepted (docs/behaviour/client-agent.md 2). */
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

/** The answer to what is not JSON; the socket closes after it. */
export const unreadable: AuthStateMessage = notAuthorized('The message is not JSON.')

const refusal = (message: string): Answer => ({ reply: notAuthorized(message), isOver: true })
