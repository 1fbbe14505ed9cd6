// What the firewall stores, and its defaults: user rules on, automatic SNAT on, nothing logged.

import { Enabled } from '../../contract/fields.ts'
import { single } from '../../contract/slots.ts'
import { FirewallSettings } from './contract.ts'

export const settings = single('firewall.settings', FirewallSettings, {
  automatic_snat_enabled: true,
  log_mode: 'nothing',
  log_actions: [],
})

export const state = single('firewall.state', Enabled, { enabled: true })
