// What is stored of the client agent. At first it is disabled, without tunnels in local networks and without devices.

import { Enabled } from '../../core/contract/fields.ts'
import { single } from '../../core/model/slots.ts'
import { AgentSettings } from './contract.ts'

export const state = single('client_agent.state', Enabled, { enabled: false })

export const settings = single('client_agent.settings', AgentSettings, {
  auth_domain: null,
  local_tunnel: false,
  device_vpn: false,
  trusted_ca_cert: null,
})

export const slots = [state, settings]
