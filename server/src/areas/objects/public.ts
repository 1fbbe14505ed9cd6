// What others may use of this area.

export { ipAddresses, ipRanges, networks, objectKinds, objectSlots, timeLists, timeRanges } from './config.ts'
export { isAddressId, isKnownObject, isPortId, isTimeId, titleOf } from './known.ts'
export { addressesOf, portsOf, timesOf } from './resolve.ts'
