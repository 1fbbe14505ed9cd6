// The area of the client agent: its switch and settings, and the conversation over its WebSocket.

import { read } from '../../contract/slots.ts'
import { defineArea, type Services } from '../../http/handle.ts'
import { slots, state } from './config.ts'
import { createExchange } from './exchange.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const clientAgent = defineArea({ name: 'client-agent', slots, verify, routes })

/** What happens on one socket of an agent; http/websocket.ts carries it. */
export const converse = ({ engine, faultsOf }: Services) =>
  createExchange({ isEnabled: () => read(engine.config, state).enabled, faultsOf })
