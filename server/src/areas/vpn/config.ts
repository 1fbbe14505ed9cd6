// What the VPN servers store, and their defaults: everything off, the pool of the specification, nobody let in.

import { type ItemId, list, single } from '../../model/slots.ts'
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

/** Spec gap: the mode at first is utm, which sends clients everything behind the gateway and nothing else. */
export const pushedRoutes = single('vpn.pushed_routes', PushedRoutes, {
  mode: 'utm',
  networks: [],
  excluded_networks: [],
})

export const slots = [settings, accessRules, leaseRules, pushedRoutes]

export const accessTitle = (id: ItemId): string => `VPN access rule ${id}`
export const leaseTitle = (id: ItemId): string => `VPN address rule ${id}`
