// What others may use of DHCP: its entries, the services that are open to local networks because of it, and where it announces
// the proxy file.

export { entries } from './config.ts'
export { poolFindings } from './pool.ts'
export { announcedAddresses, openServices } from './resolve.ts'
