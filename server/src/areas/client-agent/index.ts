// The area of the client agent: its switch and settings, and the conversation over its WebSocket.

import { defineArea, type Services } from '../../http/handle.ts'
import { read } from '../../model/slots.ts'
import { slots, state } from './config.ts'
import { createExchange, unreadable } from './exchange.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const clientAgent = defineArea({ name: 'client-agent', slots, verify, routes })

/** What happens on the sockets of agents; http/websocket.ts carries it. */
export const agentSockets = ({ engine, faultsOf }: Services) => ({
  converse: () => createExchange({ isEnabled: () => read(engine.config, state).enabled, faultsOf }),
  unreadable,
})
