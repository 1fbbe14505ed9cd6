// What other areas may use of objects: the lists, which ids exist and may be named where, and what objects mean.

export { changedObjects, type ObjectWorld } from './changed.ts'
export {
  domains,
  ipAddresses,
  ipRanges,
  networks,
  objectKinds,
  objectSlots,
  ports,
  timeLists,
  timeRanges,
} from './config.ts'
export { countryName } from './countries.ts'
export { isAddressId, isKnownObject, isPortId, isTimeId, titleOf } from './known.ts'
export { ipAddressObjects } from './lists.ts'
export { membersIn } from './members.ts'
export { addressesOf, portsOf, timesOf } from './resolve.ts'
export { unresolvedNames } from './unresolved.ts'
