// What the DNS area stores. Nothing is set at first: names are then resolved through the root servers.

import { Enabled, nullable, strictObject } from '../../core/contract/fields.ts'
import { Sealed } from '../../core/model/secret.ts'
import { list, single } from '../../core/model/slots.ts'
import { Ddns, DnsSettings, ForwardZone, MasterZone, RootServer } from './contract.ts'

/** Enabled by default (docs/behaviour/dns.md 1). */
export const settings = single('dns.settings', DnsSettings, { intercept_enabled: true })
export const safeSearch = single('dns.safesearch', Enabled, { enabled: false })
export const rootServers = list('dns.root_servers', RootServer)
export const forwardZones = list('dns.forward_zones', ForwardZone)
export const masterZones = list('dns.master_zones', MasterZone)

export const ddnsState = single('dns.ddns_state', Enabled, { enabled: false })
export const ddns = single('dns.ddns', strictObject({ ...Ddns.properties, service_password: nullable(Sealed) }), {
  domain: '',
  service_login: '',
  service_password: null,
})

export const slots = [settings, safeSearch, rootServers, forwardZones, masterZones, ddnsState, ddns]

/** Where the vault binds the password of the dynamic DNS provider to. */
export const servicePasswordPlace = `${ddns.key}//service_password`
