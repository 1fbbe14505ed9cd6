// The area of the client agent: its state and settings, and the conversation over its WebSocket.

import { defineArea, type Services } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { createExchange, unreadable } from './exchange.ts'
import { isAgentEnabled } from './public.ts'
import { routes } from './routes.ts'
import { agentServerSettings } from './settings.ts'

export const clientAgent = defineArea({ name: 'client-agent', slots, settings: [agentServerSettings], routes })

/** The conversation on the sockets of agents; gatewayd/http/websocket.ts transports it. */
export const agentSockets = ({ engine, faultsOf }: Services) => ({
  converse: () => createExchange({ isEnabled: () => isAgentEnabled(engine.config), faultsOf }),
  unreadable,
})
