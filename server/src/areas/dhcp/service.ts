// What runs for DHCP, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'
import type { GivenLease } from '../../core/plan/facts.ts'
import type { UsedAddresses } from './runs/used-addresses.ts'

/** Leases of the DHCP server that have not run out by this time. */
export const dhcpLeasesService = optionalService<{ list(seconds: number): Promise<readonly GivenLease[]> }>('leases')
/** Addresses that hosts use without a lease. */
export const usedAddressesService = optionalService<Pick<UsedAddresses, 'current'>>('used addresses')
