// What others may use of the network: its interfaces and zones, their names, devices, addresses and DNS servers, whether a
// change would cut a connection, and the first set-up.

export {
  aggregated,
  type CardConnection,
  type Connection,
  connectionAlias,
  connections,
  isExternal,
  tunnelAlias,
  tunnels,
  zones,
} from './config.ts'
export { wouldCut } from './cut.ts'
export { tableSizeFor } from './kernel.ts'
export { zoneList } from './lists.ts'
export {
  addressesOf,
  deviceOf,
  devicesByAlias,
  devicesOf,
  dnsOf,
  dnsServers,
  externalDevices,
  faultOfZone,
  findInterface,
  isInterfaceAlias,
  localAddresses,
  localNetworks,
  localSide,
  ownAddresses,
  serverDomains,
  takenBy,
  tunnelServices,
} from './resolve.ts'
export { type SetUp, setUp } from './setup.ts'
