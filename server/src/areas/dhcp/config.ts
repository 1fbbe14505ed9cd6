// What the DHCP area stores. An entry is the whole service of one interface; the service as a whole is on while an entry is.

import { list } from '../../model/slots.ts'
import { Entry, StaticLease } from './contract.ts'

export const entries = list('dhcp.settings', Entry)
export const staticLeases = list('dhcp.static_leases', StaticLease)

export const slots = [entries, staticLeases]
