// What the VPN servers store, and their defaults: everything disabled, the pool of the specification, no access.

import { list, single } from '../../core/model/slots.ts'
import { AccessRule, LeaseRule, PushedRoutes, VpnSettings } from './contract.ts'

export const settings = single('vpn.settings', VpnSettings, {
  pptp_enabled: false,
  sstp: { enabled: false, domain: null, port: 1443 },
  network: '10.128.0.0/16',
  zone: null,
  dns_suffix: '',
  netflow_index: 0,
})

export const accessRules = list('vpn.access_rules', AccessRule)
export const leaseRules = list('vpn.lease_rules', LeaseRule)

/** Spec gap (docs/behaviour/vpn.md 4): by default clients get routes to every network behind the gateway, and no others. */
export const pushedRoutes = single('vpn.pushed_routes', PushedRoutes, {
  mode: 'utm',
  networks: [],
  excluded_networks: [],
})

export const slots = [settings, accessRules, leaseRules, pushedRoutes]
