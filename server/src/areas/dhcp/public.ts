// What others may use of DHCP: its entries, and the services that are open to local networks because of it.

export { entries } from './config.ts'
export { openServices } from './resolve.ts'
