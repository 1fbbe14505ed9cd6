// The sockets of agents, for the gateway that main.ts builds. Wiring only.

import type { Server } from 'node:https'
import { agentSockets } from '../areas/client-agent/index.ts'
import { isAgentEnabled } from '../areas/client-agent/public.ts'
import type { Log } from '../core/log.ts'
import type { CertificateRenewal } from '../shared/certificates/certificate-renewal.ts'
import type { Gateway } from './app.ts'
import { createSwitchedListener } from './http/switched-listener.ts'
import { createSocketListener, serveSockets } from './http/websocket.ts'
import type { Settings } from './settings.ts'

/** Agents connect to a separate port, open only while they are enabled, and may also connect to the management port. */
export function openAgentSockets(
  { http, services }: Gateway,
  settings: Settings,
  certificate: CertificateRenewal,
  log: Log,
) {
  const agents = {
    path: settings.agentPath,
    ...agentSockets(services),
    onFault: (error: unknown) => log('error', 'a conversation with an agent failed', { error }),
  }
  const isOn = (): boolean => isAgentEnabled(services.engine.config)
  // Cast: the framework's type allows a server of HTTP/2, which the gateway never makes.
  const shared = serveSockets(http.server as unknown as Server, agents)
  const own =
    settings.agentListen &&
    createSwitchedListener({
      isOn,
      address: settings.agentListen,
      create: () => {
        const server = certificate.follow(createSocketListener(certificate.current, settings.agentPath))
        return { server, sockets: serveSockets(server, agents) }
      },
      onFault: (error) => log('error', 'agents cannot connect', { error }),
    })
  let wasOn = isOn()
  return {
    follow: () => {
      if (wasOn && !isOn()) shared.close()
      wasOn = isOn()
      own?.follow()
    },
    /** Before the services close: a server with open sockets never finishes closing. */
    close: () => {
      shared.close()
      own?.close()
    },
  }
}
