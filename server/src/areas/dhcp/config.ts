// What the DHCP area stores. An entry is the whole service of one interface; DHCP runs while an entry is enabled.

import { list } from '../../core/model/slots.ts'
import { Entry, StaticLease } from './contract.ts'

export const entries = list('dhcp.settings', Entry)
export const staticLeases = list('dhcp.static_leases', StaticLease)

export const slots = [entries, staticLeases]
