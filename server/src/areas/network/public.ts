// What others may use of this area.

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
export {
  addressesOf,
  deviceOf,
  devicesOf,
  dnsOf,
  externalDevices,
  faultOfZone,
  findInterface,
  isInterfaceAlias,
  localAddresses,
  localNetworks,
  ownAddresses,
  takenBy,
} from './resolve.ts'
