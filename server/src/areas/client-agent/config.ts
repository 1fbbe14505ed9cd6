// What is stored of the client agent: switched off, no tunnel in local networks, no devices.

import { Enabled } from '../../contract/fields.ts'
import { single } from '../../model/slots.ts'
import { AgentSettings } from './contract.ts'

export const state = single('client_agent.state', Enabled, { enabled: false })

export const settings = single('client_agent.settings', AgentSettings, {
  auth_domain: null,
  local_tunnel: false,
  device_vpn: false,
  trusted_ca_cert: null,
})

export const slots = [state, settings]
